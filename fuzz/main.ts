/**
 * `npm run fuzz`: nonsense against a server, and values of every shape against the codecs.
 *
 *   --minutes N    for so long (default: half a minute)
 *   --seconds N    the same, finer
 *   --seed N       repeat this one's cases instead of those of a random seed
 *   --case N       that one only
 *   --codecs       the codecs only
 *   --path P       with --codecs and --seed: that value only
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { COUNTED_FROM_ZERO, numberArgument, TIME } from '../sim/number-argument.ts';
import { ServerProcess } from '../test/support/server-process.ts';
import { fuzzCodecs } from './codecs/run.ts';
import { type Failure, type Outcome, runCampaign, SERVER_FLAGS } from './http/campaign.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    case: { type: 'string' },
    codecs: { type: 'boolean' },
    path: { type: 'string' },
  },
});

/** Of the time, for the codecs. They need no server and get through their shapes quickly. */
const CODECS_SHARE = 0.2;
/** Of the bytes of a failing case. The whole of it is what replaying sends. */
const SHOWN_BYTES_MAX = 3_000;

const seed = numberArgument('seed', values.seed, COUNTED_FROM_ZERO) ?? Number(process.hrtime.bigint() % 1_000_000_000n);
const minutes = numberArgument('minutes', values.minutes, TIME);
const seconds = numberArgument('seconds', values.seconds, TIME) ?? (minutes === undefined ? 30 : 0);
const totalMs = (minutes ?? 0) * 60_000 + seconds * 1000;
const only = numberArgument('case', values.case, COUNTED_FROM_ZERO);
console.log(`seed ${seed}`);

let isWell = true;
if (only === undefined) isWell = await runCodecs(values.codecs ? totalMs : totalMs * CODECS_SHARE);
if (isWell && !values.codecs) isWell = await runHttp(totalMs * (1 - CODECS_SHARE));
process.exitCode = isWell ? 0 : 1;

async function runCodecs(forMs: number): Promise<boolean> {
  const { exchanges, failure } = await fuzzCodecs({ seed, path: values.path, forMs });
  console.log(
    `codecs: ${exchanges} exchanges of any values, each with the AWS SDKs, ${failure === undefined ? 'all well' : 'one failed'}`,
  );
  if (failure === undefined) return true;
  console.log(failure.text);
  console.log(`replay: npm run fuzz -- --codecs --seed ${seed} --path ${failure.path}`);
  return false;
}

async function runHttp(forMs: number): Promise<boolean> {
  const data = await mkdtemp(join(tmpdir(), 'stanchion-fuzz-'));
  // What is at stake here is not what a disk keeps.
  const server = new ServerProcess(data, {
    flags: ['--durability', 'os', '--relaxed-timers'],
    nodeFlags: SERVER_FLAGS,
  });
  try {
    const outcome = await runCampaign(server, { seed, only, untilMs: performance.now() + forMs });
    print(outcome);
    for (const failure of outcome.failures.slice(0, 3)) printFailure(failure);
    if (outcome.failures.length > 0) return false;
    const { code } = await server.stop();
    if (code !== 0) console.log(`FAILED: the server ended with ${code}: ${server.errorText}`);
    return code === 0;
  } finally {
    await server.kill();
    await rm(data, { recursive: true, force: true });
  }
}

function print(outcome: Outcome): void {
  const { cases, requests, replies, bystanderCalls, bystanderLongestMs, peakMemoryBytes } = outcome;
  const statuses = [...replies].sort().map(([status, count]) => `${status}: ${count}`);
  const memory = peakMemoryBytes === undefined ? 'unknown' : `${Math.round(peakMemoryBytes / 1024 / 1024)} MiB`;
  console.log(`http: ${requests} requests in ${cases} cases, replies ${statuses.join(', ')}`);
  console.log(
    `bystander: ${bystanderCalls} calls, the longest ${Math.round(bystanderLongestMs)} ms; peak memory of the server ${memory}`,
  );
}

function printFailure({ what, case: one }: Failure): void {
  console.log(`FAILED: ${what}`);
  if (one === undefined) {
    console.log(`replay: npm run fuzz -- --seed ${seed}`);
    return;
  }
  const bytes = Buffer.concat(one.requests.map((request) => request.bytes));
  const more = bytes.length > SHOWN_BYTES_MAX ? ` and ${bytes.length - SHOWN_BYTES_MAX} bytes more` : '';
  console.log(`case ${one.number}, ${one.actions.join(' ')}, delivery ${one.delivery}`);
  console.log(`bytes ${JSON.stringify(bytes.toString('latin1', 0, SHOWN_BYTES_MAX))}${more}`);
  console.log(`replay: npm run fuzz -- --seed ${seed} --case ${one.number}`);
}
