import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SendHistory } from './send-history.ts';

const NOW = 1_000_000_000;
const SPAN = 900_000;

describe('SendHistory', () => {
  it('counts what came in after a time, right to a tenth of a second', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400)), fc.nat(SPAN), (gaps, age) => {
        const history = new SendHistory();
        const times: number[] = [];
        let now = NOW;
        for (const gap of gaps) {
          now += gap;
          times.push(now);
          history.add(now);
        }
        const since = now - age;
        const counted = history.countSince(since);
        expect(counted).toBeLessThanOrEqual(times.filter((at) => at > since).length);
        expect(counted).toBeGreaterThanOrEqual(times.filter((at) => at > since + 100).length);
      }),
    );
  });

  it('still counts the last 15 minutes after it has dropped what is older', () => {
    const history = new SendHistory();
    const last = NOW + 10 * SPAN;
    for (let at = NOW; at <= last; at += 1000) history.add(at);
    expect(history.countSince(last - SPAN)).toBe(900);
    expect(history.countSince(last)).toBe(0);
  });

  it('is empty after clear', () => {
    const history = new SendHistory();
    history.add(NOW);
    history.clear();
    expect(history.countSince(0)).toBe(0);
  });
});
