import { describe, expect, it } from 'vitest';
import { ConfigError } from '../start-error.ts';
import { listenSettingsOf } from './tls-settings.ts';

const TLS = { tlsCert: 'cert.pem', tlsKey: 'key.pem' };
const FILES = { certFile: 'cert.pem', keyFile: 'key.pem' };

describe('where to listen', () => {
  it.each([
    [{ port: 9324 }, { httpPort: 9324, https: undefined }],
    [
      { port: 9324, ...TLS },
      { httpPort: 9324, https: { port: 9325, files: FILES } },
    ],
    [
      { port: 0, tlsPort: 0, ...TLS },
      { httpPort: 0, https: { port: 0, files: FILES } },
    ],
    [
      { port: 'off' as const, tlsPort: 443, ...TLS },
      { httpPort: undefined, https: { port: 443, files: FILES } },
    ],
  ])('%o', (settings, expected) => {
    expect(listenSettingsOf(settings)).toEqual(expected);
  });

  it.each([
    [{ port: 1, tlsCert: 'c' }, 'tlsCert needs tlsKey: the file of its private key'],
    [{ port: 1, tlsKey: 'k' }, 'tlsKey needs tlsCert: the file of its certificate'],
    [{ port: 1, tlsPort: 2 }, 'tlsPort needs tlsCert and tlsKey'],
    [{ port: 'off' as const }, 'port may be off only with tlsCert and tlsKey, or there would be no port at all'],
  ])('%o makes no sense', (settings, problem) => {
    expect(() => listenSettingsOf(settings)).toThrow(new ConfigError([problem]));
  });
});
