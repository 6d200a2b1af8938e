import { describe, expect, it } from 'vitest';
import { checkNewQueueName } from './queue-name.ts';
import { errorOf } from './testing/context.ts';

const STANDARD =
  'InvalidParameterValueException: Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';
const FIFO =
  'InvalidParameterValueException: The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length';
const UNKNOWN = 'InvalidAttributeName: Unknown Attribute FifoQueue.';

describe('the name of a new queue', () => {
  it.each([
    ['a', undefined, false],
    ['A-z_09', undefined, false],
    ['x'.repeat(80), undefined, false],
    ['a.fifo', 'true', true],
    ['a.fifo', 'True', true],
    [`${'x'.repeat(75)}.fifo`, 'true', true],
  ])('may be %s with FifoQueue %s', (name, fifoQueue, fifo) => {
    expect(checkNewQueueName(name, fifoQueue)).toEqual({ name, fifo });
  });

  it.each<[string | undefined, string | undefined, string]>([
    [
      undefined,
      undefined,
      'InvalidParameterValueException: Value for parameter QueueName is invalid. Reason: Must specify a queue name.',
    ],
    ['', undefined, 'InvalidParameterValueException: Queue name cannot be empty'],
    ['a b', undefined, STANDARD],
    ['a/b', undefined, STANDARD],
    ['x'.repeat(81), undefined, STANDARD],
    ['é', undefined, STANDARD],
    ['a\n', undefined, STANDARD],
    ['a.fifo', undefined, STANDARD],
    ['a b', 'false', STANDARD],
    ['a', 'true', FIFO],
    ['a b.fifo', 'true', FIFO],
    ['.fifo', 'true', FIFO],
    [`${'x'.repeat(76)}.fifo`, 'true', FIFO],
    ['a', 'false', UNKNOWN],
    ['a.fifo', 'false', UNKNOWN],
    ['a.fifo', 'maybe', 'InvalidAttributeValue: Invalid value for the parameter FifoQueue.'],
  ])('may not be %s with FifoQueue %s', async (name, fifoQueue, error) => {
    expect(await errorOf(() => checkNewQueueName(name, fifoQueue))).toBe(error);
  });
});
