/** What a message carries. The state machine passes it through and never keeps it: state is metadata only. */

export interface MessageAttribute {
  name: string;
  /** The full data type with its custom label, for example `Number.java.lang.Long`. */
  dataType: string;
  /** The text of String and Number attributes, or the bytes of Binary ones. */
  value: string | Uint8Array;
}

/** Everything about a message that is fixed when it is sent. */
export interface MessageContent {
  /** A UUID, constant for the life of the message. */
  messageId: string;
  body: string;
  /** Lower-case hexadecimal MD5 of the UTF-8 body. */
  bodyMd5: string;
  attributes: readonly MessageAttribute[];
  /** The AWS account or user the message came from (the SenderId attribute). */
  senderId: string;
  /** The X-Ray header (the AWSTraceHeader attribute), when there is one. */
  traceHeader?: string;
  groupId?: string;
  deduplicationId?: string;
  /** The queue that a redrive policy moved the message out of. */
  deadLetterSourceArn?: string;
}

/** A message as a producer hands it over. */
export interface NewMessage extends MessageContent {
  /** Milliseconds; overrides the queue's delay on a standard queue. FIFO queues only know their own delay. */
  delayMs?: number;
}
