import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { Volume } from './volume.ts';

/** Takes from root what lets it write and read everywhere. Others need nothing of the kind. */
const AS_ORDINARY_USER =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : [];
const canBeOrdinary = spawnSync([...AS_ORDINARY_USER, 'true'][0] as string, [...AS_ORDINARY_USER, 'true'].slice(1));
if (canBeOrdinary.status !== 0) console.log('Skipped: root cannot give up its rights here (setpriv).');

const probe = Volume.create(16);
if (typeof probe === 'string') console.log(`Skipped: no file system can be mounted here (${probe}).`);
else probe.remove();

let data: string;

beforeAll(buildServer);
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'stanchion-unusable-'));
});
afterEach(async () => {
  await killServers();
  chmodSync(data, 0o700);
  rmSync(data, { recursive: true });
});

async function isRefused(server: ServerProcess, reason: string): Promise<void> {
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.errorText).toContain(reason);
  expect(server.errorText.trim().split('\n')).toHaveLength(1);
}

it.skipIf(canBeOrdinary.status !== 0)('a directory that may not be written to is refused', async () => {
  chmodSync(data, 0o500);
  const server = new ServerProcess(data, { wrapper: AS_ORDINARY_USER });
  await isRefused(server, `cannot use the data directory ${data}: permission denied`);
});

it.skipIf(canBeOrdinary.status !== 0)('a data file that may not be read is refused', async () => {
  const first = new ServerProcess(data);
  await first.url;
  await first.stop();
  chmodSync(join(data, 'stanchion.mdb'), 0);
  const server = new ServerProcess(data, { wrapper: AS_ORDINARY_USER });
  await isRefused(server, `cannot open the store in ${data}: permission denied`);
});

it.skipIf(typeof probe === 'string')('a read-only file system is refused', async () => {
  const volume = Volume.create(16) as Volume;
  try {
    volume.makeReadOnly();
    const server = new ServerProcess(volume.path);
    await isRefused(server, `cannot use the data directory ${volume.path}: the file system is read-only`);
  } finally {
    volume.remove();
  }
});
