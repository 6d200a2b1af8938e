/** Too much of something in a queue policy (SQS: section 9.2). */
export interface Excess {
  what: 'bytes' | 'statements' | 'actions' | 'principals' | 'conditions';
  found: number;
  max: number;
}

/** A text that is no policy. The message says where and why: `Statement[0].Effect: must be Allow or Deny`. */
export class PolicyError extends Error {
  override name = 'PolicyError';
  /** Where in the document; empty when it is about the whole. */
  readonly path: string;
  /** Present when the form is right and a limit is not kept. */
  readonly excess?: Excess;

  constructor(path: string, problem: string, excess?: Excess) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.path = path;
    this.excess = excess;
  }
}
