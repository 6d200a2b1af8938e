import { SortedNames } from '../collections/sorted-names.ts';
import { allowsRedriveFrom, type QueueRecord, queueArn, type Scope, settingsOf } from '../queue/record.ts';

/** Which queues there are: an index in memory over the queue records of the shard. */
export class Catalog {
  readonly #byId = new Map<number, QueueRecord>();
  readonly #byArn = new Map<string, QueueRecord>();
  readonly #names = new Map<string, SortedNames>();
  /** Names of the queues whose RedrivePolicy names an ARN. */
  readonly #sources = new Map<string, SortedNames>();

  get(id: number): QueueRecord | undefined {
    return this.#byId.get(id);
  }

  find(scope: Scope, name: string): QueueRecord | undefined {
    return this.#byArn.get(queueArn({ scope, name }));
  }

  findByArn(arn: string): QueueRecord | undefined {
    return this.#byArn.get(arn);
  }

  /** Adds a queue, or takes the new record of one. */
  set(record: QueueRecord): void {
    const previous = this.#byId.get(record.id);
    if (previous !== undefined) this.#removeSource(previous);
    this.#byId.set(record.id, record);
    this.#byArn.set(queueArn(record), record);
    namesAt(this.#names, scopeKey(record.scope)).add(record.name);
    const target = deadLetterTargetArn(record);
    if (target !== undefined) namesAt(this.#sources, target).add(record.name);
  }

  delete(record: QueueRecord): void {
    this.#removeSource(record);
    this.#byId.delete(record.id);
    this.#byArn.delete(queueArn(record));
    this.#names.get(scopeKey(record.scope))?.delete(record.name);
  }

  list(scope: Scope, query: { prefix: string; after?: string; limit: number }): QueueRecord[] {
    const names = this.#names.get(scopeKey(scope))?.page(query) ?? [];
    return names.map((name) => this.find(scope, name) as QueueRecord);
  }

  deadLetterSources(scope: Scope, targetArn: string, query: { after?: string; limit: number }): QueueRecord[] {
    const names = this.#sources.get(targetArn)?.page({ prefix: '', ...query }) ?? [];
    return names.map((name) => this.find(scope, name) as QueueRecord);
  }

  /** Where a queue's redrive policy sends messages to; undefined while that queue is missing or refuses them. */
  deadLetterTargetOf(record: QueueRecord): QueueRecord | undefined {
    const { redrive, fifo } = settingsOf(record);
    const target = redrive && this.#byArn.get(redrive.deadLetterTargetArn);
    if (target === undefined || settingsOf(target).fifo !== fifo) return undefined;
    return allowsRedriveFrom(target, queueArn(record)) ? target : undefined;
  }

  clear(): void {
    this.#byId.clear();
    this.#byArn.clear();
    this.#names.clear();
    this.#sources.clear();
  }

  #removeSource(record: QueueRecord): void {
    const target = deadLetterTargetArn(record);
    if (target === undefined) return;
    const names = this.#sources.get(target);
    names?.delete(record.name);
    if (names?.size === 0) this.#sources.delete(target);
  }
}

function namesAt(index: Map<string, SortedNames>, key: string): SortedNames {
  let names = index.get(key);
  if (names === undefined) {
    names = new SortedNames();
    index.set(key, names);
  }
  return names;
}

function scopeKey({ account, region }: Scope): string {
  return `${account}/${region}`;
}

function deadLetterTargetArn(record: QueueRecord): string | undefined {
  return settingsOf(record).redrive?.deadLetterTargetArn;
}
