import { describeClient } from '../describe-client.ts';
import { only, RAW_BASE64, SCENARIOS } from '../scenarios.ts';
import { javaProgram } from '../toolchains.ts';

// This SDK checks the digests of bodies and of message attributes, on everything that it sends and receives.
await describeClient({
  name: 'AWS SDK for Java v2',
  protocol: 'AWS JSON 1.0',
  prepare: () => javaProgram('AwsSdk'),
  errorType: 'QueueDoesNotExistException',
});

await describeClient({
  name: 'Amazon SQS Java Messaging Library',
  protocol: 'AWS JSON 1.0',
  prepare: () => javaProgram('Jms'),
  scenarios: [
    'create-queue',
    'send-receive-delete',
    'message-attributes',
    'long-poll',
    'visibility',
    'fifo',
    'dead-letter',
    'errors',
  ],
  errorType: 'QueueDoesNotExistException',
  sees: {
    'create-queue': (surface) => ({ ...only(SCENARIOS['create-queue'](surface), 'url', 'found'), exists: true }),
    // Typed properties, and a body of bytes.
    'message-attributes': () => ({
      Text: 'Gr\u00fc\u00dfe',
      Count: 7,
      Flag: true,
      Share: 0.25,
      correlation: 'c-1',
      body: RAW_BASE64,
    }),
    'long-poll': () => only(SCENARIOS['long-poll'](), 'body', 'early'),
    visibility: () => ({ ...only(SCENARIOS.visibility(), 'receiveCounts'), redelivered: true, left: 0 }),
    fifo: () => only(SCENARIOS.fifo(), 'bodies', 'group'),
    'dead-letter': (surface) => only(SCENARIOS['dead-letter'](surface), 'dead'),
    errors: (surface) => ({ ...only(SCENARIOS.errors(surface), 'missingQueue'), exists: false }),
  },
  note: 'JMS 3.1, on the AWS SDK for Java v2',
});
