import { describe, expect, it } from 'vitest';
import { canonicalPath, canonicalQuery, parseQuery } from './canonical-query.ts';

const canonical = (query: string) => canonicalQuery(parseQuery(query));

describe('canonicalQuery', () => {
  it.each([
    ['', ''],
    ['b=1&a=2', 'a=2&b=1'],
    ['a=2&a=1', 'a=1&a=2'],
    ['a', 'a='],
    ['&a=1&&', 'a=1'],
    ['a=b=c', 'a=b%3Dc'],
    // By what is sent, not by what it means: %2D is a hyphen.
    ['%61%2Db=%7e', 'a-b=~'],
    ['a=%c3%a9', 'a=%C3%A9'],
    ['a=+', 'a=%2B'],
    ['a=%', 'a=%25'],
    ['a=%zz', 'a=%25zz'],
    ['A=1&a=2&B=3', 'A=1&B=3&a=2'],
  ])('of "%s" is "%s"', (query, expected) => {
    expect(canonical(query)).toBe(expected);
  });
});

describe('canonicalPath', () => {
  it.each([
    ['/', '/'],
    ['', '/'],
    ['/000000000000/orders.fifo', '/000000000000/orders.fifo'],
    ['//a//b/', '/a/b/'],
    ['/a/./b/../c', '/a/c'],
    ['/../..', '/'],
    // Encoded once more than it came.
    ['/a%20b', '/a%2520b'],
    ['/a b', '/a%20b'],
    ['/...', '/...'],
    ['*', '/%2A'],
  ])('of "%s" is "%s"', (path, expected) => {
    expect(canonicalPath(path)).toBe(expected);
  });
});
