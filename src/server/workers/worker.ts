import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import type { Duplex } from 'node:stream';
import { CHANNEL_FD, type FromWorker, type LogLine, type ToWorker } from './messages.ts';

const PROGRAM = new URL(`./worker-main${extname(import.meta.url)}`, import.meta.url);

/** A worker process, as the main process sees it. */
export interface Worker {
  readonly pid: number;
  /** The stream over which it calls the queues. */
  readonly channel: Duplex;
  /** Resolves when it is ready for connections. Never, when it ends before. */
  readonly up: Promise<void>;
  /** Resolves when the process has ended, to how: `signal SIGKILL`, `code 1`. */
  readonly ended: Promise<string>;
  tell(message: ToWorker): void;
  /** Hands a connection over. Those that have not reached it when it ends are in `undelivered`. */
  give(socket: Socket): void;
  readonly undelivered: ReadonlySet<Socket>;
  kill(): void;
}

/** @throws Error when the system allows no further process. */
export function forkWorker(onLog: (line: LogLine) => void): Worker {
  const child = fork(PROGRAM, [], {
    // Its standard output is nobody's: it logs through us.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    // Two processes cannot wait for a debugger at the same port.
    execArgv: process.execArgv.filter((argument) => !argument.startsWith('--inspect')),
  });
  // Nothing to be done about one that could not be sent a message or a signal: it has ended, or is about to.
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error('the system allows no further process');
  const undelivered = new Set<Socket>();
  const send = (message: ToWorker, socket?: Socket, then: (error: Error | null) => void = () => {}) =>
    child.send(message, socket, then);
  return {
    pid: child.pid,
    channel: child.stdio[CHANNEL_FD] as Duplex,
    up: upOf(child, onLog),
    ended: endOf(child),
    tell: (message) => void send(message),
    give(socket) {
      undelivered.add(socket);
      send({ kind: 'connection' }, socket, (error) => {
        if (!error) undelivered.delete(socket);
      });
    },
    undelivered,
    kill: () => void child.kill('SIGKILL'),
  };
}

function upOf(child: ChildProcess, onLog: (line: LogLine) => void): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'up') resolve();
      else onLog(message);
    });
  });
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
}
