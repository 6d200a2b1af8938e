import { describe, expect, it } from 'vitest';
import { hashOfId } from '../collections/id-table.ts';
import { Deduplication, type DedupPageRequest } from './deduplication.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;

function newDeduplication({
  scope = 'queue' as 'queue' | 'messageGroup',
  readFrom = undefined as number | undefined,
  recentMax = 10,
} = {}) {
  return new Deduplication(scope, readFrom, recentMax);
}

const nothingIsPending = () => false;

function candidates(deduplication: Deduplication, id: string, now: number): number[] {
  const found: number[] = [];
  deduplication.candidates(id, now, found);
  return found;
}

const rowOf = (id: string, seq: number, sentAt: number) => ({ hash: hashOfId(id), seq, sentAt });

describe('what is a duplicate', () => {
  it('is told by the deduplication id alone, or by group and id', () => {
    const message = { groupId: 'g', deduplicationId: 'd' };
    expect(newDeduplication().idOf(message)).toBe('d');
    const byGroup = newDeduplication({ scope: 'messageGroup' });
    expect(byGroup.idOf(message)).not.toBe(byGroup.idOf({ groupId: 'h', deduplicationId: 'd' }));
  });

  it('does not mix up groups and ids that look alike when put together', () => {
    const byGroup = newDeduplication({ scope: 'messageGroup' });
    const ids = [
      { groupId: 'a', deduplicationId: 'bc' },
      { groupId: 'ab', deduplicationId: 'c' },
      { groupId: '1:a', deduplicationId: 'bc' },
      { groupId: '1', deduplicationId: ':abc' },
    ].map((message) => byGroup.idOf(message));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is forgotten after exactly five minutes', () => {
    const deduplication = newDeduplication();
    const record = deduplication.add('d', 'm1', 1, NOW);
    expect(record).toEqual({ id: 'd', hash: hashOfId('d'), messageId: 'm1', seq: 1, sentAt: NOW });
    expect(deduplication.find('d', NOW + 5 * MINUTE - 1)).toEqual(record);
    expect(deduplication.find('d', NOW + 5 * MINUTE)).toBeUndefined();
    expect(deduplication.find('other', NOW)).toBeUndefined();
  });

  it('counts from its latest use', () => {
    const deduplication = newDeduplication();
    deduplication.add('d', 'm1', 1, NOW);
    deduplication.add('d', 'm2', 2, NOW + 5 * MINUTE);
    expect(deduplication.find('d', NOW + 9 * MINUTE)?.seq).toBe(2);
  });

  it('begins anew after a purge', () => {
    const deduplication = newDeduplication({ readFrom: 1 });
    deduplication.add('d', 'm1', 1, NOW);
    deduplication.clear();
    expect(deduplication.find('d', NOW)).toBeUndefined();
    expect(candidates(deduplication, 'd', NOW)).toEqual([]);
    expect(deduplication.isUnread).toBe(false);
  });
});

describe('an id that has left memory', () => {
  function withThree() {
    const deduplication = newDeduplication({ recentMax: 1 });
    for (const [index, id] of ['a', 'b', 'c'].entries()) deduplication.add(id, `m${index}`, index + 1, NOW + index);
    return deduplication;
  }

  it('leaves the place of its record behind, until it has expired', () => {
    const deduplication = withThree();
    deduplication.trim(NOW + 2, nothingIsPending);
    expect(deduplication.find('a', NOW + 2)).toBeUndefined();
    expect(candidates(deduplication, 'a', NOW + 2)).toEqual([1]);
    expect(candidates(deduplication, 'c', NOW + 2)).toEqual([]);
    expect(candidates(deduplication, 'new', NOW + 2)).toEqual([]);
    expect(candidates(deduplication, 'a', NOW + 2 + 5 * MINUTE)).toEqual([]);
  });

  it('is known again once its record has been read', () => {
    const deduplication = withThree();
    deduplication.trim(NOW + 2, nothingIsPending);
    deduplication.learn({ id: 'a', hash: hashOfId('a'), messageId: 'm0', seq: 1, sentAt: NOW });
    expect(candidates(deduplication, 'a', NOW + 2)).toEqual([]);
    expect(deduplication.find('a', NOW + 2)?.messageId).toBe('m0');
  });

  it('does not leave as long as the record may not be in the store', () => {
    const deduplication = withThree();
    deduplication.trim(NOW + 2, (seq) => seq === 1);
    expect(deduplication.find('a', NOW + 2)?.seq).toBe(1);
    deduplication.trim(NOW + 2, (seq) => seq === 2);
    expect(deduplication.find('a', NOW + 2)).toBeUndefined();
    expect(deduplication.find('b', NOW + 2)?.seq).toBe(2);
  });

  it('stays to the end of a send, however many ids that has', () => {
    expect(withThree().find('a', NOW + 2)?.seq).toBe(1);
  });

  it('is not replaced by an older record', () => {
    const deduplication = newDeduplication();
    deduplication.add('d', 'm2', 2, NOW + 1);
    deduplication.learn({ id: 'd', hash: hashOfId('d'), messageId: 'm1', seq: 1, sentAt: NOW - MINUTE });
    expect(deduplication.find('d', NOW + 1)?.seq).toBe(2);
  });

  it('is found among very many', () => {
    const deduplication = newDeduplication();
    // More than fit into one generation, at one and the same time.
    for (let seq = 1; seq <= 310_000; seq++) deduplication.add(`id-${seq}`, 'm', seq, NOW);
    deduplication.trim(NOW, nothingIsPending);
    for (const seq of [1, 77_777, 299_999, 300_000, 300_001]) {
      expect(candidates(deduplication, `id-${seq}`, NOW)).toContain(seq);
    }
    let others = 0;
    for (let index = 0; index < 10_000; index++) others += candidates(deduplication, `other-${index}`, NOW).length;
    // About one in 14,000 has the hash of another one.
    expect(others).toBeLessThan(20);
  });
});

describe('records in the store', () => {
  it('are swept now and then while ids are in use, and once more behind the last', () => {
    const deduplication = newDeduplication();
    deduplication.add('a', 'm1', 1, NOW);
    expect(deduplication.sweepAt).toBe(NOW + 10 * MINUTE);
    deduplication.add('b', 'm2', 2, NOW + 6 * MINUTE);
    expect(deduplication.sweep(NOW + 10 * MINUTE - 1)).toBeUndefined();
    expect(deduplication.sweep(NOW + 10 * MINUTE)).toBe(2);
    expect(deduplication.sweepAt).toBe(NOW + 20 * MINUTE);
    expect(deduplication.sweep(NOW + 20 * MINUTE)).toBe(3);
    expect(deduplication.sweepAt).toBe(Number.POSITIVE_INFINITY);
  });

  it('are read in pages when a queue is opened, one after the other', () => {
    const deduplication = newDeduplication({ readFrom: 5 });
    expect(deduplication.isUnread).toBe(true);
    const first = { kind: 'dedup', afterSeq: 4, since: NOW - 5 * MINUTE, isFirst: true, limit: 2 };
    const page = deduplication.requestPage(NOW, 2) as DedupPageRequest;
    expect(page).toEqual(first);
    expect(deduplication.requestPage(NOW, 2)).toBeUndefined();
    expect(deduplication.finishPage(page, [rowOf('a', 7, NOW - 1), rowOf('b', 9, NOW)], false)).toBe(true);
    expect(deduplication.isUnread).toBe(true);
    const last = deduplication.requestPage(NOW, 2) as DedupPageRequest;
    expect(last).toEqual({ ...first, afterSeq: 9, isFirst: false });
    expect(deduplication.finishPage(last, [], true)).toBe(true);
    expect(deduplication.isUnread).toBe(false);
    expect(deduplication.requestPage(NOW, 2)).toBeUndefined();
    expect(candidates(deduplication, 'a', NOW)).toEqual([7]);
    expect(candidates(deduplication, 'b', NOW)).toEqual([9]);
  });

  it('are not wanted any more when a purge comes while they are read', () => {
    const deduplication = newDeduplication({ readFrom: 1 });
    const page = deduplication.requestPage(NOW, 2) as DedupPageRequest;
    deduplication.clear();
    expect(deduplication.finishPage(page, [rowOf('a', 7, NOW)], false)).toBe(false);
    expect(candidates(deduplication, 'a', NOW)).toEqual([]);
    expect(deduplication.isUnread).toBe(false);
  });

  it('need not be read for a new queue', () => {
    expect(newDeduplication().isUnread).toBe(false);
    expect(newDeduplication().requestPage(NOW, 2)).toBeUndefined();
  });
});
