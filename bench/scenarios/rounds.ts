import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LogResult, measureEcho, measureLog } from '../baselines/baselines.ts';
import type { ProtocolName } from '../load/sqs-protocol.ts';
import { batchSizeOf } from '../load/steps.ts';
import type { BenchOptions } from '../options.ts';
import { pinsOf } from '../processes/pins.ts';
import { slowFlushEnvironment } from '../slow-flush/slow-flush.ts';
import { type Result, Session } from './session.ts';

/** One combination of what the lists of the options say. */
export interface Case {
  protocol: ProtocolName;
  bodyBytes: number;
  connections: number;
}

/** Everything measured once, the baselines right before what is compared with them. */
export interface Round {
  echo: Result;
  /** By the number of messages that a connection sends at a time. */
  logs: Record<Batch, LogResult | undefined>;
  results: ComparedResult[];
}

export type Batch = 'one' | 'ten';

export interface ComparedResult extends Result {
  /** The log it is compared with. */
  batch: Batch;
  /** Another result of the round it is compared with, by name. */
  comparedTo?: string;
}

export function casesOf({ protocols, bodyBytes, connections }: BenchOptions): Case[] {
  return protocols.flatMap((protocol) =>
    bodyBytes.flatMap((bytes) => connections.map((count) => ({ protocol, bodyBytes: bytes, connections: count }))),
  );
}

export async function runRound(
  options: BenchOptions,
  each: Case,
  batches: readonly Batch[],
  work: (session: Session, echo: Result) => Promise<ComparedResult[]>,
): Promise<Round> {
  return withScratch(options, async (scratch) => {
    const { echo, logs } = await measureBaselines(options, each, batches, scratch);
    const session = await Session.open(options, each.protocol, scratch);
    try {
      return { echo, logs, results: await work(session, echo) };
    } finally {
      await session.close();
    }
  });
}

/** A directory on the disk to be measured, for the time of some work. */
export async function withScratch<T>({ data }: BenchOptions, work: (scratch: string) => Promise<T>): Promise<T> {
  mkdirSync(data, { recursive: true });
  const scratch = mkdtempSync(join(data, 'bench-'));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

export async function measureBaselines(
  options: BenchOptions,
  { bodyBytes, connections }: Case,
  batches: readonly Batch[],
  scratch: string,
): Promise<{ echo: Result; logs: Round['logs'] }> {
  const { seconds, warmupSeconds } = options;
  const pins = pinsOf(options.pin);
  const echo = await measureEcho({ connections, bodyBytes, seconds, warmupSeconds }, pins);
  const logs: Round['logs'] = { one: undefined, ten: undefined };
  const environment = slowFlushEnvironment(options.slowFlushMs);
  for (const batch of batches) {
    const recordsPerFlush = connections * (batch === 'ten' ? batchSizeOf(bodyBytes) : 1);
    const plan = { directory: scratch, recordBytes: bodyBytes, recordsPerFlush, seconds, environment };
    logs[batch] = await measureLog(plan, pins);
  }
  return { echo, logs };
}
