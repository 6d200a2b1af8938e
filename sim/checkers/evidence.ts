import type { Call } from '../calls.ts';
import type { Commit } from '../disk.ts';
import type { DurableDelivery, DurableImage, DurableMessage } from './durable-image.ts';

/** What a receipt handle stands for, as far as the client knows who got it. */
export interface Receipt {
  message: DurableMessage;
  delivery: DurableDelivery;
}

/** What all checkers share: what is on the disk, what clients asked for, and where to complain. */
export interface Records {
  readonly image: DurableImage;
  readonly handles: Map<string, Receipt>;
  /** Calls that are at the server, or left it a moment ago, by queue. */
  readonly recent: Map<string, Set<Call>>;
  violation(rule: string, text: string): void;
  /** The same, where the store's port as it is today cannot prevent it: see `Disk`. */
  weakness(rule: string, text: string): void;
}

/** For those who must know when nothing could be expected of the server. */
export interface Evidence extends Records {
  readonly lastFaultStep: number;
  readonly lastFaultAt: number;
}

/** The calls on a queue that may have had a part in a commit. */
export function actorsOf(evidence: Records, queue: string, commit: Commit): Call[] {
  const calls: Call[] = [];
  for (const call of evidence.recent.get(queue) ?? []) {
    if (call.arrivedStep === undefined || call.arrivedStep > commit.issuedStep) continue;
    if (call.endedStep === undefined || call.endedStep >= commit.issuedStep) calls.push(call);
  }
  return calls;
}

export function describe(message: DurableMessage): string {
  const { queue, seq, content } = message;
  return `${content.body.slice(0, 24).trim()} (${queue.name}#${queue.id} seq ${seq}, ${content.messageId.slice(0, 8)})`;
}
