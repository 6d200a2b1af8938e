import { type Linked, LinkedList } from '../collections/linked-list.ts';
import type { Queue } from '../queue/queue.ts';
import type { Agenda, AgendaItem } from './agenda.ts';
import type { ContentRoom, ReceivedMessage, ReceiveRequest } from './queue-service.ts';

/** One open receive that has found nothing yet. Ends with messages, empty at its time, or with an error. */
export class Waiter implements Linked<Waiter>, AgendaItem {
  readonly request: ReceiveRequest;
  readonly room: ContentRoom | undefined;
  /** A short poll waits for pages of the store only: as long as some are on their way. */
  readonly isShortPoll: boolean;
  readonly resolve: (messages: ReceivedMessage[] | Promise<ReceivedMessage[]>) => void;
  readonly reject: (error: Error) => void;
  readonly #runtime: QueueRuntime;
  at = Number.POSITIVE_INFINITY;
  heapIndex = -1;
  previous: Waiter | undefined;
  next: Waiter | undefined;
  isOpen = true;

  constructor(
    runtime: QueueRuntime,
    request: ReceiveRequest,
    room: ContentRoom | undefined,
    resolve: (messages: ReceivedMessage[] | Promise<ReceivedMessage[]>) => void,
    reject: (error: Error) => void,
  ) {
    this.#runtime = runtime;
    this.request = request;
    this.room = room;
    this.isShortPoll = request.waitMs === 0;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Its time is over. */
  run(): void {
    this.end();
  }

  /** Ends the wait without messages. */
  end(): void {
    if (this.isOpen) {
      this.close();
      this.resolve([]);
    }
  }

  /** Takes it off the queue, whoever answers it. */
  close(): void {
    this.isOpen = false;
    this.#runtime.removeWaiter(this);
  }
}

/** A queue in this shard: its state once it has been loaded, and who waits for its messages, in order of arrival. */
export class QueueRuntime implements AgendaItem {
  readonly id: number;
  readonly waiters = new LinkedList<Waiter>();
  /** Undefined until it is loaded, and again after a failure of the store. */
  queue: Queue | undefined;
  loading: Promise<Queue> | undefined;
  /** The latest page of deduplication records that was asked for. Never rejects. */
  dedupPage: Promise<void> | undefined;
  at = Number.POSITIVE_INFINITY;
  heapIndex = -1;
  readonly #agenda: Agenda;
  readonly #doDueWork: (runtime: QueueRuntime, now: number) => void;

  constructor(id: number, agenda: Agenda, doDueWork: (runtime: QueueRuntime, now: number) => void) {
    this.id = id;
    this.#agenda = agenda;
    this.#doDueWork = doDueWork;
  }

  run(now: number): void {
    this.#doDueWork(this, now);
  }

  /** Sets the agenda to the queue's next deadline. */
  reschedule(): void {
    this.#agenda.set(this, this.queue?.nextDeadline() ?? Number.POSITIVE_INFINITY);
  }

  addWaiter(waiter: Waiter, until: number): void {
    this.waiters.push(waiter);
    if (!waiter.isShortPoll) this.#agenda.set(waiter, until);
  }

  removeWaiter(waiter: Waiter): void {
    this.waiters.remove(waiter);
    this.#agenda.cancel(waiter);
  }

  /** Nothing more will come from the store: short polls have seen what there is. */
  endShortPolls(): void {
    for (let waiter = this.waiters.first; waiter !== undefined; ) {
      const { next } = waiter;
      if (waiter.isShortPoll) waiter.end();
      waiter = next;
    }
  }

  /** Whatever there is cannot be read: nobody may be told that there is nothing. */
  failWaiters(error: Error): void {
    for (let waiter = this.waiters.first; waiter !== undefined; waiter = this.waiters.first) {
      waiter.close();
      waiter.reject(error);
    }
  }

  /** Forgets the state; waiters stay and are served when the queue has been loaded again. */
  unload(): void {
    this.queue = undefined;
    this.loading = undefined;
    this.#agenda.cancel(this);
  }
}
