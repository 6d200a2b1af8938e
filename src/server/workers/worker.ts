import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import type { Duplex } from 'node:stream';
import type { AccessRules } from '../access/access-rules.ts';
import { deferred } from '../deferred.ts';
import { CHANNEL_FD, type FromWorker, type LogLine, type ToWorker } from './messages.ts';
import type { Answer, Question } from './questions.ts';

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
  /** Hands a connection over. It is closed if the worker ends before it has it. */
  give(socket: Socket, isSecure: boolean): void;
  /** Resolves when these rules of access control hold there, or the process has ended. */
  useRules(rules: AccessRules): Promise<void>;
  kill(): void;
}

/** @throws Error when the system allows no further process. */
export function forkWorker(
  onLog: (line: LogLine) => void,
  onQuestion: (question: Question) => Promise<Answer>,
): Worker {
  const child = fork(PROGRAM, [], {
    // Its standard output is nobody's: it logs through us.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    // Two processes cannot wait for a debugger at the same port.
    execArgv: process.execArgv.filter((argument) => !argument.startsWith('--inspect')),
  });
  // Nothing to be done about one that could not be sent a message or a signal: it has ended, or is about to.
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error('the system allows no further process');
  const up = deferred();
  /** Sent, and not known to hold; the oldest first. */
  const rulesUnderWay: (() => void)[] = [];
  /** Handed over, and not known to have arrived; the oldest first. */
  const underWay = new Set<Socket>();
  child.on('message', (message: FromWorker) => {
    if (message.kind === 'up') up.resolve();
    else if (message.kind === 'log') onLog(message);
    else if (message.kind === 'ruled') rulesUnderWay.shift()?.();
    else if (message.kind === 'question')
      void onQuestion(message.question).then((answer) => tell({ kind: 'answer', number: message.number, answer }));
    else closeCopies(underWay, 1);
  });
  const ended = endOf(child);
  void ended.then(() => closeCopies(underWay));
  const tell = (message: ToWorker, socket?: Socket) =>
    void child.send(
      message,
      socket,
      // Node itself would close our copy when the other end has the socket, but never when the worker dies before that, and
      // its client would wait forever.
      { keepOpen: true },
      () => {},
    );
  return {
    pid: child.pid,
    channel: child.stdio[CHANNEL_FD] as Duplex,
    up: up.promise,
    ended,
    tell,
    give(socket, isSecure) {
      underWay.add(socket);
      tell({ kind: 'connection', isSecure }, socket);
    },
    useRules(rules) {
      const held = deferred();
      rulesUnderWay.push(held.resolve);
      tell({ kind: 'rules', rules });
      return Promise.race([held.promise, ended.then(() => {})]);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Closes the oldest ones here. A connection goes on as long as the worker has it, too. */
function closeCopies(sockets: Set<Socket>, count = sockets.size): void {
  for (const socket of sockets) {
    if (count-- <= 0) return;
    sockets.delete(socket);
    socket.destroy();
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
}
