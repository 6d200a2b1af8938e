import { AuditError, type AuditLog } from '../../audit/trail.ts';
import type { SharedGuards } from '../call-guard.ts';
import type { Guards } from '../guards.ts';

/** What a worker asks the main process about, besides the queues: there is one of these for all workers. */
export type Question =
  | { about: 'audit-ready' }
  | { about: 'audit-record'; record: object }
  | { about: 'rate-limits'; names: readonly string[] };

export interface Answer {
  yes: boolean;
  /** Why not. */
  reason?: string;
}

/** In the main process. Never rejects. */
export async function answer(question: Question, { log, admits }: Guards): Promise<Answer> {
  try {
    if (question.about === 'rate-limits') return { yes: await admits(question.names) };
    if (question.about === 'audit-ready') await log?.ready();
    else await log?.write(question.record);
    return { yes: true };
  } catch (error) {
    return { yes: false, reason: (error as Error).message };
  }
}

/** In a worker. */
export class Questions {
  readonly #send: (number: number, question: Question) => void;
  readonly #open = new Map<number, (answer: Answer) => void>();
  #lastNumber = 0;

  constructor(send: (number: number, question: Question) => void) {
    this.#send = send;
  }

  onAnswer(number: number, answer: Answer): void {
    this.#open.get(number)?.(answer);
    this.#open.delete(number);
  }

  readonly admits: SharedGuards['admits'] = async (names) => (await this.#ask({ about: 'rate-limits', names })).yes;

  readonly auditLog: AuditLog = {
    ready: () => this.#demand({ about: 'audit-ready' }),
    write: (record) => this.#demand({ about: 'audit-record', record }),
  };

  async #demand(question: Question): Promise<void> {
    const { yes, reason = '' } = await this.#ask(question);
    if (!yes) throw new AuditError(reason);
  }

  #ask(question: Question): Promise<Answer> {
    return new Promise((resolve) => {
      const number = ++this.#lastNumber;
      this.#open.set(number, resolve);
      this.#send(number, question);
    });
  }
}
