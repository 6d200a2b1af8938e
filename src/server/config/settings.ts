import { z } from 'zod';
import type { RateLimits } from '../../quotas/rate-limits.ts';
import type { Durability } from '../../storage/lmdb/lmdb-store.ts';
import type { QueueDeclarations } from './queue-declarations.ts';

/** Everything that can be set, each in one place: its default, its rule, and how `--help` and the docs describe it. */
export interface Settings {
  host: string;
  /** 0: any free port. */
  port: number | 'off';
  /** 0: any free port. Absent: 9325, if there is a certificate. */
  tlsPort?: number;
  /** PEM files. */
  tlsCert?: string;
  tlsKey?: string;
  store: 'lmdb' | 'memory';
  /** Directory of the lmdb store. */
  data: string;
  durability: Durability;
  encryption: 'on' | 'off';
  /** File of the keys. Absent: `keyring.json` in the data directory. */
  keyring?: string;
  kms: 'keyring' | 'aws';
  region: string;
  /** 12 digits. */
  account: string;
  /** Scheme and authority, no final slash. Absent: the Host of each request. */
  publicUrl?: string;
  logLevel: LogLevel;
  maxConnections: number;
  /** MiB. Absent: by the size of the heap. */
  requestMemory?: number;
  /** MiB. Absent: by the size of the heap. */
  replyMemory?: number;
  relaxedTimers: boolean;
  /** Processes that run HTTP and the API; 0: this one does. */
  workers: number | 'auto';
  /** Whether signatures are verified and policies enforced. */
  auth: 'on' | 'off';
  /** Serve other machines without access control. */
  insecure: boolean;
  /** Who may sign. */
  identityFile: string;
  /** Absent: beside the identity file. */
  keyFile?: string;
  /** A file with the policy of the listener. */
  endpointPolicy?: string;
  /** `off`, `on` (in the data directory), or a directory. */
  audit: string;
  auditData: 'on' | 'off';
  quotas: 'off' | 'aws';
  rateLimits: RateLimits;
  queues: QueueDeclarations;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A setting that is one value, and so can be given as a flag, as an environment variable and in the file. */
export type ScalarKey = Exclude<keyof Settings, 'queues' | 'rateLimits'>;

export interface SettingSpec {
  /** Decides about a typed value; its messages complete the sentence "<key> ...". */
  schema: z.ZodType;
  /** What the text of a flag or variable is turned into before the schema sees it. */
  kind: 'text' | 'number' | 'boolean';
  /** What `--help` calls the value; empty for a boolean. */
  placeholder: string;
  default: string | number | boolean | undefined;
  /** Sentence fragments, no final dot. */
  help: string;
}

const DURABILITY_TEXTS: Record<Durability, string> = {
  fsync: 'the disk has it, it survives a power failure',
  os: 'the operating system has it, it survives a crash of the server, but one of the machine may damage the store',
  none: 'nothing is promised, for data that can be thrown away',
};

const choice = (...values: [string, ...string[]]) =>
  z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` });

const path = z.string({ error: 'must be the path of a file' }).min(1, { error: 'must be the path of a file' });

const CONNECTIONS_RULE = 'must be a whole number from 1 to 1000000';
/** Room for one request of the largest size beside the small ones, at least. */
const MEMORY_RULE = 'must be a whole number of MiB from 32 to 65536';
const memory = z.int({ error: MEMORY_RULE }).min(32, { error: MEMORY_RULE }).max(65_536, { error: MEMORY_RULE });

const WORKERS_RULE = 'must be a whole number from 0 to 64, or auto';
const AUDIT_RULE = 'must be on, off or the path of a directory';
const PORT_RULE = 'must be a whole number from 0 to 65535';
const portNumber = z.int({ error: PORT_RULE }).min(0, { error: PORT_RULE }).max(65_535, { error: PORT_RULE });
const pemFile = z.string({ error: 'must be the path of a file' }).min(1, { error: 'must be the path of a file' });

export const SETTINGS: Record<ScalarKey, SettingSpec> = {
  host: {
    schema: z.string({ error: 'must be a host name or an address' }).regex(/^[A-Za-z0-9._:-]+$/, {
      error: 'must be a host name or an address',
    }),
    kind: 'text',
    placeholder: 'address',
    default: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 for every IPv4 interface',
  },
  port: {
    schema: z.union([portNumber, z.literal('off')], { error: PORT_RULE }),
    kind: 'number',
    placeholder: 'port|off',
    default: 9324,
    help: 'port to listen on; 0 for any free one; off for TLS only',
  },
  tlsPort: {
    schema: portNumber,
    kind: 'number',
    placeholder: 'port',
    default: undefined,
    help: 'port for TLS (HTTPS), if there is a certificate; 0 for any free one (default: 9325)',
  },
  tlsCert: {
    schema: pemFile,
    kind: 'text',
    placeholder: 'file',
    default: undefined,
    help: 'certificate for TLS, with those that vouch for it, in PEM; read again at SIGHUP',
  },
  tlsKey: {
    schema: pemFile,
    kind: 'text',
    placeholder: 'file',
    default: undefined,
    help: 'private key of the certificate, in PEM',
  },
  store: {
    schema: choice('lmdb', 'memory'),
    kind: 'text',
    placeholder: 'lmdb|memory',
    default: 'lmdb',
    help: 'where messages live: lmdb (on disk) or memory (gone when the server stops)',
  },
  data: {
    schema: z.string({ error: 'must be the path of a directory' }).min(1, { error: 'must be the path of a directory' }),
    kind: 'text',
    placeholder: 'directory',
    default: './data',
    help: 'directory of the lmdb store, made when missing',
  },
  durability: {
    schema: choice('fsync', 'os', 'none'),
    kind: 'text',
    placeholder: 'fsync|os|none',
    default: 'fsync',
    help: `what is true of a message once it is acknowledged: ${Object.entries(DURABILITY_TEXTS)
      .map(([level, text]) => `${level}: ${text}`)
      .join('; ')}`,
  },
  encryption: {
    schema: choice('on', 'off'),
    kind: 'text',
    placeholder: 'on|off',
    default: 'on',
    help: 'whether messages are encrypted on disk as the attributes of their queue say; off: never',
  },
  keyring: {
    schema: z.string({ error: 'must be the path of a file' }).min(1, { error: 'must be the path of a file' }),
    kind: 'text',
    placeholder: 'file',
    default: undefined,
    help: 'file with the keys that encrypt, made when missing (default: keyring.json in the data directory)',
  },
  kms: {
    schema: choice('keyring', 'aws'),
    kind: 'text',
    placeholder: 'keyring|aws',
    default: 'keyring',
    help: 'who keeps the keys that KmsMasterKeyId names: the keyring, or AWS KMS (needs the package @aws-sdk/client-kms)',
  },
  region: {
    schema: z
      .string({ error: 'must be the name of a region, such as us-east-1' })
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, { error: 'must be the name of a region, such as us-east-1' }),
    kind: 'text',
    placeholder: 'name',
    default: 'us-east-1',
    help: 'region of requests whose credentials name none',
  },
  account: {
    schema: z
      .string({
        error: ({ input }) =>
          typeof input === 'number'
            ? 'must be 12 digits in quotes (without quotes it is a number, and loses its zeros)'
            : 'must be 12 digits',
      })
      .regex(/^\d{12}$/, { error: 'must be 12 digits' }),
    kind: 'text',
    placeholder: 'digits',
    default: '000000000000',
    help: 'account of requests whose access key id is not itself 12 digits',
  },
  publicUrl: {
    schema: z
      .string({ error: 'must be a URL such as https://queues.example.com' })
      .transform((text) => text.replace(/\/$/, ''))
      .refine(isBaseUrl, {
        error: 'must be http:// or https://, a host and perhaps a port, such as https://queues.example.com',
      }),
    kind: 'text',
    placeholder: 'url',
    default: undefined,
    help: 'what queue URLs in replies start with (default: http:// and the Host of the request)',
  },
  logLevel: {
    schema: choice('debug', 'info', 'warn', 'error', 'silent'),
    kind: 'text',
    placeholder: 'level',
    default: 'info',
    help: 'least important lines to log: debug (each refused request too), info, warn, error or silent',
  },
  maxConnections: {
    schema: z
      .int({ error: CONNECTIONS_RULE })
      .min(1, { error: CONNECTIONS_RULE })
      .max(1_000_000, { error: CONNECTIONS_RULE }),
    kind: 'number',
    placeholder: 'count',
    default: 10_000,
    help: 'connections at a time; those beyond are told to try again (503)',
  },
  requestMemory: {
    schema: memory,
    kind: 'number',
    placeholder: 'MiB',
    default: undefined,
    help: 'memory for requests under way; those beyond wait, and are then told to try again (default: 192 or less, by the heap)',
  },
  replyMemory: {
    schema: memory,
    kind: 'number',
    placeholder: 'MiB',
    default: undefined,
    help: 'memory for replies with large messages; those beyond wait (default: 256 or less, by the heap)',
  },
  relaxedTimers: {
    schema: z.boolean({ error: 'must be true or false' }),
    kind: 'boolean',
    placeholder: '',
    default: false,
    help: 'for tests: a queue may be created again right after its deletion, and purged at any time (SQS: after 60 s)',
  },
  workers: {
    schema: z.union([z.int(WORKERS_RULE).min(0, WORKERS_RULE).max(64, WORKERS_RULE), z.literal('auto')], WORKERS_RULE),
    kind: 'number',
    placeholder: 'number|auto',
    default: 0,
    help: 'processes that take requests, on machines with several cores; 0: the one that keeps the messages does it all',
  },
  audit: {
    schema: z.string({ error: AUDIT_RULE }).min(1, { error: AUDIT_RULE }),
    kind: 'text',
    placeholder: 'on|off|dir',
    default: 'off',
    help: 'record who changed what on a queue: in this directory; on: in audit/ in the data directory',
  },
  auditData: {
    schema: choice('on', 'off'),
    kind: 'text',
    placeholder: 'on|off',
    default: 'off',
    help: 'record each call about messages, and each that only reads, as well',
  },
  quotas: {
    schema: choice('off', 'aws'),
    kind: 'text',
    placeholder: 'off|aws',
    default: 'off',
    help: 'aws: refuse calls on FIFO queues beyond the throughput quotas of AWS',
  },
  auth: {
    schema: choice('on', 'off'),
    kind: 'text',
    placeholder: 'on|off',
    default: 'off',
    help: 'on: requests must be signed by somebody in the identity file, and allowed by policies; off: any credentials do',
  },
  insecure: {
    schema: z.boolean({ error: 'must be true or false' }),
    kind: 'boolean',
    placeholder: '',
    default: false,
    help: 'serve other machines with --auth off: whoever reaches the port may do everything',
  },
  identityFile: {
    schema: path,
    kind: 'text',
    placeholder: 'file',
    default: './identity.yaml',
    help: 'with --auth on: users, roles, access keys and policies, see `stanchion identity`',
  },
  keyFile: {
    schema: path,
    kind: 'text',
    placeholder: 'file',
    default: undefined,
    help: 'with --auth on: the key that secrets and session tokens are encrypted with (default: beside the identity file)',
  },
  endpointPolicy: {
    schema: path,
    kind: 'text',
    placeholder: 'file',
    default: undefined,
    help: 'with --auth on: a policy that every request has to be allowed by as well, as that of a VPC endpoint',
  },
};

export const SCALAR_KEYS = Object.keys(SETTINGS) as ScalarKey[];

/** `publicUrl` -> `--public-url` */
export function flagOf(key: ScalarKey): string {
  return `--${kebab(key)}`;
}

/** `publicUrl` -> `STANCHION_PUBLIC_URL` */
export function variableOf(key: ScalarKey): string {
  return `STANCHION_${kebab(key).replaceAll('-', '_').toUpperCase()}`;
}

function kebab(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return url.pathname === '/' && url.username === '' && url.password === '' && !/[?#]/.test(text);
}
