import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ManualClock, manualClock } from '../platform/manual.ts';
import { Agenda, type AgendaItem, oneShot } from './agenda.ts';

let clock: ManualClock;
let agenda: Agenda;
let ran: string[];

beforeEach(() => {
  clock = manualClock({ startAt: 0 });
  agenda = new Agenda(clock);
  ran = [];
});

function note(name: string): AgendaItem {
  return oneShot((now) => ran.push(`${name}@${now}`));
}

describe('an item', () => {
  it('runs once, at its time', async () => {
    agenda.set(note('a'), 10);
    await clock.advance(9);
    expect(ran).toEqual([]);
    await clock.advance(100);
    expect(ran).toEqual(['a@10']);
  });

  it('runs in the order of time, whatever the order of setting', async () => {
    for (const at of [30, 10, 20]) agenda.set(note(`${at}`), at);
    await clock.advance(100);
    expect(ran).toEqual(['10@10', '20@20', '30@30']);
  });

  it('runs at once when its time is in the past, but not inside the call', async () => {
    await clock.advance(50);
    agenda.set(note('late'), 10);
    expect(ran).toEqual([]);
    await clock.advance(0);
    expect(ran).toEqual(['late@50']);
  });

  it('can be moved to a later and to an earlier time', async () => {
    const [a, b] = [note('a'), note('b')];
    agenda.set(a, 10);
    agenda.set(b, 40);
    agenda.set(a, 30);
    agenda.set(b, 20);
    await clock.advance(100);
    expect(ran).toEqual(['b@20', 'a@30']);
  });

  it('does not run when it was cancelled, or set to never', async () => {
    const [a, b] = [note('a'), note('b')];
    agenda.set(a, 10);
    agenda.set(b, 10);
    agenda.cancel(a);
    agenda.set(b, Number.POSITIVE_INFINITY);
    agenda.cancel(b);
    await clock.advance(100);
    expect(ran).toEqual([]);
  });

  it('does not run when one that is due with it has cancelled or moved it', async () => {
    const cancelled = note('cancelled');
    const moved = note('moved');
    const first = oneShot(() => {
      agenda.cancel(cancelled);
      agenda.set(moved, 20);
    });
    agenda.set(first, 10);
    agenda.set(cancelled, 10);
    agenda.set(moved, 10);
    await clock.advance(15);
    expect(ran).toEqual([]);
    await clock.advance(100);
    expect(ran).toEqual(['moved@20']);
  });

  it('can set itself again, and does not keep the others from their turn', async () => {
    let left = 3;
    const again: AgendaItem = oneShot((now) => {
      ran.push(`again@${now}`);
      if (--left > 0) agenda.set(again, now);
    });
    agenda.set(again, 10);
    agenda.set(note('other'), 10);
    await clock.advance(10);
    expect(ran).toEqual(['again@10', 'other@10', 'again@10', 'again@10']);
  });

  it('can be set again after it has been cancelled', async () => {
    const a = note('a');
    agenda.set(a, 10);
    agenda.cancel(a);
    agenda.set(a, 10);
    await clock.advance(10);
    expect(ran).toEqual(['a@10']);
  });
});

describe('the timer', () => {
  it('is one, and armed anew only for something earlier', () => {
    const at = vi.spyOn(clock, 'at');
    for (const time of [50, 60, 70, 40, 45]) agenda.set(note(`${time}`), time);
    expect(at.mock.calls.map(([time]) => time)).toEqual([50, 40]);
  });

  it('is gone after close, and nothing runs any more', async () => {
    agenda.set(note('a'), 10);
    agenda.close();
    agenda.set(note('b'), 20);
    await clock.advance(100);
    expect(ran).toEqual([]);
  });
});
