import fc from 'fast-check';
import { checkJson, checkQuery, jsonExchanges, queryExchanges } from './round-trips.ts';

export interface CodecsOutcome {
  exchanges: number;
  failure?: { text: string; path: string };
}

/** Exchanges of both protocols, half of the time each, or the one that a path of fast-check leads to. */
export async function fuzzCodecs(options: { seed: number; path?: string; forMs: number }): Promise<CodecsOutcome> {
  const [protocol, path] = options.path?.split('/') ?? [];
  let exchanges = 0;
  for (const name of ['json', 'query']) {
    if (protocol !== undefined && protocol !== name) continue;
    const limits = {
      seed: options.seed,
      path,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: options.forMs / 2,
      markInterruptAsFailure: false,
    };
    const details =
      name === 'json'
        ? await fc.check(fc.asyncProperty(jsonExchanges, checkJson), limits)
        : fc.check(fc.property(queryExchanges, checkQuery), limits);
    exchanges += details.numRuns;
    if (details.failed) {
      const text = fc.defaultReportMessage(details as fc.RunDetails<unknown>) ?? '';
      return { exchanges, failure: { text, path: `${name}/${details.counterexamplePath}` } };
    }
  }
  return { exchanges };
}
