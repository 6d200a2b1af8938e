import type { Settings } from '../config/settings.ts';
import { ConfigError } from '../start-error.ts';

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** Where to listen, and with what. */
export interface ListenSettings {
  /** 0: any free port. Undefined: no HTTP. */
  httpPort?: number;
  https?: { port: number; files: CertificateFiles };
}

const DEFAULT_TLS_PORT = 9325;

/** @throws ConfigError for settings that are right each for itself and make no sense together. */
export function listenSettingsOf(settings: Pick<Settings, 'port' | 'tlsPort' | 'tlsCert' | 'tlsKey'>): ListenSettings {
  const { port, tlsPort, tlsCert, tlsKey } = settings;
  const problems: string[] = [];
  if (tlsCert !== undefined && tlsKey === undefined) problems.push('tlsCert needs tlsKey: the file of its private key');
  if (tlsKey !== undefined && tlsCert === undefined) problems.push('tlsKey needs tlsCert: the file of its certificate');
  if (tlsPort !== undefined && tlsCert === undefined && tlsKey === undefined) {
    problems.push('tlsPort needs tlsCert and tlsKey');
  }
  if (port === 'off' && tlsCert === undefined && tlsKey === undefined) {
    problems.push('port may be off only with tlsCert and tlsKey, or there would be no port at all');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const https =
    tlsCert === undefined || tlsKey === undefined
      ? undefined
      : { port: tlsPort ?? DEFAULT_TLS_PORT, files: { certFile: tlsCert, keyFile: tlsKey } };
  return { httpPort: port === 'off' ? undefined : port, https };
}
