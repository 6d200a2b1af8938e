// The AWS SDK for JavaScript v2. Usage: aws-sdk-v2.mjs URL

import { CREDENTIALS, report, versionOf } from './report.mjs';
import { scenariosOf } from './scenarios.mjs';

// Silences its advice to move on to version 3, which it gives when it is loaded.
process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';
const { default: SQS } = await import('aws-sdk/clients/sqs.js');

const [, , endpoint] = process.argv;
const client = new SQS({ endpoint, region: 'us-east-1', ...CREDENTIALS });

await report(
  versionOf('aws-sdk'),
  scenariosOf({
    call: (action, input) => client[action[0].toLowerCase() + action.slice(1)](input).promise(),
    describe: (error) => [error.code, error.statusCode, error.message],
  }),
);
