import fc from 'fast-check';
import { describe, it } from 'vitest';
import { checkJson, checkQuery, exchanges, jsonExchanges, queryExchanges } from '../../fuzz/codecs/round-trips.ts';
import { ACTIONS, type ActionName } from '../../src/protocol/model/shapes.ts';

// Both codecs against the code of the AWS SDKs (promise P5). A failure prints its seed and path.

const SEED = Number(process.env.FUZZ_SEED ?? 20_231_114);
/** For each protocol. */
const TIME_MS = Number(process.env.FUZZ_MS ?? 4_000) / 2;
const LIMITS = { seed: SEED, interruptAfterTimeLimit: TIME_MS, numRuns: 1_000_000, markInterruptAsFailure: false };

describe('what one side writes the other reads, any value of any shape', () => {
  it.each(Object.keys(ACTIONS) as ActionName[])('%s', async (action) => {
    const few = { seed: SEED, numRuns: 12 };
    await fc.assert(fc.asyncProperty(exchanges(action, 'anything'), checkJson), few);
    fc.assert(fc.property(exchanges(action, 'unicode'), checkQuery), few);
  });

  it('in AWS JSON, with the AWS SDKs v3 and v2', { timeout: TIME_MS + 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(jsonExchanges, checkJson), LIMITS);
  });

  it('in AWS Query, with the AWS SDK v2 and an XML parser', { timeout: TIME_MS + 60_000 }, () => {
    fc.assert(fc.property(queryExchanges, checkQuery), LIMITS);
  });
});
