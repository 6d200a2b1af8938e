// The AWS CLI, each call a process of its own. Usage: aws-cli.mjs URL

import { spawn } from 'node:child_process';
import { RAW, report } from './report.mjs';
import { scenariosOf } from './scenarios.mjs';

const [, , endpoint] = process.argv;
const version = /aws-cli\/(\S+)/.exec(await aws('--version'))[1];

await report(
  version,
  scenariosOf({
    async call(action, input) {
      const command = action.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
      const args = ['--endpoint-url', endpoint, '--output', 'json', 'sqs', command];
      const output = await aws(...args, '--cli-input-json', JSON.stringify(input));
      return output.trim() === '' ? undefined : JSON.parse(output);
    },
    describe(error) {
      const [, code, text] = /An error occurred \((.*)\) when calling the .* operation: (.*)/.exec(error.message);
      // It does not say which status it got.
      return [code, null, text];
    },
    raw: RAW.toString('base64'),
  }),
);

function aws(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn('aws', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        output[stream] += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output.stdout) : reject(new Error(output.stderr.trim()))));
  });
}
