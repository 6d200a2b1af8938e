import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommitError, type Operation, type Row, type Store } from '../../../src/storage/store.ts';

const KEY_END = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
const MEBIBYTE = 1024 * 1024;

/** What every store must do, whatever it is made of. `open` opens a new and empty one. */
export function storeConformance(name: string, open: () => Promise<Store>): void {
  describe(`the ${name} store`, () => {
    let store: Store;

    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const all = (limit = 100_000) => store.range({ start: Buffer.from([0]), end: KEY_END, limit });

    describe('reading', () => {
      it('finds nothing in an empty store', async () => {
        expect(await store.get(bytes('a'))).toBeUndefined();
        expect(await store.getMany([bytes('a'), bytes('b')])).toEqual([undefined, undefined]);
        expect(await store.getMany([])).toEqual([]);
        expect(await all()).toEqual([]);
      });

      it('gives many values in the order of the keys asked for', async () => {
        await store.commit([put('a', '1'), put('b', '2'), put('c', '3')]);
        const values = await store.getMany(['c', 'x', 'a', 'c'].map(bytes));
        expect(values.map(textOf)).toEqual(['3', undefined, '1', '3']);
      });

      it('tells an empty value from none', async () => {
        await store.commit([put('a', ''), put('b', '')]);
        expect(await store.get(bytes('a'))).toHaveLength(0);
        expect(rowsOf(await all())).toEqual(['a=', 'b=']);
      });
    });

    describe('a range', () => {
      beforeEach(() => store.commit(['d', 'b', 'a', 'c', 'bb'].map((key) => put(key, key.toUpperCase()))));

      const range = async (start: string, end: string, limit: number, keysOnly?: boolean) =>
        rowsOf(await store.range({ start: bytes(start), end: bytes(end), limit, keysOnly }));

      it('begins with its start and ends before its end, in order', async () => {
        expect(await range('a', 'z', 10)).toEqual(['a=A', 'b=B', 'bb=BB', 'c=C', 'd=D']);
        expect(await range('b', 'd', 10)).toEqual(['b=B', 'bb=BB', 'c=C']);
        expect(await range('aa', 'bc', 10)).toEqual(['b=B', 'bb=BB']);
      });

      it('is empty where nothing lies, and where its end is not behind its start', async () => {
        expect(await range('x', 'z', 10)).toEqual([]);
        expect(await range('ba', 'bb', 10)).toEqual([]);
        expect(await range('b', 'b', 10)).toEqual([]);
        expect(await range('c', 'a', 10)).toEqual([]);
      });

      it('has no more rows than its limit', async () => {
        expect(await range('a', 'z', 2)).toEqual(['a=A', 'b=B']);
        expect(await range('a', 'z', 5)).toHaveLength(5);
        expect(await range('a', 'z', 1)).toHaveLength(1);
        expect(await range('a', 'z', 0)).toEqual([]);
      });

      it('leaves the values out when only the keys are asked for', async () => {
        expect(await range('b', 'z', 3, true)).toEqual(['b=', 'bb=', 'c=']);
      });
    });

    describe('keys', () => {
      it('may hold every byte, at every place', async () => {
        const keys = Array.from({ length: 256 }, (_, byte) => [
          Buffer.from([byte]),
          Buffer.from([byte, byte]),
          Buffer.from([1, byte, 1]),
          Buffer.from([1, 1, byte]),
        ]).flat();
        await store.commit(keys.map((key) => ({ key, value: key })));
        const expected = uniqueInOrder(keys);
        expect(expected.length).toBeGreaterThan(1000);
        const rows = await store.range({
          start: Buffer.from([0]),
          end: Buffer.from([0xff, 0xff, 0xff]),
          limit: 10_000,
        });
        expect(rows.map(({ key }) => hex(key))).toEqual(expected);
        expect(rows.map(({ value }) => hex(value))).toEqual(expected);
        for (const key of keys) expect(hex((await store.get(key)) as Uint8Array)).toBe(hex(key));
      });

      it('differ by zeros at their end', async () => {
        const keys = [[1], [1, 0], [1, 0, 0], [1, 0, 0, 1]].map((key) => Buffer.from(key));
        await store.commit(keys.toReversed().map((key) => ({ key, value: Buffer.from([key.length]) })));
        expect((await all()).map(({ value }) => value[0])).toEqual([1, 2, 3, 4]);
        await store.commit([{ key: Buffer.from([1, 0]) }]);
        expect((await all()).map(({ value }) => value[0])).toEqual([1, 3, 4]);
      });

      it('may be as long as the longest there is, and lie anywhere in a larger buffer', async () => {
        const long = Buffer.alloc(600, 0xab).subarray(11);
        const plain = new Uint8Array(100).fill(7).subarray(3, 40);
        await store.commit([
          { key: long, value: bytes('long') },
          { key: plain, value: bytes('plain') },
        ]);
        expect(textOf(await store.get(Buffer.from(long)))).toBe('long');
        expect(textOf(await store.get(Uint8Array.from(plain)))).toBe('plain');
      });
    });

    describe('a commit', () => {
      it('puts, replaces and deletes', async () => {
        await store.commit([put('a', '1'), put('b', '1')]);
        await store.commit([put('a', '2'), remove('b'), put('c', '1')]);
        expect(rowsOf(await all())).toEqual(['a=2', 'c=1']);
      });

      it('may delete what is not there', async () => {
        await store.commit([remove('a'), put('b', '1'), remove('c')]);
        expect(rowsOf(await all())).toEqual(['b=1']);
      });

      it('may be empty', async () => {
        await store.commit([]);
        expect(await all()).toEqual([]);
      });

      it('applies its operations in order, so that the last one on a key wins', async () => {
        await store.commit([put('a', '1'), put('a', '2'), put('b', '1'), remove('b'), remove('c'), put('c', '1')]);
        expect(rowsOf(await all())).toEqual(['a=2', 'c=1']);
      });

      it('is seen whole or not at all', async () => {
        const keys = Array.from({ length: 500 }, (_, index) => bytes(`key-${index}`));
        for (const version of ['1', '2']) {
          const commit = store.commit(keys.map((key) => ({ key, value: bytes(version) })));
          const seen = new Set<string>();
          await whileUnderWay(commit, async () => {
            seen.add([...new Set((await all()).map(({ value }) => textOf(value)))].join('+'));
          });
          expect([...seen].filter((mixed) => mixed.includes('+'))).toEqual([]);
          expect(new Set((await all()).map(({ value }) => textOf(value)))).toEqual(new Set([version]));
        }
      });

      it('is seen as soon as it is acknowledged', async () => {
        for (let round = 0; round < 50; round++) {
          await store.commit([put('a', `${round}`)]);
          expect(textOf(await store.get(bytes('a')))).toBe(`${round}`);
        }
      });

      // A store shows a commit once it is durable, which may be a moment before it says so. When that is only the
      // store's disk knows; what can be seen from here is that the call alone does not do it.
      it('is not seen while it is only asked for', async () => {
        const commit = store.commit([put('a', '1')]);
        const reads = Promise.all([store.get(bytes('a')), store.getMany([bytes('a')]), all()]);
        expect(await reads).toEqual([undefined, [undefined], []]);
        await commit;
        expect(textOf(await store.get(bytes('a')))).toBe('1');
      });

      it('takes effect in the order of the calls, and is acknowledged in that order', async () => {
        const acknowledged: number[] = [];
        const commits = Array.from({ length: 300 }, async (_, index) => {
          await store.commit([put('a', `${index}`), put(`b-${index}`, '1')]);
          acknowledged.push(index);
        });
        await Promise.all(commits);
        expect(acknowledged).toEqual(acknowledged.toSorted((a, b) => a - b));
        expect(textOf(await store.get(bytes('a')))).toBe('299');
        expect(await all()).toHaveLength(301);
      });

      it('that is acknowledged has those before it in the store', async () => {
        const commits: Promise<void>[] = [];
        for (let index = 0; index < 100; index++) {
          commits.push(
            store.commit([put(`key-${index}`, '1')]).then(async () => {
              const keys = Array.from({ length: index + 1 }, (_, before) => bytes(`key-${before}`));
              expect(await store.getMany(keys)).not.toContain(undefined);
            }),
          );
          if (index % 7 === 0) await setImmediate();
        }
        await Promise.all(commits);
      });
    });

    describe('size', () => {
      it('holds a value of 1 MiB and a commit of 10 MiB', async () => {
        const values = Array.from({ length: 10 }, (_, index) => Buffer.alloc(MEBIBYTE, index + 1));
        await store.commit(values.map((value, index) => ({ key: bytes(`key-${index}`), value })));
        const found = await store.getMany(values.map((_, index) => bytes(`key-${index}`)));
        found.forEach((value, index) => {
          expect(Buffer.compare(value as Uint8Array, values[index] as Buffer)).toBe(0);
        });
        const rows = await all(3);
        expect(rows.map(({ value }) => value.length)).toEqual([MEBIBYTE, MEBIBYTE, MEBIBYTE]);
      });

      it('holds many rows, in order, whatever the order they came in', async () => {
        const count = 20_000;
        const numbers = Array.from({ length: count }, (_, index) => (index * 7919) % count);
        const commits: Promise<void>[] = [];
        for (let from = 0; from < count; from += 1000) {
          commits.push(store.commit(numbers.slice(from, from + 1000).map((number) => put(numberKey(number), 'x'))));
        }
        await Promise.all(commits);
        const rows = await store.range({ start: bytes('0'), end: bytes('9~'), limit: count + 1, keysOnly: true });
        expect(rows.map(({ key }) => Number(textOf(key)))).toEqual(Array.from({ length: count }, (_, index) => index));
        // Every second one goes, and what is left can be paged through.
        await store.commit(numbers.filter((number) => number % 2 === 0).map((number) => remove(numberKey(number))));
        const odd: number[] = [];
        for (let start: Uint8Array = bytes('0'); ; ) {
          const page = await store.range({ start, end: bytes('9~'), limit: 700 });
          odd.push(...page.map(({ key }) => Number(textOf(key))));
          const last = page.at(-1);
          if (last === undefined) break;
          start = Buffer.concat([last.key, Buffer.from([0])]);
        }
        expect(odd).toEqual(Array.from({ length: count / 2 }, (_, index) => 2 * index + 1));
      });

      it('is what the statistics say, roughly', async () => {
        const before = store.stats();
        expect(before.freeBytes).toBeGreaterThan(0);
        await store.commit(Array.from({ length: 4 }, (_, index) => put(`key-${index}`, 'x'.repeat(MEBIBYTE))));
        expect(store.stats().usedBytes - before.usedBytes).toBeGreaterThanOrEqual(4 * MEBIBYTE);
      });
    });

    describe('memory', () => {
      it('of an acknowledged commit belongs to the caller again', async () => {
        const key = Buffer.from('key');
        const value = Buffer.from('value');
        await store.commit([{ key, value }]);
        key.fill(0x2e);
        value.fill(0x2e);
        expect(rowsOf(await all())).toEqual(['key=value']);
      });

      it('that was read stays as it is, whatever is read and written later', async () => {
        const keys = Array.from({ length: 50 }, (_, index) => `key-${String(index).padStart(2, '0')}`);
        await store.commit(keys.map((key) => put(key, key.repeat(40))));
        const rows = await all();
        const single = await store.get(bytes('key-07'));
        const many = await store.getMany(keys.map(bytes));
        for (let round = 0; round < 5; round++) {
          await store.commit(keys.map((key) => put(key, `${round}`.repeat(240))));
          await all();
          await store.get(bytes('key-08'));
        }
        expect(rowsOf(rows)).toEqual(keys.map((key) => `${key}=${key.repeat(40)}`));
        expect(textOf(single)).toBe('key-07'.repeat(40));
        expect(many.map(textOf)).toEqual(keys.map((key) => key.repeat(40)));
      });
    });

    describe('closing', () => {
      it('waits for the commits under way', async () => {
        let done = 0;
        const commits = Array.from({ length: 20 }, async (_, index) => {
          await store.commit([put(`key-${index}`, 'x'.repeat(10_000))]);
          done++;
        });
        await store.close();
        await setImmediate();
        expect(done).toBe(20);
        await Promise.all(commits);
      });

      it('ends commits: later ones are refused, and surely not applied', async () => {
        await store.close();
        const refused = await store.commit([put('a', '1')]).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(CommitError);
        expect((refused as CommitError).outcome).toBe('not-applied');
      });

      it('may happen twice', async () => {
        await store.close();
        await store.close();
      });
    });

    it('does what a sorted array does', async () => {
      const key = fc.uint8Array({ minLength: 1, maxLength: 3 }).map((random) => random.map((byte) => byte % 4 || byte));
      const operation = fc.record({ key, value: fc.option(fc.uint8Array({ maxLength: 20 }), { nil: undefined }) });
      const range = fc.record({ start: key, end: key, limit: fc.integer({ min: 1, max: 20 }) });
      const batch = fc.array(operation, { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { maxLength: 5 }), range, async (batches, query) => {
          await store.commit((await all()).map(({ key: left }) => ({ key: left })));
          const expected = new Map<string, string>();
          for (const { key: changed, value } of batches.flat()) {
            if (value === undefined) expected.delete(hex(changed));
            else expected.set(hex(changed), hex(value));
          }
          await Promise.all(batches.map((operations) => store.commit(operations)));
          const rows = await store.range(query);
          expect(rows.map((row) => [hex(row.key), hex(row.value)])).toEqual(
            [...expected]
              .filter(([each]) => each >= hex(query.start) && each < hex(query.end))
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .slice(0, query.limit),
          );
          const values = await store.getMany([...expected.keys()].map((each) => Buffer.from(each, 'hex')));
          expect(values.map((value) => hex(value as Uint8Array))).toEqual([...expected.values()]);
        }),
        { numRuns: 100 },
      );
    });
  });
}

/** Does something again and again, in turns of the event loop, until a commit is acknowledged. */
async function whileUnderWay(commit: Promise<void>, action: () => Promise<void>): Promise<void> {
  let isUnderWay = true;
  const end = commit.finally(() => {
    isUnderWay = false;
  });
  while (isUnderWay) {
    await action();
    await setImmediate();
  }
  await end;
}

export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

export function put(key: string, value: string): Operation {
  return { key: bytes(key), value: bytes(value) };
}

function remove(key: string): Operation {
  return { key: bytes(key) };
}

export function textOf(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString();
}

function rowsOf(rows: readonly Row[]): string[] {
  return rows.map(({ key, value }) => `${textOf(key)}=${textOf(value)}`);
}

function hex(value: Uint8Array): string {
  return Buffer.from(value).toString('hex');
}

function numberKey(number: number): string {
  return String(number).padStart(6, '0');
}

/** Bytewise order is that of the hexadecimal digits. */
function uniqueInOrder(keys: readonly Buffer[]): string[] {
  return [...new Set(keys.map(hex))].toSorted();
}
