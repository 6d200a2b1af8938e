import { describeClient } from '../describe-client.ts';
import { only, RAW_BASE64, SCENARIOS } from '../scenarios.ts';
import { nodeProgram } from '../toolchains.ts';

await describeClient({
  name: 'squiss-ts',
  protocol: 'AWS JSON 1.0',
  prepare: () => nodeProgram('squiss-ts.mjs'),
  scenarios: [
    'create-queue',
    'send-receive-delete',
    'message-attributes',
    'batch',
    'long-poll',
    'visibility',
    'purge',
    'errors',
    'delete-queue',
  ],
  errorType: 'QueueDoesNotExist',
  sees: {
    'create-queue': (surface) => ({
      ...only(SCENARIOS['create-queue'](surface), 'url', 'found'),
      visibilityTimeout: 60,
    }),
    // It makes values of them.
    'message-attributes': () => ({ Text: 'Gr\u00fc\u00dfe', Count: 7, Raw: RAW_BASE64 }),
    // It splits what is more than a batch.
    batch: () => ({ sent: 12, notSent: [['InvalidMessageContents', true]], received: 12 }),
    'long-poll': () => only(SCENARIOS['long-poll'](), 'body', 'early'),
    visibility: () => only(SCENARIOS.visibility(), 'receiveCounts'),
    errors: (surface) => only(SCENARIOS.errors(surface), 'missingQueue'),
    'delete-queue': () => only(SCENARIOS['delete-queue'](), 'gone'),
  },
});
