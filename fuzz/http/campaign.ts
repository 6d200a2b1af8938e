import { QueryClient } from '../../test/support/query-client.ts';
import { RawConnection, type RawReply } from '../../test/support/raw-connection.ts';
import type { ServerProcess } from '../../test/support/server-process.ts';
import { Bystander } from './bystander.ts';
import { type Case, caseOf } from './case.ts';
import { deliver } from './delivery.ts';
import { faultOf } from './verdict.ts';

/**
 * Cases against a server in a process of its own, several at a time, while a bystander works. A case fails when the server
 * is silent where it has to answer, or answers what it must not; all of them together when the server ends, logs an
 * error, takes too much memory, or lets the bystander down.
 */

/** As many cases at a time as there are of these. Each has a queue of its own. */
const WORKERS = 4;
/** Silence for so long is a long poll, where there may be one. */
const LONG_POLL_MS = 200;
/** And so long is a hang, where there may be none: no answer waits for anything but the disk. */
const HANG_MS = 15_000;
/** Between these, what piled up in the queues is thrown away. */
const CASES_PER_PURGE = 300;
/** The heap of the server is small enough for a leak to show. */
export const SERVER_FLAGS = ['--max-old-space-size=256'];
/** That heap, buffers outside of it, and the program. */
const MEMORY_MAX_BYTES = 900 * 1024 * 1024;
const MEMORY_INTERVAL_MS = 200;

export interface Options {
  seed: number;
  /** One case only. */
  only?: number;
  untilMs: number;
}

export interface Failure {
  what: string;
  /** Absent when no single case can be blamed. */
  case?: Case;
}

export interface Outcome {
  cases: number;
  requests: number;
  /** By status, and `none`: cut off, or left during a long poll. */
  replies: Map<string, number>;
  bystanderCalls: number;
  bystanderLongestMs: number;
  /** Undefined where the system does not tell. */
  peakMemoryBytes: number | undefined;
  failures: Failure[];
}

export async function runCampaign(server: ServerProcess, options: Options): Promise<Outcome> {
  const campaign = new Campaign(server, await server.url, options);
  return campaign.run();
}

class Campaign {
  readonly #server: ServerProcess;
  readonly #url: string;
  readonly #options: Options;
  readonly #query: QueryClient;
  #next = 0;
  readonly #outcome: Outcome = {
    cases: 0,
    requests: 0,
    replies: new Map(),
    bystanderCalls: 0,
    bystanderLongestMs: 0,
    peakMemoryBytes: undefined,
    failures: [],
  };

  constructor(server: ServerProcess, url: string, options: Options) {
    this.#server = server;
    this.#url = url;
    this.#options = options;
    this.#query = new QueryClient(url);
    this.#next = options.only ?? 0;
  }

  async run(): Promise<Outcome> {
    const outcome = this.#outcome;
    const bystander = new Bystander(this.#url);
    const memory = setInterval(() => this.#watchMemory(), MEMORY_INTERVAL_MS);
    let isOver = false;
    void this.#server.exited.then(({ code, signal }) => {
      if (!isOver) this.#fail({ what: `the server ended (code ${code}, signal ${signal}): ${this.#server.errorText}` });
    });
    bystander.start();
    try {
      const workers = this.#options.only === undefined ? WORKERS : 1;
      await Promise.all(Array.from({ length: workers }, (_, worker) => this.#work(`fuzz-${worker}`)));
    } catch (error) {
      this.#fail({ what: `the campaign broke off: ${(error as Error).stack}` });
    }
    await bystander.stop();
    isOver = true;
    clearInterval(memory);
    this.#watchMemory();
    outcome.bystanderCalls = bystander.calls;
    outcome.bystanderLongestMs = bystander.longestMs;
    for (const what of bystander.faults) this.#fail({ what });
    for (const line of this.#server.errors) this.#fail({ what: `the server logged ${JSON.stringify(line)}` });
    return outcome;
  }

  async #work(queue: string): Promise<void> {
    const { only, untilMs } = this.#options;
    await this.#query.call('CreateQueue', { QueueName: queue });
    let connection: RawConnection | undefined;
    while (
      this.#outcome.failures.length === 0 &&
      (only === undefined ? performance.now() < untilMs : this.#next === only)
    ) {
      const number = this.#next++;
      const one = caseOf(this.#options.seed, number, queue);
      connection ??= await RawConnection.open(Number(new URL(this.#url).port));
      const isUsable = await this.#try(one, connection);
      if (!isUsable) {
        connection.close();
        connection = undefined;
      }
      if (one.actions.includes('DeleteQueue')) await this.#query.call('CreateQueue', { QueueName: queue });
      else if (number % CASES_PER_PURGE === 0) await this.#query.call('PurgeQueue', { QueueUrl: queue });
    }
    connection?.close();
  }

  /** Returns whether the connection can be used for more. */
  async #try(one: Case, connection: RawConnection): Promise<boolean> {
    this.#outcome.cases++;
    this.#outcome.requests += one.requests.length;
    const delivered = deliver(one, connection);
    const mayWait = one.actions.includes('ReceiveMessage');
    let isClear = one.delivery !== 'cut';
    for (const request of one.requests) {
      // A reply can be lost when more is written behind a request that asks for the end of the connection.
      const isCutShort = request.closes && request !== one.requests.at(-1);
      const mustAnswer = isClear && request.isWellFormed && request.isComplete && !isCutShort;
      const reply = await finalReply(connection, mayWait || !mustAnswer ? LONG_POLL_MS : HANG_MS);
      if (typeof reply === 'string') {
        this.#count('none');
        if (reply === 'late' && mustAnswer && !mayWait) this.#fail({ what: `no reply for ${HANG_MS} ms`, case: one });
        if (reply === 'closed' && mustAnswer)
          this.#fail({ what: 'the connection was closed without a reply', case: one });
        return false;
      }
      this.#count(String(reply.status));
      isClear &&= request.isWellFormed && request.isComplete && !request.closes;
      const fault = faultOf(reply, mustAnswer ? request : undefined);
      if (fault !== undefined) {
        this.#fail({ what: `${fault}\n${describe(reply)}`, case: one });
        return false;
      }
      // What comes after it belongs to nobody knows which request, or to none.
      if (!isClear || reply.headers.connection === 'close') return false;
    }
    await delivered;
    return isClear;
  }

  #watchMemory(): void {
    const bytes = this.#server.memory();
    if (bytes === undefined) return;
    this.#outcome.peakMemoryBytes = Math.max(this.#outcome.peakMemoryBytes ?? 0, bytes);
    if (bytes > MEMORY_MAX_BYTES) this.#fail({ what: `the server takes ${Math.round(bytes / 1024 / 1024)} MiB` });
  }

  #count(status: string): void {
    this.#outcome.replies.set(status, (this.#outcome.replies.get(status) ?? 0) + 1);
  }

  #fail(failure: Failure): void {
    this.#outcome.failures.push(failure);
  }
}

/** The next reply that is not an interim one. */
async function finalReply(connection: RawConnection, patienceMs: number): Promise<RawReply | 'late' | 'closed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), patienceMs);
  });
  try {
    for (;;) {
      const reply = await Promise.race([connection.reply(), late]);
      if (reply === 'late' || reply.status !== 100) return reply;
    }
  } catch {
    return 'closed';
  } finally {
    clearTimeout(timer);
  }
}

function describe({ status, headers, body }: RawReply): string {
  return `${status} ${JSON.stringify(headers)} ${body.slice(0, 1000)}`;
}
