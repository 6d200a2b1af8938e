import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';

const ACCOUNT = '111122223333';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stanchion-identity-'));
});
afterEach(() => rm(folder, { recursive: true }));

const identity = (...args: string[]) => runCommand(folder, ['identity', ...args]);
const fileText = (name = 'identity.yaml') => readFile(join(folder, name), 'utf8');
const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;

/** The two values that `add-key` prints, as a credentials file has them. */
function credentialsIn(stdout: string) {
  const match = /^aws_access_key_id = (AKIA[A-Z2-7]{16})\naws_secret_access_key = ([\w+/]{40})\n$/.exec(stdout);
  if (match === null) throw new Error(`There are no credentials in: ${stdout}`);
  return { id: match[1] as string, secret: match[2] as string };
}

describe('stanchion identity', () => {
  it('adds users and keys, lists them, takes keys away', async () => {
    expect(await identity('add-user', 'alice', '--account', ACCOUNT)).toEqual({
      code: 0,
      stdout: `added user alice to account ${ACCOUNT}\n`,
      stderr: '',
    });
    const added = await identity('add-key', 'alice');
    expect(added).toMatchObject({
      code: 0,
      stderr: 'stanchion: this secret cannot be shown again; identity.key decrypts it\n',
    });
    const { id } = credentialsIn(added.stdout);
    expect((await identity('list')).stdout).toBe(`${ACCOUNT} root\n${ACCOUNT} user alice\n  ${id}\n`);

    expect(await identity('remove-key', id)).toEqual({ code: 0, stdout: `removed access key ${id}\n`, stderr: '' });
    expect((await identity('list')).stdout).toBe(`${ACCOUNT} root\n${ACCOUNT} user alice\n`);
    expect(await readdir(folder)).toEqual(['identity.key', 'identity.yaml']);
  });

  it('writes files that only their owner may read, and the secret to none of them', async () => {
    await identity('add-user', 'alice', '--account', ACCOUNT);
    const { secret } = credentialsIn((await identity('add-key', 'alice')).stdout);
    expect([await modeOf('identity.yaml'), await modeOf('identity.key')]).toEqual([0o600, 0o600]);
    expect(await fileText()).not.toContain(secret);
    expect(await fileText('identity.key')).not.toContain(secret);
    const { stdout, stderr } = await identity('list');
    expect(stdout + stderr).not.toContain(secret);
  });

  it('takes other files, and groups that are there', async () => {
    await writeFile(join(folder, 'who.json'), `{"version":1,"accounts":{"${ACCOUNT}":{"groups":{"a":{},"b":{}}}}}`);
    const files = ['--identity-file', 'who.json', '--key-file', 'secret.key'];
    await identity('add-user', 'bob', '--account', ACCOUNT, '--group', 'a', '--group', 'b', ...files);
    const { id } = credentialsIn((await identity('add-key', 'bob', ...files)).stdout);
    expect((await identity('list', ...files)).stdout).toBe(
      `${ACCOUNT} root\n${ACCOUNT} user bob (a, b)\n  ${id}\n${ACCOUNT} group a\n${ACCOUNT} group b\n`,
    );
    expect((await readdir(folder)).sort()).toEqual(['secret.key', 'who.json']);
  });

  it('shows keys that are not active, and those whose secret is elsewhere', async () => {
    const text = `version: 1\naccounts: {"${ACCOUNT}": {root: {accessKeys: [{id: AKIAROOT, secret: {env: S}, active: false}]}}}`;
    await writeFile(join(folder, 'identity.yaml'), text);
    expect((await identity('list')).stdout).toBe(`${ACCOUNT} root\n  AKIAROOT, not active, secret in S\n`);
  });

  it.each<[string, string[], string]>([
    ['a file that is not there', ['list'], 'cannot read the identity file ./identity.yaml: there is no such file'],
    ['a user that is not there', ['add-key', 'alice'], 'there is no user alice (./identity.yaml)'],
    ['an access key nobody has', ['remove-key', 'AKIAX'], 'nobody has the access key AKIAX (./identity.yaml)'],
    [
      'an account of other than 12 digits',
      ['add-user', 'alice', '--account', '42'],
      'account must be 12 digits, not "42" (--account)',
    ],
    [
      'a group that is not there',
      ['add-user', 'alice', '--account', ACCOUNT, '--group', 'admins'],
      `accounts.${ACCOUNT}.users.alice.groups names admins, which accounts.${ACCOUNT}.groups has not (./identity.yaml)`,
    ],
  ])('refuses %s in one line, and leaves no identity file', async (_, args, message) => {
    expect(await identity(...args)).toEqual({ code: 1, stdout: '', stderr: `stanchion: ${message}\n` });
    expect((await readdir(folder)).filter((name) => name !== 'identity.key')).toEqual([]);
  });

  it('does not use a key file that others may read', async () => {
    await identity('add-user', 'alice', '--account', ACCOUNT);
    await identity('add-key', 'alice');
    const before = await fileText();
    await chmod(join(folder, 'identity.key'), 0o644);
    const { code, stderr } = await identity('add-key', 'alice');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'stanchion: others may read or write the key file identity.key: take that right away (chmod 600)\n',
    });
    expect(await fileText()).toBe(before);
  });

  it('takes the account of the server, unless it is told another one', async () => {
    expect((await identity('add-user', 'alice')).stdout).toBe('added user alice to account 000000000000\n');
  });

  it('needs to be told whom', async () => {
    expect((await identity('add-key')).stderr).toContain("missing required argument 'user'");
  });
});
