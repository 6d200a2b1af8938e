import { beforeEach, describe, expect, it } from 'vitest';
import { type QueueRecord, queueArn, type Scope } from '../queue/record.ts';
import { Catalog } from './catalog.ts';

const here: Scope = { account: '000000000000', region: 'us-east-1' };
const elsewhere: Scope = { account: '000000000000', region: 'eu-west-1' };
const BASICS = { DelaySeconds: '0', MessageRetentionPeriod: '345600', VisibilityTimeout: '30' };

const arnOf = (name: string, scope = here) => queueArn({ scope, name });
const redriveTo = (arn: string) => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: 3 }),
});

let catalog: Catalog;
let lastId: number;

beforeEach(() => {
  catalog = new Catalog();
  lastId = 0;
});

function add(name: string, attributes: Record<string, string> = {}, scope = here): QueueRecord {
  const record: QueueRecord = {
    id: ++lastId,
    scope,
    name,
    attributes: { ...BASICS, ...attributes },
    tags: {},
    createdAt: 0,
    modifiedAt: 0,
    revision: 1,
  };
  catalog.set(record);
  return record;
}

function change(record: QueueRecord, attributes: Record<string, string>): QueueRecord {
  const changed = { ...record, attributes: { ...BASICS, ...attributes }, revision: record.revision + 1 };
  catalog.set(changed);
  return changed;
}

const namesOf = (records: readonly QueueRecord[]) => records.map(({ name }) => name);
const sourcesOf = (target: string, query: { after?: string; limit: number } = { limit: 10 }) =>
  namesOf(catalog.deadLetterSources(here, arnOf(target), query));

describe('finding a queue', () => {
  it('goes by id, by name in a scope, and by ARN', () => {
    const a = add('a');
    const far = add('a', {}, elsewhere);
    expect(catalog.get(a.id)).toBe(a);
    expect(catalog.find(here, 'a')).toBe(a);
    expect(catalog.find(elsewhere, 'a')).toBe(far);
    expect(catalog.findByArn(arnOf('a', elsewhere))).toBe(far);
    expect(catalog.find(here, 'b')).toBeUndefined();
    expect(catalog.get(99)).toBeUndefined();
  });

  it('finds the latest record', () => {
    const changed = change(add('a'), { DelaySeconds: '5' });
    expect(catalog.find(here, 'a')).toBe(changed);
    expect(catalog.get(changed.id)).toBe(changed);
    expect(namesOf(catalog.list(here, { prefix: '', limit: 10 }))).toEqual(['a']);
  });

  it('finds nothing of a deleted queue', () => {
    const a = add('a', redriveTo(arnOf('dead')));
    catalog.delete(a);
    expect(catalog.get(a.id)).toBeUndefined();
    expect(catalog.find(here, 'a')).toBeUndefined();
    expect(catalog.list(here, { prefix: '', limit: 10 })).toEqual([]);
    expect(sourcesOf('dead')).toEqual([]);
  });
});

it('lists the queues of a scope by name, page by page', () => {
  for (const name of ['b', 'a2', 'a10', 'c']) add(name);
  add('a1', {}, elsewhere);
  expect(namesOf(catalog.list(here, { prefix: '', limit: 3 }))).toEqual(['a10', 'a2', 'b']);
  expect(namesOf(catalog.list(here, { prefix: '', after: 'b', limit: 3 }))).toEqual(['c']);
  expect(namesOf(catalog.list(here, { prefix: 'a', limit: 3 }))).toEqual(['a10', 'a2']);
  expect(catalog.list({ ...here, account: '111111111111' }, { prefix: '', limit: 3 })).toEqual([]);
});

describe('the sources of a dead-letter queue', () => {
  it('are the queues whose redrive policy names it, whether or not it exists', () => {
    const target = arnOf('dead');
    const b = add('b', redriveTo(target));
    add('a', redriveTo(target));
    add('c', redriveTo(arnOf('other')));
    expect(sourcesOf('dead')).toEqual(['a', 'b']);
    expect(sourcesOf('dead', { after: 'a', limit: 1 })).toEqual(['b']);
    change(b, redriveTo(arnOf('other')));
    expect(sourcesOf('dead')).toEqual(['a']);
    expect(sourcesOf('other')).toEqual(['b', 'c']);
  });

  it('go with the policy', () => {
    const a = add('a', redriveTo(arnOf('dead')));
    change(a, {});
    expect(sourcesOf('dead')).toEqual([]);
  });
});

describe('the dead-letter target of a queue', () => {
  it('is the queue its policy names, once that exists', () => {
    const source = add('source', redriveTo(arnOf('dead')));
    expect(catalog.deadLetterTargetOf(source)).toBeUndefined();
    const dead = add('dead');
    expect(catalog.deadLetterTargetOf(source)).toBe(dead);
    expect(catalog.deadLetterTargetOf(dead)).toBeUndefined();
  });

  it('is none of another type, and none that refuses the source', () => {
    const source = add('source', redriveTo(arnOf('dead')));
    const dead = add('dead', { FifoQueue: 'true' });
    expect(catalog.deadLetterTargetOf(source)).toBeUndefined();
    change(dead, { RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'denyAll' }) });
    expect(catalog.deadLetterTargetOf(source)).toBeUndefined();
    const policy = { redrivePermission: 'byQueue', sourceQueueArns: [arnOf('source')] };
    const allowing = change(dead, { RedriveAllowPolicy: JSON.stringify(policy) });
    expect(catalog.deadLetterTargetOf(source)).toBe(allowing);
  });
});

it('is empty after clear', () => {
  const { id } = add('a', redriveTo(arnOf('dead')));
  catalog.clear();
  expect(catalog.get(id)).toBeUndefined();
  expect(catalog.find(here, 'a')).toBeUndefined();
  expect(catalog.list(here, { prefix: '', limit: 10 })).toEqual([]);
  expect(sourcesOf('dead')).toEqual([]);
});
