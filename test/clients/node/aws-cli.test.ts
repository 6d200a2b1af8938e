import { type ClientProgram, describeClient } from '../describe-client.ts';
import { run } from '../programs.ts';
import { RAW_BASE64, SCENARIOS } from '../scenarios.ts';
import { ALL_CLIENTS, nodeProgram } from '../toolchains.ts';

const { code, stdout: version } = await run('aws', ['--version']);

function prepare(): ClientProgram {
  if (code !== 0) return { unavailable: 'there is no aws on the PATH' };
  // A short life of a queue on the AWS CLI is in every run: see ../aws-cli.test.ts.
  if (!ALL_CLIENTS) return { unavailable: 'each of its 70 calls takes a second: `npm run test:clients` makes them' };
  return nodeProgram('aws-cli.mjs');
}

await describeClient({
  name: 'AWS CLI',
  protocol: 'AWS JSON 1.0',
  prepare,
  sees: {
    'message-attributes': () => ({
      ...(SCENARIOS['message-attributes']() as object),
      // Version 1 takes bytes in JSON as they are and prints them in base64; version 2 takes base64.
      Raw: ['Binary', version.includes('aws-cli/1.') ? Buffer.from(RAW_BASE64).toString('base64') : RAW_BASE64],
    }),
    // It prints no status.
    errors: (surface) =>
      Object.fromEntries(
        Object.entries(SCENARIOS.errors(surface) as Record<string, unknown[]>).map(([name, [errorCode, , text]]) => [
          name,
          [errorCode, null, text],
        ]),
      ),
  },
});
