import type { Platform } from '../platform/platform.ts';
import type { DeadLetterTarget, Queue, Received } from '../queue/queue.ts';
import { settingsOf } from '../queue/record.ts';
import type { Keys } from '../storage/keys.ts';
import type { Store } from '../storage/store.ts';
import type { Catalog } from './catalog.ts';
import type { Committer } from './committer.ts';
import type { ContentEncryption } from './content-encryption.ts';
import { readMessages } from './messages.ts';
import type { CancelSignal, ContentRoom, ReceivedMessage, ReceiveRequest } from './queue-service.ts';
import type { QueueStates } from './queue-states.ts';
import type { ReceiptHandles } from './receipt-handle.ts';
import { type QueueRuntime, Waiter } from './runtime.ts';
import { sequenceNumber } from './sequence-number.ts';
import type { ShardLogger } from './shard-logger.ts';

export interface ReceiverEnvironment {
  store: Store;
  keys: Keys;
  platform: Platform;
  logger: ShardLogger;
  catalog: Catalog;
  committer: Committer;
  handles: ReceiptHandles;
  encryption: ContentEncryption;
  states: QueueStates;
}

/**
 * Receives: those that are answered at once, and the waiters of long polls, woken by events and served in the order
 * they came. No polling anywhere.
 */
export class Receiver {
  readonly #environment: ReceiverEnvironment;
  #isDraining = false;

  constructor(environment: ReceiverEnvironment) {
    this.#environment = environment;
  }

  /** `queue` and the dead-letter queue of its redrive policy must be loaded. */
  receive(
    queue: Queue,
    request: ReceiveRequest,
    signal: CancelSignal,
    room?: ContentRoom,
  ): Promise<ReceivedMessage[] | 'over-limit'> {
    const { platform, states } = this.#environment;
    const runtime = states.runtime(queue.id);
    const now = platform.now();
    const received = this.#tryReceive(queue, request, now);
    const isChanged = queue.hasEffects;
    states.absorb(queue, now);
    if (Array.isArray(received) && received.length > 0) return this.#answer(queue, received, room);
    if (received === 'over-limit' && request.waitMs === 0) return Promise.resolve('over-limit');
    const mayCome = received === 'loading' || queue.isPaging;
    if (signal.aborted || this.#isDraining || (request.waitMs === 0 && !mayCome)) {
      // It may have moved messages to a dead-letter queue: whoever is told that this queue is empty may look there next.
      return isChanged ? this.#environment.committer.durable().then(() => []) : Promise.resolve([]);
    }
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(runtime, request, room, resolve, reject);
      runtime.addWaiter(waiter, now + request.waitMs);
      signal.addEventListener('abort', () => waiter.end(), { once: true });
    });
  }

  serveWaiters(runtime: QueueRuntime, queue: Queue, now: number): void {
    const { waiters } = runtime;
    for (let waiter = waiters.first; waiter !== undefined && queue.hasReady; waiter = waiters.first) {
      const received = this.#tryReceive(queue, waiter.request, now);
      if (received === 'loading') return;
      if (received === 'over-limit' || received.length === 0) break;
      waiter.close();
      this.#environment.states.commitEffects(queue);
      waiter.resolve(this.#answer(queue, received, waiter.room));
    }
    if (!queue.isPaging) runtime.endShortPolls();
  }

  /** Answers all waiters, empty. No receive waits from here on. */
  drain(): void {
    this.#isDraining = true;
    for (const runtime of this.#environment.states.runtimes()) {
      for (let waiter = runtime.waiters.first; waiter !== undefined; waiter = runtime.waiters.first) waiter.end();
    }
  }

  #tryReceive(queue: Queue, request: ReceiveRequest, now: number): Received[] | 'over-limit' | 'loading' {
    const deadLetter = this.#deadLetterTarget(queue);
    if (deadLetter === 'loading') return 'loading';
    return queue.receive(
      {
        maxMessages: request.maxMessages,
        visibilityTimeoutMs: request.visibilityTimeoutMs ?? queue.visibilityTimeoutMs,
        attemptId: queue.isFifo ? request.attemptId : undefined,
      },
      deadLetter,
      now,
    );
  }

  /** `loading`: it is being read from the store; who waits is served when it is there. */
  #deadLetterTarget(queue: Queue): DeadLetterTarget | undefined | 'loading' {
    const { catalog, states, platform, logger } = this.#environment;
    const record = catalog.get(queue.id);
    const redrive = record && settingsOf(record).redrive;
    const target = record && catalog.deadLetterTargetOf(record);
    if (redrive === undefined || target === undefined) return undefined;
    const loaded = states.get(target.id);
    if (loaded !== undefined) return { queue: loaded, maxReceiveCount: redrive.maxReceiveCount };
    states.load(target.id).then(
      () => states.absorb(queue, platform.now()),
      (error: unknown) => logger.error({ err: error, queueId: target.id }, 'cannot load a dead-letter queue'),
    );
    return 'loading';
  }

  /** Reads the contents while the deliveries are being committed, and hands over both. */
  async #answer(
    queue: Queue,
    received: readonly Received[],
    room: ContentRoom | undefined,
  ): Promise<ReceivedMessage[]> {
    const { store, keys, committer, handles, encryption } = this.#environment;
    const durable = committer.durable();
    const [messages] = await Promise.all([readMessages(queue.id, received, store, keys, encryption, room), durable]);
    const receiptHandles = handles.encode(queue.id, received);
    const answer: ReceivedMessage[] = [];
    for (const [index, delivery] of received.entries()) {
      const message = messages[index];
      // Purged by a command that came between the receive and the read.
      if (message === undefined) continue;
      const { content, timing } = message;
      // Named one by one: Object.assign and spreading take 2 us here.
      answer.push({
        messageId: content.messageId,
        body: content.body,
        bodyMd5: content.bodyMd5,
        attributes: content.attributes,
        senderId: content.senderId,
        traceHeader: content.traceHeader,
        groupId: content.groupId,
        deduplicationId: content.deduplicationId,
        deadLetterSourceArn: content.deadLetterSourceArn,
        receiptHandle: receiptHandles[index] as string,
        sentAt: timing.sentAt,
        receiveCount: delivery.receiveCount,
        firstReceivedAt: delivery.firstReceivedAt,
        sequenceNumber: queue.isFifo ? sequenceNumber(delivery.seq) : undefined,
      });
    }
    return answer;
  }
}
