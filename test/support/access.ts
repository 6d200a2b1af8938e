import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Sealer } from '../../src/auth/identity/sealing.ts';
import type { SignedRequest } from '../../src/auth/sigv4/signature-verifier.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.ts';
import { realPlatform } from '../../src/platform/real.ts';
import type { ActionInputs, ActionName } from '../../src/protocol/model/shapes.ts';
import type { Logger } from '../../src/server/logger.ts';
import { encode } from './query-client.ts';
import { sign, type Unsigned } from './signer.ts';
import { toJson } from './valid-inputs.ts';

/** Servers with access control, and requests that are signed for them. */

export const OWNER = '111122223333';
export const STRANGER = '444455556666';
export const REGION = 'us-east-1';

export type Protocol = 'AWS JSON' | 'AWS Query';
export const PROTOCOLS: readonly Protocol[] = ['AWS JSON', 'AWS Query'];

export interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Every user, and `root`, has one access key: this one. */
export function keysOf(user: string, account = OWNER): Keys {
  return { accessKeyId: `AKIA${account.slice(0, 4)}${user.replaceAll('-', '_')}`, secretAccessKey: secretOf(user) };
}

function secretOf(user: string): string {
  return `the secret of ${user} that nobody sees`;
}

export interface IdentityOptions {
  policies?: Record<string, object>;
  permissionsBoundary?: object;
  tags?: Record<string, string>;
  groups?: string[];
}

/** By account: users by name, roles by name. */
export type People = Record<
  string,
  { users?: Record<string, IdentityOptions>; roles?: Record<string, IdentityOptions & { trustPolicy: object }> }
>;

export const policy = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements });
export const allow = (Action: string | string[], Resource: string | string[] = '*', more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
export const deny = (Action: string | string[], Resource: string | string[] = '*', more: object = {}) => ({
  ...allow(Action, Resource, more),
  Effect: 'Deny',
});

export const userArn = (name: string, account = OWNER) => `arn:aws:iam::${account}:user/${name}`;
export const roleArn = (name: string, account = OWNER) => `arn:aws:iam::${account}:role/${name}`;
export const queueArn = (name: string, account = OWNER) => `arn:aws:sqs:${REGION}:${account}:${name}`;

/** A directory with a key file and an identity file. */
export class IdentityFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(people: People): Promise<IdentityFolder> {
    const folder = new IdentityFolder(await mkdtemp(join(tmpdir(), 'stanchion-access-')));
    await writeFile(folder.keyFile, `${MASTER_KEY.toString('base64')}\n`, { mode: 0o600 });
    await folder.write(people);
    return folder;
  }

  get identityFile(): string {
    return join(this.path, 'identity.yaml');
  }

  get keyFile(): string {
    return join(this.path, 'identity.key');
  }

  async write(people: People): Promise<void> {
    await writeFile(this.identityFile, JSON.stringify({ version: 1, accounts: declarationsOf(people) }));
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true });
  }
}

const MASTER_KEY = Buffer.alloc(32, 7);

function declarationsOf(people: People): object {
  const sealer = new Sealer(MASTER_KEY, 'secret-access-key', realPlatform().randomBytes);
  const keysFor = (user: string, account: string) => {
    const { accessKeyId: id, secretAccessKey } = keysOf(user, account);
    return [{ id, secret: { sealed: sealer.seal(secretAccessKey, id) } }];
  };
  const accounts = Object.entries(people).map(([account, { users = {}, roles = {} }]) => [
    account,
    {
      root: { accessKeys: keysFor('root', account) },
      users: Object.fromEntries(
        Object.entries(users).map(([name, user]) => [name, { ...user, accessKeys: keysFor(name, account) }]),
      ),
      roles,
    },
  ]);
  return Object.fromEntries(accounts);
}

export interface AccessServer extends RunningServer {
  folder: IdentityFolder;
}

/** In this process, with messages in memory and the clock of the machine. */
export async function startAccessServer(
  people: People,
  options: Omit<ServerOptions, 'clock'> = {},
): Promise<AccessServer> {
  const folder = await IdentityFolder.make(people);
  const server = await startServer({
    store: 'memory',
    port: 0,
    auth: 'on',
    identityFile: folder.identityFile,
    relaxedTimers: true,
    ...options,
  });
  return {
    ...server,
    folder,
    async close() {
      await server.close();
      await folder.remove();
    },
  };
}

export function sdkFor(url: string, credentials: Keys, region = REGION): SQSClient {
  return new SQSClient({ endpoint: url, region, credentials, maxAttempts: 1 });
}

export interface Reply {
  status: number;
  /** Of an error: that of AWS Query. */
  code?: string;
  /** Of an error in AWS JSON. */
  type?: string;
  message?: string;
  text: string;
}

export function unsignedCall<Name extends ActionName>(
  url: string,
  protocol: Protocol,
  action: Name,
  input: ActionInputs[Name],
): Unsigned {
  const { host } = new URL(url);
  if (protocol === 'AWS JSON') {
    const headers = { host, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` };
    return { method: 'POST', path: '/', headers, body: toJson(input) };
  }
  const form = new URLSearchParams([['Action', action], ['Version', '2012-11-05'], ...encode(action, input)]);
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  return { method: 'POST', path: '/', headers, body: form.toString() };
}

/** Signs as the SDK does, and sends. */
export async function call<Name extends ActionName>(
  url: string,
  keys: Keys,
  protocol: Protocol,
  action: Name,
  input: ActionInputs[Name] = {},
): Promise<Reply> {
  return send(url, await sign(unsignedCall(url, protocol, action, input), { ...keys, at: Date.now() }));
}

/** Sends a request exactly as it is. */
export function send(url: string, { method, path, query, rawHeaders, body }: SignedRequest): Promise<Reply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const target = query === '' ? path : `${path}?${query}`;
    const headers = [...rawHeaders, 'content-length', String(body.length)];
    const request = httpRequest({ hostname, port, method, path: target, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(replyOf(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
    });
    request.on('error', reject);
    request.end(body);
  });
}

function replyOf(status: number, text: string): Reply {
  if (status === 200) return { status, text };
  if (text.startsWith('{')) {
    const { __type: type = '', message, Message = message } = JSON.parse(text) as Record<string, string>;
    return { status, text, type, message: Message };
  }
  const element = (name: string) => plainText(new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(text)?.[1]);
  return { status, text, code: element('Code'), message: element('Message') };
}

function plainText(text: string | undefined): string | undefined {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text
    ?.replaceAll(/&#x([0-9A-Fa-f]+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => characters[name] as string);
}

/** What a denial looks like. */
export function accessDenied(protocol: Protocol, message: string): Partial<Reply> {
  return protocol === 'AWS JSON'
    ? { status: 403, type: 'com.amazon.coral.service#AccessDeniedException', message }
    : { status: 403, code: 'AccessDenied', message };
}

/** A logger that keeps all it is told, as text. */
export function keepingLogger(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push(JSON.stringify({ level, message, ...fields }));
  return { lines, logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } };
}
