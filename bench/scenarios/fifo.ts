import type { ComparedResult } from './rounds.ts';
import { measureStep, prefillOf, type Setting, type Throughput, withQueue } from './throughput.ts';

/** A standard queue, then FIFO queues with few and many message groups, on the same server. */
export const fifo: Throughput = {
  batches: ['one', 'ten'],
  async measure(setting) {
    const results = await measureQueue(setting, 0, 'standard');
    for (const groups of setting.options.groups) {
      const name = `${groups.toLocaleString('en')} ${groups === 1 ? 'group' : 'groups'}`;
      const measured = await measureQueue(setting, groups, name);
      results.push(...measured.map((each, index) => ({ ...each, comparedTo: results[index]?.name })));
    }
    return results;
  },
};

function measureQueue(setting: Setting, groups: number, kind: string): Promise<ComparedResult[]> {
  return withQueue(setting, groups, async (queue) => {
    const sent = await measureStep(setting, queue, 'one', `${kind}: send`, 'send');
    const missing = prefillOf(setting.options, setting.each) - sent.messages;
    if (missing > 0) await setting.session.fill(queue, missing);
    const received = await measureStep(setting, queue, 'one', `${kind}: receive, delete`, 'receiveAndDelete');
    const together = await withQueue(setting, groups, (empty) =>
      measureStep(setting, empty, 'ten', `${kind}: all three in tens`, 'lifecycleTen'),
    );
    return [sent, received, together];
  });
}
