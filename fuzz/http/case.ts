import { Random } from '../../sim/random.ts';
import { anyCall, type CallToMake } from './call.ts';
import { type Wrapped, wrap } from './wrapping.ts';

/** One case: what is written to a connection, and how. The same seed and number make the same case on every machine. */
export interface Case {
  number: number;
  requests: readonly Wrapped[];
  actions: readonly CallToMake['action'][];
  delivery: Delivery;
  /** Choices that the delivery has to make. */
  random: Random;
}

/**
 * `cut`: the connection ends in the middle. `slow`: many pieces with a turn of the event loop between them. Several
 * requests are written before the first reply is read.
 */
export type Delivery = 'whole' | 'pieces' | 'slow' | 'cut';

export function caseOf(seed: number, number: number, queue: string): Case {
  const random = new Random(seed, `case ${number}`);
  const delivery = random.weighted({ whole: 70, pieces: 15, slow: 10, cut: 5 });
  const count = random.chance(120) ? random.between(2, 6) : 1;
  const calls = Array.from({ length: count }, () => anyCall(queue, random));
  return {
    number,
    requests: calls.map((call) => wrap(call, random)),
    actions: calls.map(({ action }) => action),
    delivery,
    random,
  };
}
