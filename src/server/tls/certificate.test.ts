import { generateKeyPairSync } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFiles, selfSigned } from '../../../test/support/self-signed.ts';
import { manualClock } from '../../platform/manual.ts';
import { StartError } from '../start-error.ts';
import { readCertificate } from './certificate.ts';
import { CertificateStore } from './certificate-store.ts';

const folders: { remove(): Promise<void> }[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => folder.remove())));

async function files(pem?: Parameters<typeof certificateFiles>[0]) {
  const made = await certificateFiles(pem);
  folders.push(made);
  return { ...made, certFile: made.tlsCert, keyFile: made.tlsKey };
}

async function refusal(read: Promise<unknown>): Promise<string> {
  const error = await read.then(
    () => 'nothing was refused',
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(StartError);
  return error.message;
}

describe('readCertificate', () => {
  it('reads a certificate and its key', async () => {
    const validUntil = new Date('2040-01-02T03:04:05Z');
    const pem = selfSigned({ validUntil });
    const { certFile, keyFile } = await files(pem);
    expect(await readCertificate({ certFile, keyFile })).toEqual({ ...pem, validUntil: validUntil.getTime() });
  });

  it('refuses files that are not there', async () => {
    const { certFile, keyFile, folder } = await files();
    const none = join(folder, 'none.pem');
    expect(await refusal(readCertificate({ certFile: none, keyFile }))).toBe(
      `cannot read the certificate ${none}: there is no such file`,
    );
    expect(await refusal(readCertificate({ certFile, keyFile: none }))).toBe(
      `cannot read the private key ${none}: there is no such file`,
    );
    expect(await refusal(readCertificate({ certFile: folder, keyFile }))).toBe(
      `cannot read the certificate ${folder}: it is a directory`,
    );
  });

  // Nothing is unreadable for root.
  it.skipIf(process.getuid?.() === 0)('refuses files that it may not read', async () => {
    const { certFile, keyFile } = await files();
    await chmod(keyFile, 0);
    expect(await refusal(readCertificate({ certFile, keyFile }))).toBe(
      `cannot read the private key ${keyFile}: permission denied`,
    );
  });

  it('refuses a key that belongs to another certificate', async () => {
    const { certFile, keyFile } = await files({ cert: selfSigned().cert, key: selfSigned().key });
    expect(await refusal(readCertificate({ certFile, keyFile }))).toBe(
      `the private key ${keyFile} does not belong to the certificate ${certFile}`,
    );
  });

  it('refuses what is no PEM, and quotes nothing of it', async () => {
    const { certFile, keyFile } = await files();
    await writeFile(keyFile, '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n');
    expect(await refusal(readCertificate({ certFile, keyFile }))).toBe(`${keyFile} is no private key in PEM`);
    await writeFile(certFile, 'hello');
    expect(await refusal(readCertificate({ certFile, keyFile: (await files()).keyFile }))).toBe(
      `${certFile} is no certificate in PEM`,
    );
  });

  it('refuses a key with a passphrase', async () => {
    const { certFile, keyFile } = await files();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
    await writeFile(keyFile, privateKey.export(options));
    expect(await refusal(readCertificate({ certFile, keyFile }))).toContain('is protected by a passphrase');
  });
});

describe('a certificate that is renewed', () => {
  async function store() {
    const made = await files();
    const lines: [string, object, string][] = [];
    const log = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    return { ...made, lines, store: new CertificateStore(made, manualClock(), logger) };
  }

  it('is read again', async () => {
    const { store: certificates, replace, lines, certFile } = await store();
    const fresh = selfSigned({ validUntil: new Date('2040-01-02T03:04:05Z') });
    await replace(fresh);
    expect(await certificates.reread()).toMatchObject(fresh);
    const fields = { file: certFile, validUntil: '2040-01-02T03:04:05.000Z' };
    expect(lines).toEqual([['info', fields, 'the certificate was read again']]);
  });

  it('is left out when it is no good, and the log says why', async () => {
    const { store: certificates, certFile, lines } = await store();
    await writeFile(certFile, '');
    expect(await certificates.reread()).toBeUndefined();
    const reason = `${certFile} is no certificate in PEM`;
    expect(lines).toEqual([['error', { reason }, 'the certificate in use stays: the new one is no good']]);
  });

  it('may have expired, with a warning', async () => {
    const { store: certificates, replace, lines, certFile } = await store();
    await replace(selfSigned({ validUntil: new Date('2020-01-01T00:00:00Z') }));
    expect(await certificates.read()).toBeDefined();
    const message = 'the certificate has expired: it was valid until 2020-01-01T00:00:00.000Z';
    expect(lines).toEqual([['warn', { file: certFile }, message]]);
  });
});
