import type { History } from './history.ts';
import type { Random } from './random.ts';
import type { Held, Outgoing, Recorder } from './recorder.ts';
import { LostAnswerError } from './sqs-client.ts';

/** Producers and consumers, each a loop on a connection of its own that goes on until `isStopping`. */
export interface Worker {
  recorder: Recorder;
  random: Random;
  history: History;
  /** How often the server has been killed. */
  kills(): number;
  isStopping(): boolean;
}

/** How long a consumer hides what it will delete after the next kill: longer than a restart takes. */
const HOLD_MS = 15_000;
/** A producer may repeat one of this many latest messages: they are all much younger than five minutes. */
const REPEATED_MAX = 200;
/** More messages than a queue keeps in memory. When so many wait, producers send one at a time and consumers catch up. */
const BACKLOG_MAX = 12_000;
/** One message in so many is never deleted by consumers, and ends in the dead-letter queue. */
const POISON_INTERVAL = 15;

/** Sends to a standard queue. Nobody knows what became of a send whose answer was lost; it is not repeated. */
export async function produce(queue: string, name: string, worker: Worker): Promise<void> {
  const { recorder, random } = worker;
  let count = 0;
  await repeat(worker, async () => {
    const messages = Array.from({ length: batchSize(worker) }, (): Outgoing => {
      const body = fill(`${queue}-${name}-${count}${poisonMark(count)}`, random);
      count++;
      return { body, delayMs: random.chance(0.05) ? 1000 : 0 };
    });
    await recorder.send(queue, messages);
  });
}

/** Sends to groups of its own in a FIFO queue, and again until it is answered. Now and then it repeats an older one. */
export async function produceFifo(queue: string, groups: readonly string[], worker: Worker): Promise<void> {
  const { recorder, random, history } = worker;
  const byGroup = history.queues[queue]?.deduplicatesByGroup === true;
  const positions = new Map(groups.map((group) => [group, 0]));
  const sent: Outgoing[] = [];
  let sending: Outgoing[] = [];
  await repeat(worker, async () => {
    if (sending.length === 0) {
      sending = Array.from({ length: batchSize(worker) }, () => {
        const group = random.pick(groups);
        const position = positions.get(group)!;
        positions.set(group, position + 1);
        const body = fill(`${queue}-${group}-${position}${poisonMark(position)}`, random);
        const deduplicationId = byGroup ? `${position}` : `${group}-${position}`;
        return { body, delayMs: 0, group, position, deduplicationId };
      });
    }
    await recorder.send(queue, sending);
    sent.push(...sending);
    sent.splice(0, sent.length - REPEATED_MAX);
    sending = [];
    if (random.chance(0.15)) await recorder.send(queue, [random.pick(sent)]);
  });
}

/** Receives, and then deletes, gives back, forgets, or holds until after the next kill. */
export async function consume(queue: string, worker: Worker): Promise<void> {
  const { recorder, random, history } = worker;
  const { fifo, deadLetter } = history.queues[queue]!;
  let held: Held[] = [];
  let heldSince = 0;

  const deleteHeld = async () => {
    const deleted = held;
    held = [];
    await recorder.delete(queue, deleted);
  };
  await repeat(worker, async () => {
    if (held.length > 0 && worker.kills() > heldSince) {
      await deleteHeld();
      return;
    }
    const options = {
      maxMessages: random.chance(0.7) ? 10 : random.integer(1, 10),
      visibilityMs: random.integer(1, 2) * 1000,
      waitSeconds: random.integer(0, 1),
      attemptId: fifo && random.chance(0.5) ? `attempt-${random.next()}` : undefined,
    };
    const received = await recorder.receive(queue, options).catch(async (error) => {
      if (!(error instanceof LostAnswerError) || options.attemptId === undefined) throw error;
      await recorder.connected();
      return recorder.receive(queue, options);
    });
    const isPoison = ({ body }: Held) => deadLetter !== undefined && body.split(' ', 1)[0]!.endsWith('!');
    const poison = received.filter(isPoison);
    if (poison.length > 0 && random.chance(0.7)) await recorder.changeVisibility(queue, poison, 0);
    const good = received.filter((message) => !isPoison(message));
    if (good.length === 0) return;
    const choice = random.next();
    if (choice < 0.75) await recorder.delete(queue, good);
    else if (choice < 0.85) await recorder.changeVisibility(queue, good, 0);
    else if (choice < 0.9 && held.length === 0) {
      heldSince = worker.kills();
      held = good;
      await recorder.changeVisibility(queue, good, HOLD_MS);
    }
  });
  await recorder.connected();
  if (held.length > 0) await deleteHeld();
}

async function repeat({ recorder, isStopping }: Worker, step: () => Promise<void>): Promise<void> {
  while (!isStopping()) {
    await recorder.connected();
    try {
      await step();
    } catch (error) {
      if (!(error instanceof LostAnswerError)) throw error;
    }
  }
}

function batchSize({ random, history }: Worker): number {
  const isFull = history.sends.length - history.deletes.length > BACKLOG_MAX;
  return isFull || random.chance(0.5) ? 1 : random.integer(2, 10);
}

function poisonMark(count: number): string {
  return count % POISON_INTERVAL === POISON_INTERVAL / 3 ? '!' : '';
}

/** The name, and as much behind it as makes a message small, or (one in twenty) too large to lie beside others. */
function fill(name: string, random: Random): string {
  return `${name} ${'.'.repeat(random.chance(0.05) ? random.integer(2000, 20_000) : random.integer(0, 300))}`;
}
