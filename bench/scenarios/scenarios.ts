import type { BenchOptions } from '../options.ts';
import type { Section } from '../report/section.ts';
import type { ScenarioName } from '../scenario-names.ts';
import { backlog } from './backlog.ts';
import { fifo } from './fifo.ts';
import { idle } from './idle.ts';
import { mixed } from './mixed.ts';
import { batch, lifecycle, receive, send } from './rates.ts';
import { restart } from './restart.ts';
import { runThroughput, type Throughput } from './throughput.ts';
import { wakeUp } from './wake-up.ts';

const throughput = (scenario: Throughput) => (options: BenchOptions) => runThroughput(scenario, options);

/** What can be measured, by name. */
export const SCENARIOS: Partial<Record<ScenarioName, (options: BenchOptions) => Promise<Section>>> = {
  send: throughput(send),
  receive: throughput(receive),
  lifecycle: throughput(lifecycle),
  batch: throughput(batch),
  fifo: throughput(fifo),
  wakeup: throughput(wakeUp),
  mixed: throughput(mixed),
  backlog,
  restart,
  idle,
};
