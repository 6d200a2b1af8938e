import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const BINARY = 'dist/bin/stanchion.js';
const EXIT_TIMEOUT_MS = 15_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface LogLine {
  level: number;
  msg: string;
  url?: string;
}

/** pino's number for `error`. */
const ERROR_LEVEL = 50;

/** What is tested is the program as it is installed. Builds it if anything has changed. */
export function buildServer(): void {
  const { status, stderr } = spawnSync(process.execPath, ['tools/setup.mjs'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The server cannot be built:\n${stderr}`);
}

const running = new Set<ServerProcess>();

/** For after each test: a failed one leaves its servers behind. */
export async function killServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.kill()));
}

export interface ProcessOptions {
  /** Of the server. */
  flags?: readonly string[];
  /** Of Node.js, such as the size of its heap. */
  nodeFlags?: readonly string[];
  /** A command that becomes the server, such as `strace -D`. */
  wrapper?: readonly string[];
}

/** A server in a process of its own, on a free port. */
export class ServerProcess {
  readonly #child: ChildProcess;
  /** Everything it has logged. */
  readonly log: LogLine[] = [];
  /** What it has written to standard error. */
  errorText = '';
  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>;
  /** Resolves to where it serves; rejects when it ends before. */
  readonly url: Promise<string>;

  constructor(data: string, { flags = [], nodeFlags = [], wrapper = [] }: ProcessOptions = {}) {
    const server = [...nodeFlags, BINARY, 'serve', '--port', '0', '--data', data, ...flags];
    const [command, ...args] = [...wrapper, process.execPath, ...server] as [string, ...string[]];
    const child = spawn(command, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    running.add(this);
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(this);
        resolve({ code, signal });
      });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errorText += text;
    });
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => this.log.push(JSON.parse(line) as LogLine));
    this.url = new Promise((resolve, reject) => {
      lines.once('line', (line) => {
        const { url } = JSON.parse(line) as LogLine;
        if (url === undefined) reject(new Error(`The first line of the log names no URL: ${line}`));
        else resolve(url);
      });
      void this.exited.then(({ code, signal }) =>
        reject(new Error(`The server ended (code ${code}, signal ${signal}): ${this.errorText}`)),
      );
    });
    // Whoever does not want the URL must not have to catch this.
    this.url.catch(() => {});
  }

  get errors(): LogLine[] {
    return this.log.filter(({ level }) => level >= ERROR_LEVEL);
  }

  /**
   * Bytes of memory that are the process's own: without the file that the store maps. Undefined where the system does
   * not tell, or the process has ended.
   */
  memory(): number | undefined {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024 || undefined;
    } catch {
      return undefined;
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL. */
  kill(): Promise<Exit> {
    this.signal('SIGKILL');
    return this.exited;
  }

  /** SIGTERM. Rejects when the server does not end. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The server does not end.')), EXIT_TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.exited, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Without settings of the server: they are what the flags say. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STANCHION_')));
}
