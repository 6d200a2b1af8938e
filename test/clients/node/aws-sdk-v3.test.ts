import { describeClient } from '../describe-client.ts';
import { nodeProgram } from '../toolchains.ts';

await describeClient({
  name: 'AWS SDK for JavaScript v3',
  protocol: 'AWS JSON 1.0',
  prepare: () => nodeProgram('aws-sdk-v3.mjs'),
  errorType: 'QueueDoesNotExist',
});
