import { describe, expect, it } from 'vitest';
import { Deduplication } from './deduplication.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;

const recordAt = (sentAt: number, seq = 1) => ({ messageId: `m${seq}`, seq, sentAt });

function newDeduplication({
  scope = 'queue' as 'queue' | 'messageGroup',
  since = 0,
  purgedBelow = 0,
  idsMax = 10,
} = {}) {
  return new Deduplication(scope, since, purgedBelow, idsMax);
}

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
    deduplication.add('d', recordAt(NOW));
    expect(deduplication.find('d', NOW + 5 * MINUTE - 1)).toEqual(recordAt(NOW));
    expect(deduplication.find('d', NOW + 5 * MINUTE)).toBeUndefined();
    expect(deduplication.find('other', NOW)).toBeUndefined();
  });

  it('counts from its latest use', () => {
    const deduplication = newDeduplication();
    deduplication.add('d', recordAt(NOW, 1));
    deduplication.add('d', recordAt(NOW + 5 * MINUTE, 2));
    expect(deduplication.find('d', NOW + 9 * MINUTE)?.seq).toBe(2);
  });

  it('begins anew after a purge', () => {
    const deduplication = newDeduplication();
    deduplication.add('d', recordAt(NOW, 1));
    deduplication.purge(2);
    expect(deduplication.find('d', NOW)).toBeUndefined();
    deduplication.learn('d', recordAt(NOW, 1));
    expect(deduplication.find('d', NOW)).toBeUndefined();
    deduplication.learn('d', recordAt(NOW, 2));
    expect(deduplication.find('d', NOW)?.seq).toBe(2);
  });
});

describe('what only the store knows', () => {
  it('is everything of the last five minutes before the queue was loaded', () => {
    const deduplication = newDeduplication({ since: NOW });
    expect(deduplication.mustAskStore('d', NOW)).toBe(true);
    expect(deduplication.mustAskStore('d', NOW + 5 * MINUTE - 1)).toBe(true);
    expect(deduplication.mustAskStore('d', NOW + 5 * MINUTE)).toBe(false);
  });

  it('is nothing in a new queue', () => {
    expect(newDeduplication().mustAskStore('d', NOW)).toBe(false);
  });

  it('need not be asked once it is learned', () => {
    const deduplication = newDeduplication({ since: NOW });
    deduplication.learn('d', recordAt(NOW - MINUTE));
    expect(deduplication.mustAskStore('d', NOW)).toBe(false);
    expect(deduplication.find('d', NOW)).toEqual(recordAt(NOW - MINUTE));
  });

  it('does not replace what memory knows better', () => {
    const deduplication = newDeduplication({ since: NOW });
    deduplication.add('d', recordAt(NOW + 1, 2));
    deduplication.learn('d', recordAt(NOW - MINUTE, 1));
    expect(deduplication.find('d', NOW + 1)?.seq).toBe(2);
  });

  it('is what memory has let go of when there were too many', () => {
    const deduplication = newDeduplication({ idsMax: 2 });
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) deduplication.add(id, recordAt(NOW + index, index));
    deduplication.trim(NOW + 4);
    expect(deduplication.mustAskStore('a', NOW + 4)).toBe(true);
    expect(deduplication.mustAskStore('b', NOW + 4)).toBe(true);
    expect(deduplication.mustAskStore('d', NOW + 4)).toBe(false);
    expect(deduplication.find('c', NOW + 4)?.seq).toBe(2);
    expect(deduplication.completeSince).toBe(NOW + 2);
    expect(deduplication.mustAskStore('a', NOW + 2 + 5 * MINUTE)).toBe(false);
  });

  it('does not grow by what has expired', () => {
    const deduplication = newDeduplication({ idsMax: 2 });
    deduplication.add('a', recordAt(NOW));
    deduplication.add('b', recordAt(NOW));
    deduplication.add('c', recordAt(NOW + 5 * MINUTE));
    deduplication.trim(NOW + 5 * MINUTE);
    expect(deduplication.completeSince).toBe(0);
    expect(deduplication.mustAskStore('a', NOW + 5 * MINUTE)).toBe(false);
  });

  it('stays in memory within a send, however many ids that has', () => {
    const deduplication = newDeduplication({ idsMax: 1 });
    deduplication.add('a', recordAt(NOW, 1));
    deduplication.add('b', recordAt(NOW, 2));
    deduplication.add('c', recordAt(NOW, 3));
    expect(deduplication.find('a', NOW)?.seq).toBe(1);
  });
});
