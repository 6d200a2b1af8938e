import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realPlatform } from '../platform/real.ts';
import { newKeyring, rotated } from './keyring.ts';
import { createKeyring, readKeyring, replaceKeyring } from './keyring-file.ts';

const content = newKeyring(realPlatform());
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stanchion-keyring-'));
  path = join(directory, 'keyring.json');
});
afterEach(() => rm(directory, { recursive: true }));

describe('the file of a keyring', () => {
  it('is for its owner only, and comes back as it was', async () => {
    expect(await readKeyring(path)).toBeUndefined();
    await createKeyring(path, content);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readKeyring(path)).toEqual(content);
  });

  it.each([0o640, 0o604, 0o620])('is refused with mode %o', async (mode) => {
    await createKeyring(path, content);
    await chmod(path, mode);
    await expect(readKeyring(path)).rejects.toThrow('can be used by others');
  });

  it('is never made in the place of another, and leaves nothing beside it', async () => {
    await createKeyring(path, content);
    await expect(createKeyring(path, newKeyring(realPlatform()))).rejects.toThrow('cannot write');
    expect(await readKeyring(path)).toEqual(content);
    const newer = rotated(content, undefined, realPlatform())!;
    await replaceKeyring(path, newer);
    expect(await readKeyring(path)).toEqual(newer);
    expect(await readdir(directory)).toEqual(['keyring.json']);
  });

  it.each([
    ['text', 'no JSON', 'not JSON'],
    ['null', 'null', 'damaged'],
    ['a later format', JSON.stringify({ format: 2, ...content }), 'another version'],
    ['no versions', JSON.stringify({ format: 1, id: content.id, keys: [{ name: 'a', versions: [] }] }), 'damaged'],
  ])('is refused when it holds %s', async (_, text, problem) => {
    await writeFile(path, text, { mode: 0o600 });
    await expect(readKeyring(path)).rejects.toThrow(problem);
  });
});
