import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Pins } from '../processes/pins.ts';
import { start } from '../processes/start.ts';
import type { LoadAgent } from './load-agent.ts';
import type { LoadEvent, LoadMessage } from './plan.ts';

const LOAD_PROCESS = fileURLToPath(new URL('./load-process.js', import.meta.url));

type Method = keyof LoadAgent;
type Result<M extends Method> = Awaited<ReturnType<LoadAgent[M]>>;

/** The parent's end of a load process. */
export class LoadClient {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #nextId = 0;
  /** Hears what the process tells while it works. */
  onEvent: (event: LoadEvent) => void = () => {};

  constructor(pins: Pins) {
    this.#child = start('load', [LOAD_PROCESS], { pins, output: 'ipc' });
    this.#child.on('message', (message: LoadMessage) => {
      if (message.kind !== 'result') {
        this.onEvent(message);
        return;
      }
      const { id, value, error } = message;
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(value as never);
      else pending?.reject(new Error(error));
    });
    this.#child.once('close', (code, signal) => {
      const error = new Error(`the load generator ended with ${signal ?? `code ${code}`}`);
      for (const { reject } of this.#pending.values()) reject(error);
    });
  }

  call<M extends Method>(method: M, ...args: Parameters<LoadAgent[M]>): Promise<Result<M>> {
    return new Promise<Result<M>>((resolve, reject) => {
      const id = this.#nextId++;
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ id, method, args });
    });
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
