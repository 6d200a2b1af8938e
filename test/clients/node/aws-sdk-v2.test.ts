import { describeClient } from '../describe-client.ts';
import { nodeProgram } from '../toolchains.ts';

await describeClient({
  name: 'AWS SDK for JavaScript v2',
  protocol: 'AWS JSON 1.0',
  prepare: () => nodeProgram('aws-sdk-v2.mjs'),
});
