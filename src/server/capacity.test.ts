import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { capacityOf } from './capacity.ts';

const MIB = 1024 * 1024;

it('is what the settings say', () => {
  expect(capacityOf({ maxConnections: 100, requestMemory: 100, replyMemory: 200 })).toEqual({
    connections: 100,
    requestBytes: 100 * MIB,
    replyBytes: 200 * MIB,
  });
});

it('depends on the heap where they say nothing', () => {
  const quarter = getHeapStatistics().heap_size_limit / 4;
  expect(capacityOf({ maxConnections: 100 })).toEqual({
    connections: 100,
    requestBytes: Math.min(192 * MIB, quarter),
    replyBytes: Math.min(256 * MIB, quarter),
  });
});

it('is shared by several processes, down to what one needs', () => {
  const settings = { maxConnections: 10, requestMemory: 300, replyMemory: 100 };
  expect(capacityOf(settings, 3)).toEqual({ connections: 4, requestBytes: 100 * MIB, replyBytes: 64 * MIB });
});
