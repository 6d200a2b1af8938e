// The load generator: a process of its own, told what to do by its parent and telling what it measured.

import { Load, type LoadPlan } from './load.ts';
import { SCENARIOS } from './scenarios.ts';

process.once('message', async (plan: LoadPlan) => {
  const load = await Load.open(plan, (event) => process.send?.(event));
  await SCENARIOS[plan.scenario]?.(load);
  load.close();
  process.disconnect();
});
