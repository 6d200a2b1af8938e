import type { LoadPlan } from './load.ts';

const NAME_DIGITS = 10;

/** Makes the messages of a plan, as parameters of SendMessage or of an entry of SendMessageBatch. */
export class Messages {
  readonly isFifo: boolean;
  readonly #body: string;
  readonly #groups: number;
  #count = 0;

  constructor({ bodyBytes, groups }: LoadPlan) {
    this.isFifo = groups > 0;
    this.#groups = groups;
    this.#body = 'x'.repeat(bodyBytes);
  }

  next(): object {
    const { isFifo } = this;
    if (!isFifo) return { MessageBody: this.#body };
    const count = this.#count++;
    return {
      MessageBody: this.#body,
      MessageGroupId: `group-${numbered(count % this.#groups)}`,
      MessageDeduplicationId: `message-${numbered(count)}`,
    };
  }
}

/** The same length for all, so that all requests weigh the same. */
function numbered(value: number): string {
  return String(value).padStart(NAME_DIGITS, '0');
}
