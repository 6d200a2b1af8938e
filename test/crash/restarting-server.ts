import { type LogLine, ServerProcess } from '../support/server-process.ts';

/** A server that is killed and started again on the same data, while clients wait for it to come back. */
export class RestartingServer {
  readonly #data: string;
  #process: ServerProcess;
  #up = pendingUrl();
  #isUp = false;
  kills = 0;
  /** What any of the processes has logged as an error. */
  readonly errors: LogLine[] = [];

  /** It has still to be started. */
  constructor(data: string) {
    this.#data = data;
    this.#process = new ServerProcess(data);
  }

  /** Where it serves, as soon as it does. */
  get url(): Promise<string> {
    return this.#up.url;
  }

  /** Resolves when it serves. */
  async started(): Promise<void> {
    this.#up.resolve(await this.#process.url);
    this.#isUp = true;
  }

  async kill(): Promise<void> {
    this.kills++;
    this.#goDown();
    await this.#process.kill();
    this.errors.push(...this.#process.errors);
  }

  /** With SIGTERM. Rejects when it does not end well. */
  async stop(): Promise<void> {
    this.#goDown();
    const { code } = await this.#process.stop();
    this.errors.push(...this.#process.errors);
    if (code !== 0) throw new Error(`The server ended with code ${code}: ${this.#process.errorText}`);
  }

  restart(): void {
    this.#process = new ServerProcess(this.#data);
  }

  /** Those who wait for a server that is killed while it starts go on waiting. */
  #goDown(): void {
    if (this.#isUp) this.#up = pendingUrl();
    this.#isUp = false;
  }
}

function pendingUrl() {
  let resolve!: (url: string) => void;
  const url = new Promise<string>((done) => {
    resolve = done;
  });
  return { url, resolve };
}
