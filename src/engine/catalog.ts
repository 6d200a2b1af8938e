import { SortedNames } from '../collections/sorted-names.ts';
import { allowsRedriveFrom, type QueueRecord, queueArn, type Scope, settingsOf } from '../queue/record.ts';

/** The queues of one account and region. */
class ScopeQueues {
  readonly byName = new Map<string, QueueRecord>();
  readonly names = new SortedNames();
}

/** Which queues there are: an index in memory over the queue records of the shard. */
export class Catalog {
  readonly #byId = new Map<number, QueueRecord>();
  readonly #byArn = new Map<string, QueueRecord>();
  /** By account, then by region: every request looks its queue up, and putting its ARN together took longer than that. */
  readonly #scopes = new Map<string, Map<string, ScopeQueues>>();
  /** Names of the queues whose RedrivePolicy names an ARN. */
  readonly #sources = new Map<string, SortedNames>();

  get(id: number): QueueRecord | undefined {
    return this.#byId.get(id);
  }

  find(scope: Scope, name: string): QueueRecord | undefined {
    return this.#scope(scope)?.byName.get(name);
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
    this.#addToScope(record);
    const target = deadLetterTargetArn(record);
    if (target !== undefined) namesAt(this.#sources, target).add(record.name);
  }

  delete(record: QueueRecord): void {
    this.#removeSource(record);
    this.#byId.delete(record.id);
    this.#byArn.delete(queueArn(record));
    const scope = this.#scope(record.scope);
    scope?.byName.delete(record.name);
    scope?.names.delete(record.name);
  }

  list(scope: Scope, query: { prefix: string; after?: string; limit: number }): QueueRecord[] {
    const names = this.#scope(scope)?.names.page(query) ?? [];
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
    this.#scopes.clear();
    this.#sources.clear();
  }

  #scope({ account, region }: Scope): ScopeQueues | undefined {
    return this.#scopes.get(account)?.get(region);
  }

  #addToScope(record: QueueRecord): void {
    const { account, region } = record.scope;
    let regions = this.#scopes.get(account);
    if (regions === undefined) {
      regions = new Map();
      this.#scopes.set(account, regions);
    }
    let scope = regions.get(region);
    if (scope === undefined) {
      scope = new ScopeQueues();
      regions.set(region, scope);
    }
    scope.byName.set(record.name, record);
    scope.names.add(record.name);
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

function deadLetterTargetArn(record: QueueRecord): string | undefined {
  return settingsOf(record).redrive?.deadLetterTargetArn;
}
