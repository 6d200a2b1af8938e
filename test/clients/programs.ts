import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

/** What a client program needs to talk to the server and to nobody else: no profile, no files of the machine's user. */
export function clientEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SYSTEMROOT } = process.env;
  return {
    PATH,
    SYSTEMROOT,
    HOME: tmpdir(),
    AWS_ACCESS_KEY_ID: 'any',
    AWS_SECRET_ACCESS_KEY: 'any',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_CONFIG_FILE: 'none',
    AWS_SHARED_CREDENTIALS_FILE: 'none',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    PYTHONWARNINGS: 'ignore',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

export interface RunOptions {
  /** What it reads. */
  input?: string;
  /** That of a client when left out. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** A program that takes longer is killed. */
  timeoutMs?: number;
}

export interface Finished {
  /** `undefined` when there is no such program. */
  code: number | undefined;
  stdout: string;
  stderr: string;
}

export function run(
  program: string,
  args: readonly string[],
  { input = '', env = clientEnvironment(), cwd, timeoutMs }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.once('error', () => resolve({ code: undefined, ...output }));
    child.once('close', (code) => resolve({ code: code ?? 1, ...output }));
    // A program that has ended already does not read.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
