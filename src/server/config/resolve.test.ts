import { describe, expect, it } from 'vitest';
import { ConfigError } from '../start-error.ts';
import { type Layer, resolveSettings } from './resolve.ts';

const layer = (name: string, values: Record<string, unknown>): Layer => ({ values, nameOf: () => name });

function problemsOf(values: Record<string, unknown>): readonly string[] {
  try {
    resolveSettings([layer('test', values)]);
  } catch (error) {
    return (error as ConfigError).problems;
  }
  throw new Error('expected a ConfigError');
}

describe('resolveSettings', () => {
  it('has a default for everything but the public URL, TLS and what depends on the machine', () => {
    expect(resolveSettings([])).toEqual({
      host: '127.0.0.1',
      port: 9324,
      tlsPort: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
      store: 'lmdb',
      data: './data',
      durability: 'fsync',
      encryption: 'on',
      keyring: undefined,
      kms: 'keyring',
      region: 'us-east-1',
      account: '000000000000',
      publicUrl: undefined,
      logLevel: 'info',
      maxConnections: 10_000,
      requestMemory: undefined,
      replyMemory: undefined,
      relaxedTimers: false,
      workers: 0,
      auth: 'off',
      insecure: false,
      identityFile: './identity.yaml',
      keyFile: undefined,
      endpointPolicy: undefined,
      audit: 'off',
      auditData: 'off',
      quotas: 'off',
      rateLimits: {},
      queues: {},
    });
  });

  it('lets the first layer that gives a value decide', () => {
    const settings = resolveSettings([
      layer('flags', { port: '1', relaxedTimers: false, region: undefined }),
      layer('environment', { port: '2', region: 'eu-west-1', relaxedTimers: 'true' }),
      layer('file', { port: 3, region: 'eu-west-2', account: '123456789012' }),
    ]);
    expect(settings).toMatchObject({ port: 1, region: 'eu-west-1', account: '123456789012', relaxedTimers: false });
  });

  it('reads numbers and booleans from texts', () => {
    expect(resolveSettings([layer('environment', { port: '0', relaxedTimers: '1' })])).toMatchObject({
      port: 0,
      relaxedTimers: true,
    });
    expect(resolveSettings([layer('environment', { relaxedTimers: 'FALSE' })]).relaxedTimers).toBe(false);
  });

  it('takes a number of workers, or leaves it to the machine', () => {
    expect(resolveSettings([layer('environment', { workers: '3' })]).workers).toBe(3);
    expect(resolveSettings([layer('environment', { workers: 'auto' })]).workers).toBe('auto');
  });

  it('drops the final slash of the public URL', () => {
    expect(resolveSettings([layer('file', { publicUrl: 'https://q.example.com/' })]).publicUrl).toBe(
      'https://q.example.com',
    );
  });

  it.each([
    [{ port: 'abc' }, 'port must be a whole number from 0 to 65535, not "abc" (test)'],
    [{ port: '65536' }, 'port must be a whole number from 0 to 65535, not "65536" (test)'],
    [{ port: -1 }, 'port must be a whole number from 0 to 65535, not -1 (test)'],
    [{ port: 'on' }, 'port must be a whole number from 0 to 65535, not "on" (test)'],
    [{ tlsPort: 'off' }, 'tlsPort must be a whole number from 0 to 65535, not "off" (test)'],
    [{ tlsCert: '' }, 'tlsCert must be the path of a file, not "" (test)'],
    [{ workers: 'many' }, 'workers must be a whole number from 0 to 64, or auto, not "many" (test)'],
    [{ workers: 65 }, 'workers must be a whole number from 0 to 64, or auto, not 65 (test)'],
    [{ port: 1.5 }, 'port must be a whole number from 0 to 65535, not 1.5 (test)'],
    [{ port: null }, 'port must be a whole number from 0 to 65535, not null (test)'],
    [{ host: 'a b' }, 'host must be a host name or an address, not "a b" (test)'],
    [{ host: '' }, 'host must be a host name or an address, not "" (test)'],
    [{ store: 'redis' }, 'store must be lmdb or memory, not "redis" (test)'],
    [{ durability: 'yes' }, 'durability must be fsync, os or none, not "yes" (test)'],
    [{ logLevel: 'loud' }, 'logLevel must be debug, info, warn, error or silent, not "loud" (test)'],
    [{ data: '' }, 'data must be the path of a directory, not "" (test)'],
    [{ region: 'US East' }, 'region must be the name of a region, such as us-east-1, not "US East" (test)'],
    [{ account: '123' }, 'account must be 12 digits, not "123" (test)'],
    [
      { account: 0 },
      'account must be 12 digits in quotes (without quotes it is a number, and loses its zeros), not 0 (test)',
    ],
    [{ relaxedTimers: 'maybe' }, 'relaxedTimers must be true or false, not "maybe" (test)'],
    [{ prot: 1 }, 'prot is not a setting; did you mean "port"? (test)'],
    [{ 'public-url': 'x' }, 'public-url is not a setting; did you mean "publicUrl"? (test)'],
    [{ queus: {} }, 'queus is not a setting; did you mean "queues"? (test)'],
    [{ zebra: 1 }, 'zebra is not a setting (test)'],
    [{ constructor: 1 }, 'constructor is not a setting (test)'],
  ])('refuses %j', (values, message) => {
    expect(problemsOf(values)).toEqual([message]);
  });

  it.each(['ftp://x', 'x', 'http://x/path', 'http://x?q', 'http://x#', 'http://', ''])(
    'refuses the public URL %j',
    (publicUrl) => {
      expect(problemsOf({ publicUrl })).toEqual([
        `publicUrl must be http:// or https://, a host and perhaps a port, such as https://queues.example.com, not ${JSON.stringify(publicUrl)} (test)`,
      ]);
    },
  );

  it('does not repeat the password in a URL', () => {
    expect(problemsOf({ publicUrl: 'http://me:secret@x' })[0]).not.toContain('secret');
  });

  it('shortens long values', () => {
    expect(problemsOf({ store: 'x'.repeat(500) })[0]!.length).toBeLessThan(150);
  });

  it('reports every problem of every layer, overridden or not', () => {
    const resolve = () => resolveSettings([layer('--port', { port: '1' }), layer('FILE', { port: 'x', stor: 'lmdb' })]);
    expect(resolve).toThrow(ConfigError);
    expect(resolve).toThrow(/^port must .* \(FILE\)\nstor is not a setting; did you mean "store"\? \(FILE\)$/);
  });
});

describe('declared queues', () => {
  it('turns values into the texts SQS wants', () => {
    const queues = {
      orders: {
        attributes: { DelaySeconds: 5, SqsManagedSseEnabled: true, Policy: { Version: '2012-10-17' } },
        tags: { team: 'billing', tier: 1 },
        redrive: { deadLetterQueue: 'dead', maxReceiveCount: 3 },
      },
      dead: null,
    };
    expect(resolveSettings([layer('file', { queues })]).queues).toEqual({
      orders: {
        attributes: { DelaySeconds: '5', SqsManagedSseEnabled: 'true', Policy: '{"Version":"2012-10-17"}' },
        tags: { team: 'billing', tier: '1' },
        redrive: { deadLetterQueue: 'dead', maxReceiveCount: 3 },
      },
      dead: {},
    });
  });

  it('accepts what it has resolved itself', () => {
    const once = resolveSettings([layer('file', { queues: { a: { attributes: { DelaySeconds: 5 } }, b: null } })]);
    expect(resolveSettings([layer('option', { ...once })])).toEqual(once);
  });

  it.each([
    [[], 'queues must be a map of queue names'],
    [{ a: 1 }, 'queues.a must be a map of attributes, tags and redrive'],
    [{ a: { atributes: {} } }, 'queues.a.atributes is not a setting; did you mean "attributes"?'],
    [{ a: { attributes: [] } }, 'queues.a.attributes must be a map of attributes'],
    [
      { a: { attributes: { DelaySeconds: [] } } },
      'queues.a.attributes.DelaySeconds must be a text, a number, true, false or, for a policy, an object',
    ],
    [{ a: { tags: { x: {} } } }, 'queues.a.tags.x must be a text, a number, true or false'],
    [{ a: { redrive: 'dead' } }, 'queues.a.redrive must have deadLetterQueue and maxReceiveCount'],
    [
      { a: { redrive: { deadLetterQueue: 'dead' } } },
      'queues.a.redrive.maxReceiveCount must be a whole number from 1 to 1000',
    ],
    [
      { a: { redrive: { deadLetterQueue: 'dead', maxReceiveCount: 1, maxReceives: 1 } } },
      'queues.a.redrive.maxReceives is not a setting',
    ],
    [
      { a: { attributes: { RedrivePolicy: {} }, redrive: { deadLetterQueue: 'dead', maxReceiveCount: 1 } } },
      'queues.a must not have both redrive and the attribute RedrivePolicy',
    ],
  ])('refuses %j', (queues, message) => {
    expect(problemsOf({ queues })).toEqual([`${message} (test)`]);
  });
});
