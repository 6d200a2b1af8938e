import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../start-error.ts';
import { masterKeyFrom } from './master-key-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stanchion-key-'));
  path = join(folder, 'identity.key');
});
afterEach(() => rm(folder, { recursive: true }));

describe('masterKeyFrom', () => {
  it('makes a file that only its owner may read, and reads it from then on', async () => {
    const key = await masterKeyFrom(path, randomBytes);
    expect(key).toHaveLength(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await masterKeyFrom(path, randomBytes)).toEqual(key);
  });

  it('gives all who start at once the same key', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => masterKeyFrom(path, randomBytes)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['identity.key']);
  });

  it.each([0o640, 0o604, 0o620, 0o666])('refuses a file with mode %o', async (mode) => {
    await masterKeyFrom(path, randomBytes);
    await chmod(path, mode);
    await expect(masterKeyFrom(path, randomBytes)).rejects.toThrow('others may read or write the key file');
  });

  it.each(['', 'short', 'AAAA', Buffer.alloc(33).toString('base64'), `${Buffer.alloc(32).toString('base64')}!`])(
    'refuses a file with "%s", and leaves it as it is',
    async (text) => {
      await writeFile(path, text, { mode: 0o600 });
      await expect(masterKeyFrom(path, randomBytes)).rejects.toThrow('must hold 32 bytes in base64');
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  it('says which file it cannot make', async () => {
    const error = await masterKeyFrom(join(folder, 'no/folder/key'), randomBytes).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).message).toContain('no/folder/key');
  });
});
