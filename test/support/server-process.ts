import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';

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
  secureUrl?: string;
  /** Process ids: of all worker processes in the first line, of one in others. */
  workers?: number[];
  worker?: number;
  requestId?: string;
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
  /** In a group of its own, see `signalGroup`. */
  ownGroup?: boolean;
}

/** A server in a process of its own, on a free port. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  /** Everything it has logged. */
  readonly log: LogLine[] = [];
  /** What it has written to standard error. */
  errorText = '';
  /** Resolves when the process has ended, and with it all who share its standard error: its workers. */
  readonly exited: Promise<Exit>;
  /** Resolves to where it serves; rejects when it ends before. */
  readonly url: Promise<string>;

  constructor(data: string, { flags = [], nodeFlags = [], wrapper = [], ownGroup = false }: ProcessOptions = {}) {
    const server = [...nodeFlags, BINARY, 'serve', '--port', '0', '--data', data, ...flags];
    const [command, ...args] = [...wrapper, process.execPath, ...server] as [string, ...string[]];
    const child = spawn(command, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
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
    this.#lines = lines;
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

  /** Resolves to the next line that is logged with this message. */
  logs(message: string): Promise<LogLine> {
    return new Promise((resolve) => {
      const onLine = (text: string) => {
        const line = JSON.parse(text) as LogLine;
        if (line.msg !== message) return;
        this.#lines.off('line', onLine);
        resolve(line);
      };
      this.#lines.on('line', onLine);
    });
  }

  /** Resolves to the line that is logged about a request, now or before. */
  logsRequest(requestId: string): Promise<LogLine> {
    return new Promise((resolve) => {
      const look = () => {
        const line = this.log.find((logged) => logged.requestId === requestId);
        if (line === undefined) return;
        this.#lines.off('line', look);
        resolve(line);
      };
      this.#lines.on('line', look);
      look();
    });
  }

  /** As a Ctrl-C does: to the server and all its processes. It must have a group of its own. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-(this.#child.pid as number), signal);
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
