/** A promise, and what resolves it. */
export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
}

export function deferred<Value = void>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
