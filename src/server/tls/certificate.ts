import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { reasonOf } from '../data-directory.ts';
import { StartError } from '../start-error.ts';
import type { CertificateFiles } from './tls-settings.ts';

/** A certificate, perhaps with those that vouch for it, and its private key: PEM. Known to fit together. */
export interface Certificate {
  cert: string;
  key: string;
  /** Epoch milliseconds. */
  validUntil: number;
}

/** @throws StartError when a file cannot be read, is not what it should be, or does not fit the other one. */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  const cert = await readPem('certificate', certFile);
  const key = await readPem('private key', keyFile);
  const first = parseCertificate(cert, certFile);
  if (!first.checkPrivateKey(parseKey(key, keyFile))) {
    throw new StartError(`the private key ${keyFile} does not belong to the certificate ${certFile}`);
  }
  try {
    // Looks at the rest of the chain, and at whether OpenSSL still takes keys so short and digests so old.
    createSecureContext({ cert, key });
  } catch (error) {
    throw new StartError(`cannot use the certificate ${certFile}: ${(error as Error).message}`, { cause: error });
  }
  return { cert, key, validUntil: Date.parse(first.validTo) };
}

async function readPem(what: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'ENOENT'
        ? 'there is no such file'
        : error.code === 'EISDIR'
          ? 'it is a directory'
          : reasonOf(error);
    throw new StartError(`cannot read the ${what} ${path}: ${reason}`, { cause: error });
  });
}

/** The first of the file, which is the server's own. */
function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new StartError(`${path} is no certificate in PEM`, { cause: error });
  }
}

function parseKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // Nothing of the text of the error, nor of the file, goes on: it is a key.
    throw new StartError(
      /ENCRYPTED/.test(pem)
        ? `the private key ${path} is protected by a passphrase, for which nobody would be there at a restart: use one without`
        : `${path} is no private key in PEM`,
    );
  }
}
