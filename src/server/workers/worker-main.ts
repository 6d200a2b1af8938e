// A worker process: HTTP, codecs and API for the connections it is given. The queues are in the process that started it.

import { Socket } from 'node:net';
import { RemoteQueueService } from '../../channel/remote-queue-service.ts';
import { realPlatform } from '../../platform/real.ts';
import type { AccessRules } from '../access/access-rules.ts';
import { LocalFrontEnd } from '../front-end.ts';
import type { Logger } from '../logger.ts';
import { CHANNEL_FD, type FromWorker, type LogLine, type ToWorker } from './messages.ts';
import { Questions } from './questions.ts';

process.title = 'stanchion worker';

// A Ctrl-C or a service manager may tell every process: the main one lets us go when all is answered.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// The main one reads its files again, and hands on what is in them.
process.on('SIGHUP', () => {});
// Without the main process there are no queues, and nobody to answer for.
process.on('disconnect', () => process.exit());
process.on('uncaughtException', (error: unknown) => {
  const stack = error instanceof Error ? error.stack : String(error);
  tell({ kind: 'log', level: 'error', fields: { stack }, message: 'bug: ending the process' }, () => process.exit(1));
});

let frontEnd: LocalFrontEnd | undefined;
let isAudited = false;
const questions = new Questions((number, question) => tell({ kind: 'question', number, question }));

process.on('message', (message: ToWorker, socket: Socket | undefined) => {
  if (message.kind === 'start') start(message);
  else if (message.kind === 'connection') accept(socket, message.isSecure);
  else if (message.kind === 'answer') questions.onAnswer(message.number, message.answer);
  else if (message.kind === 'certificate') frontEnd?.useCertificate(message.certificate);
  else if (message.kind === 'serve') void serve();
  else if (message.kind === 'rules') void useRules(message.rules);
  else void drain();
});

function start({ bound, certificate, settings, capacity, access, logsDebug }: ToWorker & { kind: 'start' }): void {
  isAudited = settings.audit !== 'off';
  const platform = realPlatform();
  frontEnd = new LocalFrontEnd({ settings, platform, logger: logger(logsDebug), capacity, access });
  frontEnd.listenElsewhere(bound, certificate);
  tell({ kind: 'up' });
}

function accept(socket: Socket | undefined, isSecure: boolean): void {
  tell({ kind: 'got' });
  // It is gone when the client closed it on its way here.
  if (socket !== undefined) frontEnd?.accept(socket, isSecure);
}

async function serve(): Promise<void> {
  const channel = new Socket({ fd: CHANNEL_FD });
  channel.on('close', () => process.exit(1));
  await frontEnd?.serve(new RemoteQueueService(channel, realPlatform()), {
    log: isAudited ? questions.auditLog : undefined,
    admits: questions.admits,
  });
}

async function useRules(rules: AccessRules): Promise<void> {
  await frontEnd?.useRules(rules);
  tell({ kind: 'ruled' });
}

async function drain(): Promise<void> {
  await frontEnd?.drain();
  // What was logged has to be out first.
  tell({ kind: 'log', level: 'debug', fields: {}, message: 'worker stopped' }, () => process.exit(0));
}

function logger(logsDebug: boolean): Logger {
  const log = (level: LogLine['level']) => (fields: object, message: string) =>
    tell({ kind: 'log', level, fields, message });
  return { debug: logsDebug ? log('debug') : () => {}, info: log('info'), warn: log('warn'), error: log('error') };
}

/** Calls `then` also when it cannot be told: the main process may be gone, and this one is about to follow. */
function tell(message: FromWorker, then: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, then);
  else then();
}
