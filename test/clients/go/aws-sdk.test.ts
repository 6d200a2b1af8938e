import { describeClient } from '../describe-client.ts';
import { goProgram } from '../toolchains.ts';

await describeClient({
  name: 'AWS SDK for Go v2',
  protocol: 'AWS JSON 1.0',
  prepare: goProgram,
  errorType: 'QueueDoesNotExist',
});
