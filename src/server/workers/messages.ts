import type { AccessRules, AccessSecrets } from '../access/access-rules.ts';
import type { Capacity } from '../capacity.ts';
import type { FrontEndSettings } from '../front-end.ts';
import type { Listeners } from '../public-url.ts';
import type { Certificate } from '../tls/certificate.ts';
import type { Answer, Question } from './questions.ts';

/** What the main process and a worker tell one another besides the calls, which have a channel of their own. */

export type ToWorker =
  /** The first message. */
  | {
      kind: 'start';
      bound: Listeners;
      certificate?: Certificate;
      settings: FrontEndSettings;
      capacity: Capacity;
      access?: { rules: AccessRules; secrets: AccessSecrets };
      logsDebug: boolean;
    }
  /** Other rules of access control. */
  | { kind: 'rules'; rules: AccessRules }
  /** Comes with a socket. */
  | { kind: 'connection'; isSecure: boolean }
  /** Another one, for secure connections to come. */
  | { kind: 'certificate'; certificate: Certificate }
  | { kind: 'answer'; number: number; answer: Answer }
  /** The queues can be used. */
  | { kind: 'serve' }
  /** Answer what is under way, then end. */
  | { kind: 'drain' };

export type FromWorker =
  /** Connections are welcome. */
  | { kind: 'up' }
  /** The next of the connections has arrived. */
  | { kind: 'got' }
  /** The next of the rules hold. */
  | { kind: 'ruled' }
  | { kind: 'question'; number: number; question: Question }
  | LogLine;

export interface LogLine {
  kind: 'log';
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: object;
  message: string;
}

/** 0 to 2 are the standard streams of a worker, 3 carries these messages. */
export const CHANNEL_FD = 4;
