import type { SqsInput } from './sqs-protocol.ts';

const NAME_DIGITS = 10;

export interface MessageShape {
  bodyBytes: number;
  /** 0: for a standard queue; else messages take so many message groups in turn. */
  groups: number;
  /** 0: can be received at once. */
  delaySeconds: number;
}

/** Makes messages for one queue, as parameters of SendMessage or of an entry of SendMessageBatch. */
export class Messages {
  /** Whether a message is like the next one. */
  readonly areAlike: boolean;
  readonly #shape: MessageShape;
  readonly #body: string;
  /** A queue remembers deduplication ids for minutes, also those of another load process. */
  readonly #run = Date.now().toString(36);
  #count = 0;

  constructor(shape: MessageShape) {
    this.#shape = shape;
    this.areAlike = shape.groups === 0;
    this.#body = 'x'.repeat(shape.bodyBytes);
  }

  next(delaySeconds = this.#shape.delaySeconds): SqsInput {
    if (this.areAlike) {
      return { MessageBody: this.#body, DelaySeconds: delaySeconds === 0 ? undefined : delaySeconds };
    }
    const count = this.#count++;
    return {
      MessageBody: this.#body,
      MessageGroupId: `group-${numbered(count % this.#shape.groups)}`,
      MessageDeduplicationId: `${this.#run}-${numbered(count)}`,
    };
  }
}

/** The same length for all, so that all requests weigh the same. */
function numbered(value: number): string {
  return String(value).padStart(NAME_DIGITS, '0');
}
