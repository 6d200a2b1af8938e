import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Certificates for tests, made when they are needed: no key lies in the repository, and no program beside Node is needed.

export interface SelfSigned {
  /** PEM. */
  cert: string;
  key: string;
}

/** For `localhost` and 127.0.0.1; good as its own authority. Valid for a day from now, or until `validUntil`. */
export function selfSigned({ name = 'localhost', validUntil = new Date(Date.now() + 86_400_000) } = {}): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('1.2.840.10045.4.3.2'));
  const subject = sequence(tagged(0x31, sequence(objectId('2.5.4.3'), tagged(0x0c, Buffer.from(name)))));
  const validFrom = new Date(Math.min(Date.now(), validUntil.getTime()) - 86_400_000);
  const alternativeNames = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    subject,
    sequence(time(validFrom), time(validUntil)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        extension('2.5.29.17', alternativeNames),
        extension('2.5.29.19', sequence(tagged(0x01, Buffer.from([0xff])))),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
  const certificate = sequence(content, algorithm, tagged(0x03, signature));
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A directory with `cert.pem` and `key.pem`. */
export async function certificateFiles(pem: SelfSigned = selfSigned()) {
  const folder = await mkdtemp(join(tmpdir(), 'stanchion-tls-'));
  const files = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') };
  const replace = async ({ cert, key }: SelfSigned) => {
    await writeFile(files.tlsCert, cert);
    await writeFile(files.tlsKey, key, { mode: 0o600 });
  };
  await replace(pem);
  return { folder, ...files, ca: pem.cert, replace, remove: () => rm(folder, { recursive: true }) };
}

// As much of DER as a certificate takes.

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function sequence(...items: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tagged(0x04, value));
}

function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));
}
