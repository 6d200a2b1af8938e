import { describe, expect, it } from 'vitest';
import { PartitionLog } from './partition-log.ts';

const NONE = new Set<number>();

describe('a log without a tail', () => {
  it('takes in what arrives as long as there is room', () => {
    const log = new PartitionLog(7, 0, false);
    expect(log.admits(3, true)).toBe(true);
    expect(log.loadedThrough).toBe(3);
    expect(log.admits(4, true)).toBe(true);
    expect(log.hasTail).toBe(false);
  });

  it('grows one when there is no room, and then leaves everything to the store', () => {
    const log = new PartitionLog(7, 0, false);
    expect(log.admits(3, false)).toBe(false);
    expect(log.hasTail).toBe(true);
    expect(log.admits(4, true)).toBe(false);
    expect(log.loadedThrough).toBe(0);
  });
});

describe('a page', () => {
  it('begins behind the window and moves its end', () => {
    const log = new PartitionLog(7, 4, true);
    expect(log.requestPage(10)).toEqual({ kind: 'log', partition: 7, afterSeq: 4, limit: 10 });
    expect(log.isLoading).toBe(true);
    expect(log.finishPage(14, false)).toEqual(NONE);
    expect(log.isLoading).toBe(false);
    expect(log.loadedThrough).toBe(14);
    expect(log.hasTail).toBe(true);
  });

  it('that reached the end leaves no tail', () => {
    const log = new PartitionLog(7, 0, true);
    log.requestPage(10);
    log.finishPage(undefined, true);
    expect(log.hasTail).toBe(false);
    expect(log.loadedThrough).toBe(0);
  });

  it('does not end the tail when messages arrived meanwhile', () => {
    const log = new PartitionLog(7, 0, true);
    log.requestPage(10);
    expect(log.admits(5, true)).toBe(false);
    log.finishPage(4, true);
    expect(log.hasTail).toBe(true);
  });

  it('lets in a message that it passed over while its commit was under way', () => {
    const log = new PartitionLog(7, 0, true);
    log.requestPage(10);
    log.finishPage(5, true);
    expect(log.admits(5, false)).toBe(true);
    expect(log.hasTail).toBe(false);
  });

  it('does not bring back what was removed since it was asked for', () => {
    const log = new PartitionLog(7, 4, true);
    log.noteRemoved(8);
    log.requestPage(10);
    log.noteRemoved(3);
    log.noteRemoved(9);
    expect(log.finishPage(14, false)).toEqual(new Set([9]));
    log.requestPage(10);
    expect(log.finishPage(24, false)).toEqual(NONE);
  });
});
