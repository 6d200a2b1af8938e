// The scenarios that are no more than a few measurements one after the other.

import { measureStep, prefillOf, type Throughput, withQueue } from './throughput.ts';

export const send: Throughput = {
  batches: ['one'],
  measure: (setting) =>
    withQueue(setting, setting.options.groups[0] ?? 0, async (queue) => [
      await measureStep(setting, queue, 'one', 'send', 'send'),
    ]),
};

export const receive: Throughput = {
  batches: ['one'],
  measure: (setting) =>
    withQueue(setting, setting.options.groups[0] ?? 0, async (queue) => {
      await setting.session.fill(queue, prefillOf(setting.options, setting.each));
      return [await measureStep(setting, queue, 'one', 'receive, delete', 'receiveAndDelete')];
    }),
};

export const lifecycle: Throughput = {
  batches: ['one'],
  measure: (setting) =>
    withQueue(setting, setting.options.groups[0] ?? 0, async (queue) => [
      await measureStep(setting, queue, 'one', 'send, receive, delete', 'lifecycle'),
    ]),
};

export const batch: Throughput = {
  batches: ['ten'],
  measure: (setting) =>
    withQueue(setting, setting.options.groups[0] ?? 0, async (queue) => {
      const sent = await measureStep(setting, queue, 'ten', 'send 10', 'sendTen');
      // Only when there is less than is needed: receiving can be faster than sending.
      const missing = prefillOf(setting.options, setting.each) * 3 - sent.messages;
      if (missing > 0) await setting.session.fill(queue, missing);
      const received = await measureStep(setting, queue, 'ten', 'receive 10, delete 10', 'receiveAndDeleteTen');
      // In a queue of its own: what was left over would have to go first.
      const together = await withQueue(setting, setting.options.groups[0] ?? 0, (empty) =>
        measureStep(setting, empty, 'ten', 'all three in tens', 'lifecycleTen'),
      );
      return [sent, received, together];
    }),
};
