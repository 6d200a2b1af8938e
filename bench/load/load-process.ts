// The load generator: a process of its own, told what to do by its parent.

import { LoadAgent } from './load-agent.ts';
import type { LoadMessage, LoadRequest } from './plan.ts';

const tell = (message: LoadMessage) => void process.send?.(message);
const agent = new LoadAgent(tell);

process.on('message', async ({ id, method, args }: LoadRequest) => {
  try {
    const work = agent[method as keyof LoadAgent] as (...args: unknown[]) => unknown;
    tell({ kind: 'result', id, value: await work.apply(agent, args) });
  } catch (error) {
    tell({ kind: 'result', id, value: undefined, error: (error as Error).message });
  }
});
process.once('disconnect', () => process.exit());
