// The AWS SDK for JavaScript v3. Usage: aws-sdk-v3.mjs URL

import { SQS } from '@aws-sdk/client-sqs';
import { CREDENTIALS, report, versionOf } from './report.mjs';
import { scenariosOf } from './scenarios.mjs';

const [, , endpoint] = process.argv;
const client = new SQS({ endpoint, region: 'us-east-1', credentials: CREDENTIALS });

await report(
  versionOf('@aws-sdk/client-sqs'),
  scenariosOf({
    call: (action, input) => client[action[0].toLowerCase() + action.slice(1)](input),
    describe: (error) => [error.Code, error.$metadata.httpStatusCode, error.message],
    errorType: (error) => error.constructor.name,
  }),
);
client.destroy();
