import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { runCampaign, SERVER_FLAGS } from '../../fuzz/http/campaign.ts';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';

// A short run of `npm run fuzz` (promise P8), always of the same cases unless FUZZ_SEED says otherwise.

const SEED = Number(process.env.FUZZ_SEED ?? 20_231_114);
const TIME_MS = Number(process.env.FUZZ_MS ?? 10_000);

beforeAll(buildServer);
afterEach(killServers);

it('nonsense gets clear errors and costs nobody else anything', { timeout: TIME_MS + 60_000 }, async () => {
  const data = await mkdtemp(join(tmpdir(), 'stanchion-fuzz-'));
  const server = new ServerProcess(data, {
    flags: ['--durability', 'os', '--relaxed-timers'],
    nodeFlags: SERVER_FLAGS,
  });
  const outcome = await runCampaign(server, { seed: SEED, untilMs: performance.now() + TIME_MS });
  const faults = outcome.failures.map(
    ({ what, case: one }) =>
      `${what} (npm run fuzz -- --seed ${SEED}${one === undefined ? '' : ` --case ${one.number}`})`,
  );
  expect(faults).toEqual([]);
  expect(outcome.bystanderCalls).toBeGreaterThan(0);
  expect((await server.stop()).code).toBe(0);
  await rm(data, { recursive: true });
});
