import { type Call, isAcknowledged } from '../calls.ts';
import type { Evidence } from './evidence.ts';

interface Known {
  state: 'exists' | 'gone' | 'either';
  /** Counts the calls that may have changed it. */
  version: number;
  /** Calls at the server that may change it. */
  open: number;
}

/** A queue is there from the acknowledgement of its creation until somebody asks for its deletion, and then it is not. */
export class Existence {
  readonly #evidence: Evidence;
  readonly #known = new Map<string, Known>();
  readonly #atArrival = new Map<number, { state: Known['state']; version: number }>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  onArrival(call: Call): void {
    const known = this.#of(call.queue);
    if (isChange(call)) {
      known.version++;
      known.open++;
      known.state = 'either';
    } else {
      this.#atArrival.set(call.id, { state: known.state, version: known.version });
    }
  }

  onEnd(call: Call): void {
    const known = this.#of(call.queue);
    if (isChange(call)) {
      known.open--;
      if (known.open > 0 || !isAcknowledged(call)) return;
      known.state = call.name === 'CreateQueue' ? 'exists' : 'gone';
      return;
    }
    const before = this.#atArrival.get(call.id);
    this.#atArrival.delete(call.id);
    if (before === undefined || before.version !== known.version || call.answeredAt === undefined) return;
    const isMissing = call.error?.shape === 'QueueDoesNotExist';
    if (isMissing && before.state === 'exists') {
      this.#evidence.violation('existence', `${call.name} ${call.id} says that ${call.queue} does not exist`);
    }
    if (call.error === undefined && before.state === 'gone') {
      this.#evidence.violation('existence', `${call.name} ${call.id} found ${call.queue}, which was deleted`);
    }
  }

  #of(queue: string): Known {
    let known = this.#known.get(queue);
    if (known === undefined) {
      known = { state: 'either', version: 0, open: 0 };
      this.#known.set(queue, known);
    }
    return known;
  }
}

function isChange({ name }: Call): boolean {
  return name === 'CreateQueue' || name === 'DeleteQueue';
}
