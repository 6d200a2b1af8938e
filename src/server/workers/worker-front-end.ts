import { FrameError } from '../../channel/frames.ts';
import { QueueServer } from '../../channel/queue-server.ts';
import type { QueueService } from '../../engine/queue-service.ts';
import type { AccessRules } from '../access/access-rules.ts';
import type { FrontEnd, FrontEndOptions, ListenAt } from '../front-end.ts';
import type { Guards } from '../guards.ts';
import { listenOrExplain } from '../listen.ts';
import type { BoundAddress, Listeners } from '../public-url.ts';
import type { Certificate } from '../tls/certificate.ts';
import { answer } from './questions.ts';
import { SharedPort } from './shared-port.ts';
import { forkWorker, type Worker } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

export interface WorkerFrontEndOptions extends FrontEndOptions {
  workers: number;
}

/**
 * HTTP, codecs and API in processes of their own. This process keeps the queues and the port: it accepts connections
 * and deals them out, and answers the calls of the workers.
 */
export class WorkerFrontEnd implements FrontEnd {
  readonly #options: WorkerFrontEndOptions;
  readonly #port = new SharedPort();
  /** Workers do the handshakes of its connections, too. */
  readonly #securePort = new SharedPort(true);
  readonly #pool: WorkerPool;
  #bound: Listeners = {};
  #certificate: Certificate | undefined;
  #started: Promise<void> | undefined;
  #queues: QueueServer | undefined;
  #guards: Guards | undefined;
  /** What workers begin with that are started from now on. */
  #access: FrontEndOptions['access'];

  constructor(options: WorkerFrontEndOptions) {
    const { workers, platform, logger, access } = options;
    this.#options = options;
    this.#access = access;
    this.#pool = new WorkerPool({
      size: workers,
      platform,
      logger,
      startWorker: () => this.#fork(),
      onStarted: (worker) => this.#introduce(worker),
      onUp: (worker) => {
        this.#port.add(worker);
        this.#securePort.add(worker);
      },
      onEnded: (worker) => this.#forget(worker),
    });
  }

  /** Starts the workers, too: they take as long to start as a store does to open. */
  async listen({ http, https, certificate }: ListenAt): Promise<Listeners> {
    this.#certificate = certificate;
    if (http !== undefined) this.#bound.http = await this.#open(this.#port, http);
    if (https !== undefined) this.#bound.https = await this.#open(this.#securePort, https);
    this.#started = this.#pool.start();
    // It is waited for later.
    this.#started.catch(() => {});
    return this.#bound;
  }

  useCertificate(certificate: Certificate): void {
    this.#certificate = certificate;
    for (const worker of this.#pool.workers) worker.tell({ kind: 'certificate', certificate });
  }

  async serve(queues: QueueService, guards: Guards): Promise<void> {
    this.#guards = guards;
    this.#queues = new QueueServer(queues, this.#options.platform);
    for (const worker of this.#pool.workers) this.#connect(worker, this.#queues);
    await this.#started;
  }

  drain(): Promise<void> {
    this.#port.close();
    this.#securePort.close();
    return this.#pool.drain();
  }

  async useRules(rules: AccessRules): Promise<void> {
    if (this.#access === undefined) return;
    this.#access = { ...this.#access, rules };
    await Promise.all(Array.from(this.#pool.workers, (worker) => worker.useRules(rules)));
  }

  /** The system closes the connections of a process that is no more. */
  abandon(): void {
    this.#pool.kill();
  }

  get workers(): number[] {
    return Array.from(this.#pool.workers, ({ pid }) => pid);
  }

  #open(port: SharedPort, at: BoundAddress): Promise<BoundAddress> {
    const onError = ({ stack }: Error) => this.#options.logger.error({ stack }, 'listener failed');
    return listenOrExplain(at, (address) => port.listen(address, onError));
  }

  #fork(): Worker {
    const { logger } = this.#options;
    const worker: Worker = forkWorker(
      ({ level, fields, message }) => logger[level]({ ...fields, worker: worker.pid }, message),
      // No request is answered before `serve`, and none asks.
      (question) => answer(question, this.#guards as Guards),
    );
    return worker;
  }

  #introduce(worker: Worker): void {
    const { settings, logger, capacity } = this.#options;
    const { region, account, publicUrl, relaxedTimers, audit, auditData, rateLimits } = settings;
    worker.tell({
      kind: 'start',
      bound: this.#bound,
      certificate: this.#certificate,
      settings: { region, account, publicUrl, relaxedTimers, audit, auditData, rateLimits },
      capacity,
      access: this.#access,
      logsDebug: logger.isLevelEnabled?.('debug') ?? true,
    });
    worker.channel.on('error', (error) => {
      // Anything else is its end, which is noticed anyway. This is a bug, and the worker ends because of it.
      if (error instanceof FrameError) logger.error({ worker: worker.pid, stack: error.stack }, 'channel failed');
    });
    if (this.#queues !== undefined) this.#connect(worker, this.#queues);
  }

  #connect(worker: Worker, queues: QueueServer): void {
    queues.serve(worker.channel);
    worker.tell({ kind: 'serve' });
  }

  #forget(worker: Worker): void {
    // What it still asks for nobody would get.
    worker.channel.destroy();
    this.#port.remove(worker);
    this.#securePort.remove(worker);
  }
}
