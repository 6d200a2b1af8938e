import { describe, expect, it } from 'vitest';
import { baseUrlResolver, isLoopback, urlOf } from './public-url.ts';

const BOUND = { host: '127.0.0.1', port: 9324 };

describe('baseUrlResolver', () => {
  it('makes https of what came over TLS', () => {
    const baseUrlFor = baseUrlResolver(undefined, { http: BOUND, https: { host: '127.0.0.1', port: 9325 } });
    expect(baseUrlFor('q:9325', true)).toBe('https://q:9325');
    expect(baseUrlFor('q:9324', false)).toBe('http://q:9324');
    expect(baseUrlFor(undefined, true)).toBe('https://127.0.0.1:9325');
    expect(baseUrlFor(undefined)).toBe('http://127.0.0.1:9324');
  });

  it('makes https of everything where there is no HTTP', () => {
    const baseUrlFor = baseUrlResolver(undefined, { https: { host: '127.0.0.1', port: 9325 } });
    expect(baseUrlFor(undefined)).toBe('https://127.0.0.1:9325');
  });

  it('follows the Host header', () => {
    const baseUrlFor = baseUrlResolver(undefined, { http: BOUND });
    expect(baseUrlFor('localhost:9324')).toBe('http://localhost:9324');
    expect(baseUrlFor('stanchion:9324')).toBe('http://stanchion:9324');
    expect(baseUrlFor('sqs.eu-west-1.localhost')).toBe('http://sqs.eu-west-1.localhost');
    expect(baseUrlFor('my_service:80')).toBe('http://my_service:80');
    expect(baseUrlFor('[::1]:9324')).toBe('http://[::1]:9324');
    expect(baseUrlFor('localhost:9324')).toBe('http://localhost:9324');
  });

  it.each([
    undefined,
    '',
    'evil.com/path',
    'user@host',
    'host:port',
    'a b',
    '"><script>',
    'host:123456',
    '-dash',
    '::1',
  ])('gives the bound address for the Host %j', (host) => {
    expect(baseUrlResolver(undefined, { http: BOUND })(host)).toBe('http://127.0.0.1:9324');
  });

  it('prefers the configured public URL', () => {
    expect(baseUrlResolver('https://queues.example.com', { http: BOUND })('localhost:9324')).toBe(
      'https://queues.example.com',
    );
  });
});

describe('urlOf', () => {
  it('brackets IPv6 addresses', () => {
    expect(urlOf({ host: '::1', port: 1 })).toBe('http://[::1]:1');
  });

  it.each(['0.0.0.0', '::'])('names this machine for the wildcard %s', (host) => {
    expect(urlOf({ host, port: 1 })).toBe('http://localhost:1');
  });
});

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('knows %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '127.evil.com', 'localhost.example.com'])('warns of %s', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
