import { type Throughput, withQueue } from './throughput.ts';

/**
 * Half of the connections send, the others receive and delete, and the queue stays as deep as it was: producers are
 * held back to the pace of the consumers.
 */
export const mixed: Throughput = {
  batches: ['one'],
  measure: (setting) =>
    withQueue(setting, setting.options.groups[0] ?? 0, async (queue) => {
      const { options, each, session } = setting;
      const { seconds, warmupSeconds, steadyDepth } = options;
      await session.fill(queue, steadyDepth);
      const half = Math.max(1, Math.floor(each.connections / 2));
      const roles = [
        { step: 'send', connections: half },
        { step: 'receiveAndDelete', connections: half },
      ] as const;
      const name = `sent and received at depth ${steadyDepth.toLocaleString('en')}`;
      const result = await session.measure({ name, queue, roles, seconds, warmupSeconds, steadyDepth });
      return [{ ...result, batch: 'one' }];
    }),
};
