import type { Platform } from '../../platform/platform.ts';
import type { Logger } from '../logger.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import type { CertificateFiles } from './tls-settings.ts';

/** The certificate in its files, which somebody renews while the server runs. */
export class CertificateStore {
  readonly #files: CertificateFiles;
  readonly #platform: Platform;
  readonly #logger: Logger;

  constructor(files: CertificateFiles, platform: Platform, logger: Logger) {
    this.#files = files;
    this.#platform = platform;
    this.#logger = logger;
  }

  /** @throws StartError */
  async read(): Promise<Certificate> {
    const certificate = await readCertificate(this.#files);
    if (certificate.validUntil < this.#platform.now()) {
      // It may be what the clients of this server are told to trust all the same.
      const since = new Date(certificate.validUntil).toISOString();
      this.#logger.warn({ file: this.#files.certFile }, `the certificate has expired: it was valid until ${since}`);
    }
    return certificate;
  }

  /** Undefined when there is something wrong with it: who renews a certificate must not stop the server by a mistake. */
  async reread(): Promise<Certificate | undefined> {
    try {
      const certificate = await this.read();
      const validUntil = new Date(certificate.validUntil).toISOString();
      this.#logger.info({ file: this.#files.certFile, validUntil }, 'the certificate was read again');
      return certificate;
    } catch (error) {
      this.#logger.error({ reason: (error as Error).message }, 'the certificate in use stays: the new one is no good');
      return undefined;
    }
  }
}
