import { randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sealer } from '../../auth/identity/sealing.ts';
import { StartError } from '../start-error.ts';
import { editIdentityFile, type IdentityFileDraft, readIdentityFile } from './identity-file-editor.ts';
import { loadIdentities } from './load-identities.ts';

const ACCOUNT = '111122223333';
const sealer = new Sealer(Buffer.alloc(32, 1), 'secret-access-key', randomBytes);

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stanchion-editor-'));
  path = join(folder, 'identity.yaml');
});
afterEach(() => rm(folder, { recursive: true }));

const addAlice = (draft: IdentityFileDraft) => draft.addUser(ACCOUNT, 'alice', [], randomBytes);
const load = () => loadIdentities(path, { sealer, env: {}, partition: 'aws' });

describe('editIdentityFile', () => {
  it('makes the file, for its owner only, and nothing beside it', async () => {
    await editIdentityFile(path, addAlice);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['identity.yaml']);
    expect((await load()).findUser(ACCOUNT, 'alice')?.id).toMatch(/^AIDA[A-Z2-7]{17}$/);
  });

  it('makes a file that people can edit: a line for each part', async () => {
    await editIdentityFile(path, addAlice);
    await editIdentityFile(path, (draft) => draft.addKey('alice', undefined, sealer, randomBytes));
    const indents = (await readFile(path, 'utf8')).match(/^ *(?=[\w"-])/gm)?.map((indent) => indent.length);
    expect(indents).toEqual([0, 0, 2, 4, 6, 8, 8, 10, 12, 14]);
  });

  it('takes the rights of others away', async () => {
    await writeFile(path, 'version: 1\n', { mode: 0o644 });
    await editIdentityFile(path, addAlice);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('leaves what is there as it is: comments, order and other people', async () => {
    const before = [
      '# who may call',
      'version: 1',
      'accounts:',
      `  ${ACCOUNT}:`,
      '    groups: { producers: }',
      '    users:',
      '      zoe: # she came first',
      '        tags: { team: blue }',
    ];
    await writeFile(path, before.join('\n'));
    await editIdentityFile(path, (draft) => draft.addUser(ACCOUNT, 'alice', ['producers'], randomBytes));
    const after = (await readFile(path, 'utf8')).split('\n');
    for (const part of ['# who may call', '# she came first', '        tags: { team: blue }']) {
      expect(after.join('\n')).toContain(part);
    }
    const users = (await load()).accounts.flatMap((account) => account.users);
    expect(users.map(({ name }) => name)).toEqual(['zoe', 'alice']);
    expect(users[1]?.groups.map(({ name }) => name)).toEqual(['producers']);
  });

  it('keeps JSON what is JSON', async () => {
    path = join(folder, 'identity.json');
    await writeFile(path, '{"version": 1}');
    await editIdentityFile(path, addAlice);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      version: 1,
      accounts: { [ACCOUNT]: { users: { alice: {} } } },
    });
  });

  it('leaves the file alone when the edit fails, or would make it wrong', async () => {
    await editIdentityFile(path, addAlice);
    const before = await readFile(path, 'utf8');
    const edits = [
      () => {
        throw new Error('no');
      },
      addAlice,
      (draft: IdentityFileDraft) => draft.addUser(ACCOUNT, 'bob', ['nobodies'], randomBytes),
      (draft: IdentityFileDraft) => draft.addUser('42', 'bob', [], randomBytes),
      (draft: IdentityFileDraft) => draft.addUser(ACCOUNT, 'a b', [], randomBytes),
      (draft: IdentityFileDraft) => draft.removeKey('AKIANOBODY'),
    ];
    for (const edit of edits) await expect(editIdentityFile<unknown>(path, edit)).rejects.toThrow();
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['identity.yaml']);
  });

  it('does not change what it cannot read', async () => {
    for (const [text, problem] of [
      ['version: 1\nusers: {}\n', 'users is not a setting'],
      ['version: 1\naccounts: {\n', 'cannot be parsed'],
    ] as const) {
      await writeFile(path, text);
      const error = await editIdentityFile(path, addAlice).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StartError);
      expect((error as StartError).message).toContain(problem);
      expect(await readFile(path, 'utf8')).toBe(text);
    }
  });

  it('keeps a second edit away until the first one is done', async () => {
    await writeFile(`${path}.new`, '');
    await expect(editIdentityFile(path, addAlice)).rejects.toThrow('another edit is under way, or was cut off');
    expect(await readdir(folder)).toEqual(['identity.yaml.new']);
  });

  it('loses none of two edits at once: one of them is refused', async () => {
    const add = (name: string) => editIdentityFile(path, (draft) => draft.addUser(ACCOUNT, name, [], randomBytes));
    const outcomes = await Promise.allSettled([add('alice'), add('bob')]);
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(done).toBeGreaterThan(0);
    expect((await load()).accounts[0]?.users).toHaveLength(done);
  });

  it('says so when it cannot write', async () => {
    const inside = join(folder, 'missing/identity.yaml');
    const error = await editIdentityFile(inside, addAlice).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).message).toContain(`cannot write the identity file ${inside}`);
  });

  it('follows a link', async () => {
    const target = join(folder, 'target.yaml');
    await writeFile(target, 'version: 1\n');
    await symlink(target, path);
    await editIdentityFile(path, addAlice);
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toContain('alice');
  });
});

describe('access keys', () => {
  it('are sealed in the file, and usable from there', async () => {
    await editIdentityFile(path, addAlice);
    const key = await editIdentityFile(path, (draft) => draft.addKey('alice', undefined, sealer, randomBytes));
    expect(key).toEqual({
      accessKeyId: expect.stringMatching(/^AKIA[A-Z2-7]{16}$/),
      secret: expect.stringMatching(/^[\w+/]{40}$/),
      account: ACCOUNT,
    });
    expect(await readFile(path, 'utf8')).not.toContain(key.secret);
    expect((await load()).findKey(key.accessKeyId)).toMatchObject({
      key: { secret: key.secret },
      holder: { user: { name: 'alice' } },
    });
  });

  it('go one by one, also those of the root', async () => {
    await writeFile(
      path,
      `version: 1\naccounts: {"${ACCOUNT}": {root: {accessKeys: [{id: AKIAROOT, secret: {env: X}}]}}}\n`,
    );
    await editIdentityFile(path, addAlice);
    const addKey = () => editIdentityFile(path, (draft) => draft.addKey('alice', ACCOUNT, sealer, randomBytes));
    const [first, second] = [await addKey(), await addKey()];
    for (const id of [first.accessKeyId, 'AKIAROOT']) await editIdentityFile(path, (draft) => draft.removeKey(id));
    const { users, root } = (await readIdentityFile(path)).accounts[ACCOUNT]!;
    expect(root.accessKeys).toEqual([]);
    expect(users.alice?.accessKeys.map(({ id }) => id)).toEqual([second.accessKeyId]);
  });

  it('need a user of that name, and the account where there are several', async () => {
    const addKey = (account?: string) =>
      editIdentityFile(path, (draft) => draft.addKey('alice', account, sealer, randomBytes));
    await expect(addKey()).rejects.toThrow('there is no user alice');
    await editIdentityFile(path, addAlice);
    await expect(addKey('999988887777')).rejects.toThrow('there is no user alice in account 999988887777');
    await editIdentityFile(path, (draft) => draft.addUser('999988887777', 'alice', [], randomBytes));
    await expect(addKey()).rejects.toThrow('there are users alice in 111122223333, 999988887777');
    expect((await addKey('999988887777')).account).toBe('999988887777');
  });
});
