/** Keeps what is in a queue steady: those who fill it wait while it is as deep as it is to be. */
export class DepthGate {
  readonly #limit: number;
  #depth: number;
  #isOpen = false;
  #waiting: (() => void)[] = [];

  constructor(limit: number, depth = limit) {
    this.#limit = limit;
    this.#depth = depth;
  }

  /** Resolves when there is room. Takes the room: what is on its way counts. */
  async take(messages: number): Promise<void> {
    while (!this.#isOpen && this.#depth + messages > this.#limit) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#depth += messages;
  }

  /** After messages have been taken out. */
  free(messages: number): void {
    this.#depth -= messages;
    this.#wake();
  }

  /** Nobody waits any more. */
  open(): void {
    this.#isOpen = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
