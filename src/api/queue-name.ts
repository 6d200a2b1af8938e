import { invalidParameter, SqsError } from '../protocol/model/errors.ts';
import { parseBoolean } from './values.ts';

/** The suffix `.fifo` included. */
export const QUEUE_NAME_LENGTH_MAX = 80;

const STANDARD_NAME = /^[A-Za-z0-9_-]{1,80}$/;
/** The suffix counts towards the 80 characters. */
const FIFO_NAME = /^[A-Za-z0-9_-]{1,75}\.fifo$/;

/** Whether the name of a queue could begin like this. The empty text is the beginning of every name. */
export function isQueueNamePrefix(text: string): boolean {
  return /^[A-Za-z0-9_.-]{0,80}$/.test(text);
}

/** Whether a queue could have this name. Anything else need not be looked up. */
export function isQueueName(text: string): boolean {
  return STANDARD_NAME.test(text) || FIFO_NAME.test(text);
}

/**
 * Checks the name of a queue that is to be created against its FifoQueue attribute and says whether it is to be a FIFO
 * queue (SQS: section 2.1).
 *
 * @throws SqsError InvalidParameterValue for the name, InvalidAttributeName or -Value for the attribute.
 */
export function checkNewQueueName(
  name: string | undefined,
  fifoQueue: string | undefined,
): { name: string; fifo: boolean } {
  if (name === undefined) {
    throw invalidParameter('Value for parameter QueueName is invalid. Reason: Must specify a queue name.');
  }
  if (name === '') throw invalidParameter('Queue name cannot be empty');

  const fifo = fifoQueue === undefined ? undefined : parseBoolean('FifoQueue', fifoQueue);
  if (fifo) {
    if (FIFO_NAME.test(name)) return { name, fifo: true };
    throw invalidParameter(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo ' +
        'suffix and be 1 to 80 in length',
    );
  }
  // Only FIFO queues know the attribute at all, and there is no FIFO queue that has it as false.
  if (fifo === false && isQueueName(name)) throw new SqsError('InvalidAttributeName', 'Unknown Attribute FifoQueue.');
  if (STANDARD_NAME.test(name)) return { name, fifo: false };
  throw invalidParameter('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
}
