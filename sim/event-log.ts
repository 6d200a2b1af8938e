import { createHash } from 'node:crypto';

/** Everything that happened, as lines. Kept as a hash, so that two runs can be compared; printed when asked for. */
export class EventLog {
  readonly #hash = createHash('sha256');
  readonly #print: ((line: string) => void) | undefined;
  lines = 0;

  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(line: string): void {
    this.lines++;
    this.#hash.update(line).update('\n');
    this.#print?.(line);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
