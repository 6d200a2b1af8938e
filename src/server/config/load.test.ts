import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from './load.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stanchion-load-'));
  file = join(folder, 'stanchion.yaml');
  await writeFile(file, 'port: 3\nregion: eu-west-3\naccount: "333333333333"\nqueues: { orders: }\n');
});
afterAll(() => rm(folder, { recursive: true }));

describe('loadSettings', () => {
  it('takes a flag before a variable before the file before the default', async () => {
    const settings = await loadSettings({ config: file, port: '1' }, { STANCHION_PORT: '2', STANCHION_REGION: 'eu-2' });
    expect(settings).toMatchObject({
      port: 1,
      region: 'eu-2',
      account: '333333333333',
      store: 'lmdb',
      queues: { orders: {} },
    });
  });

  it('finds the file by its variable', async () => {
    expect((await loadSettings({}, { STANCHION_CONFIG: file })).port).toBe(3);
    await expect(loadSettings({ config: '/nowhere' }, { STANCHION_CONFIG: file })).rejects.toThrow('/nowhere');
  });

  it('says where a wrong value came from', async () => {
    await writeFile(join(folder, 'wrong.yaml'), 'port: x\n');
    const env = { STANCHION_PORT: 'y', STANCHION_CONFIG: join(folder, 'wrong.yaml') };
    await expect(loadSettings({ port: 'z' }, env)).rejects.toMatchObject({
      problems: [
        `port must be a whole number from 0 to 65535, not "x" (${join(folder, 'wrong.yaml')})`,
        'port must be a whole number from 0 to 65535, not "y" (STANCHION_PORT)',
        'port must be a whole number from 0 to 65535, not "z" (--port)',
      ],
    });
  });
});
