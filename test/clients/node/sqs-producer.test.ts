import { describeClient } from '../describe-client.ts';
import { only, SCENARIOS } from '../scenarios.ts';
import { nodeProgram } from '../toolchains.ts';

await describeClient({
  name: 'sqs-producer, sqs-consumer',
  protocol: 'AWS JSON 1.0',
  prepare: () => nodeProgram('sqs-producer.mjs'),
  scenarios: ['send-receive-delete', 'message-attributes', 'batch', 'long-poll', 'visibility', 'fifo', 'errors'],
  errorType: 'QueueDoesNotExist',
  sees: {
    'message-attributes': () => only(SCENARIOS['message-attributes'](), 'Text', 'Raw', 'sameDigest'),
    // The producer splits what is more than a batch, and throws an error that names what failed.
    batch: () => ({ sent: 25, notSent: ['b'], received: 26 }),
    'long-poll': () => only(SCENARIOS['long-poll'](), 'body', 'early'),
    visibility: () => only(SCENARIOS.visibility(), 'receiveCounts'),
    fifo: () => only(SCENARIOS.fifo(), 'bodies', 'duplicateIsFirst'),
    errors: (surface) => only(SCENARIOS.errors(surface), 'missingQueue'),
  },
  note: 'the consumer has [more tests](../test/clients/sqs-consumer.test.ts): failing handlers, dead letters, stopping',
});
