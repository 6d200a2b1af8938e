import { describeClient } from '../describe-client.ts';
import { virtualenvProgram } from '../toolchains.ts';

// boto3 is one thin layer over botocore, which the AWS CLI and most of Python's clients use too. Its SQS spoke AWS Query
// until botocore 1.34.90, in versions that are still in use.

await describeClient({
  name: 'boto3',
  protocol: 'AWS JSON 1.0',
  prepare: () => virtualenvProgram('boto3_scenarios.py', 'requirements-boto3.txt'),
  errorType: 'QueueDoesNotExist',
});

await describeClient({
  name: 'boto3 of the AWS Query generation',
  protocol: 'AWS Query',
  prepare: () => virtualenvProgram('boto3_scenarios.py', 'requirements-boto3-query.txt'),
  errorType: 'QueueDoesNotExist',
  note: 'with botocore 1.29.165',
});
