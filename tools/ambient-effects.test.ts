import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ambientEffectsIn } from './ambient-effects.ts';

const effects = (text: string) => ambientEffectsIn('x.ts', text).map(({ what }) => what);

describe('ambientEffectsIn', () => {
  it.each([
    ['const t = Date.now();', 'Date.now'],
    ['const t = new Date();', 'new Date()'],
    ['const t = new Date;', 'new Date()'],
    ['const t = Date();', 'Date()'],
    ['f(Math.random())', 'Math.random'],
    ['const { random: draw } = Math;', 'Math.random'],
    ['setTimeout(f, 1)', 'setTimeout'],
    ['const later = setImmediate;', 'setImmediate'],
    ['const o = { later: setInterval };', 'setInterval'],
    ['const o = { setInterval };', 'setInterval'],
    ['queueMicrotask(f)', 'queueMicrotask'],
    ['performance.now()', 'performance'],
    ['crypto.randomUUID()', 'crypto.randomUUID'],
    ["import crypto from 'node:crypto'; crypto.randomBytes(8);", 'crypto.randomBytes'],
    ['process.hrtime.bigint()', 'process.hrtime'],
    ['process.nextTick(f)', 'process.nextTick'],
    ["import { randomUUID as id } from 'node:crypto';", 'randomUUID of node:crypto'],
    ["import * as anything from 'node:crypto';", 'node:crypto'],
    ["import { setTimeout as sleep } from 'node:timers/promises';", 'node:timers/promises'],
  ])('finds the effect in %s', (text, what) => {
    expect(effects(text)).toContain(what);
  });

  it.each([
    'const t = new Date(message.sentAt).toISOString();',
    'const t = platform.now() + clock.setTimeout;',
    '// Date.now() and setTimeout are for the platform alone',
    'const text = "Math.random()";',
    'interface Clock { setTimeout(f: () => void): void; performance: number }',
    "import { createHash, createHmac } from 'node:crypto';",
    "import crypto from 'node:crypto'; crypto.createHash('md5');",
    "import type { webcrypto } from 'node:crypto';",
    'const { performance: p } = options; const o = { crypto: 1 };',
    'Math.max(1, 2)',
  ])('finds none in %s', (text) => {
    expect(effects(text)).toEqual([]);
  });

  it('tells the line', () => {
    expect(ambientEffectsIn('x.ts', '\n\nsetTimeout(f, 1);')).toEqual([{ line: 3, what: 'setTimeout' }]);
  });
});

describe('the source', () => {
  it('leaves clock, randomness and timers to the platform', () => {
    const files = sourceFiles().filter((file) => !/^src\/(platform|bin)\/|\.test\.ts$/.test(file));
    expect(files.length).toBeGreaterThan(20);
    const found = files.flatMap((file) =>
      ambientEffectsIn(file, readFileSync(file, 'utf8')).map(({ line, what }) => `${file}:${line} ${what}`),
    );
    expect(found).toEqual([]);
  });
});

function sourceFiles(): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'));
}
