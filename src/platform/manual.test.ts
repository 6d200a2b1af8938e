import { describe, expect, it } from 'vitest';
import { manualClock } from './manual.ts';

const macrotask = () => new Promise((resolve) => setImmediate(resolve));

describe('manualClock', () => {
  it('stands still until it is advanced', async () => {
    const clock = manualClock({ startAt: 1000 });
    await macrotask();
    expect(clock.now()).toBe(1000);
    await clock.advance(250);
    expect(clock.now()).toBe(1250);
  });

  it('starts at the present by default', () => {
    const before = Date.now();
    expect(manualClock().now()).toBeGreaterThanOrEqual(before);
  });

  it('fires due timers in order of deadline, each at its own time', async () => {
    const clock = manualClock({ startAt: 0 });
    const fired: string[] = [];
    clock.at(30, () => fired.push(`c@${clock.now()}`));
    clock.at(10, () => fired.push(`a@${clock.now()}`));
    clock.at(10, () => fired.push(`b@${clock.now()}`));
    clock.at(31, () => fired.push('late'));
    await clock.advance(30);
    expect(fired).toEqual(['a@10', 'b@10', 'c@30']);
  });

  it('fires a timer that a timer armed, if that is due on the way too', async () => {
    const clock = manualClock({ startAt: 0 });
    const fired: number[] = [];
    const tick = () => {
      fired.push(clock.now());
      clock.at(clock.now() + 10, tick);
    };
    clock.at(10, tick);
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
  });

  it('lets promise chains and turns settle before time moves on', async () => {
    const clock = manualClock({ startAt: 0 });
    const seen: number[] = [];
    clock.at(10, async () => {
      await macrotask();
      await Promise.resolve();
      clock.afterTurn(() => clock.afterTurn(() => seen.push(clock.now())));
    });
    clock.at(20, () => seen.push(clock.now()));
    await clock.advance(100);
    expect(seen).toEqual([10, 20]);
  });

  it('does not fire a cancelled timer', async () => {
    const clock = manualClock({ startAt: 0 });
    const fired: string[] = [];
    const cancel = clock.at(10, () => fired.push('cancelled'));
    clock.at(10, () => fired.push('kept'));
    cancel();
    cancel();
    await clock.advance(10);
    expect(fired).toEqual(['kept']);
  });

  it('fires a timer in the past on a later turn, without being advanced', async () => {
    const clock = manualClock({ startAt: 1000 });
    let fired = false;
    clock.at(1000, () => {
      fired = true;
    });
    expect(fired).toBe(false);
    await macrotask();
    await macrotask();
    expect(fired).toBe(true);
    expect(clock.now()).toBe(1000);
  });

  it('serves calls of advance one after the other', async () => {
    const clock = manualClock({ startAt: 0 });
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(clock.now()).toBe(20);
  });

  it('hands the error of a timer to whoever advanced the clock, and goes on working', async () => {
    const clock = manualClock({ startAt: 0 });
    clock.at(5, () => {
      throw new Error('boom');
    });
    await expect(clock.advance(10)).rejects.toThrow('boom');
    await clock.advance(10);
    expect(clock.now()).toBe(15);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses to advance by %d', async (ms) => {
    await expect(manualClock().advance(ms)).rejects.toThrow(RangeError);
  });
});
