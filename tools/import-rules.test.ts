import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// The rules are only worth something if they can fail, so each is shown a tree that breaks it.

const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'stanchion-imports-'));
});
afterEach(() => rm(root, { recursive: true }));

/** Rules broken by a tree of one importing file and the file it imports. */
async function brokenBy(importer: string, imported: string, more: Record<string, string> = {}): Promise<string[]> {
  const up = '../'.repeat(importer.split('/').length - 1);
  const specifier = imported.startsWith('src/') ? `${up}${imported}` : imported;
  const files = { [imported]: 'export const x = 1;', [importer]: `import '${specifier}';`, ...more };
  for (const [path, text] of Object.entries(files)) {
    if (path.includes(':')) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const { doNotFollow, exclude } = rules.options;
  const { output } = await cruise(['src'], {
    ruleSet: { forbidden: rules.forbidden },
    validate: true,
    baseDir: root,
    tsPreCompilationDeps: true,
    doNotFollow,
    exclude,
  });
  return [...new Set((output as ICruiseResult).summary.violations.map((violation) => violation.rule.name))].sort();
}

describe('the import rules', () => {
  it.each([
    ['src/collections/a.ts', 'src/platform/b.ts', 'collections-imports-only-its-lower-layers'],
    ['src/platform/a.ts', 'src/collections/b.ts', 'platform-imports-only-its-lower-layers'],
    ['src/queue/a.ts', 'src/platform/b.ts', 'queue-imports-only-its-lower-layers'],
    ['src/queue/a.ts', 'src/engine/b.ts', 'queue-imports-only-its-lower-layers'],
    ['src/protocol/a.ts', 'src/queue/b.ts', 'protocol-imports-only-its-lower-layers'],
    ['src/engine/a.ts', 'src/api/b.ts', 'engine-imports-only-its-lower-layers'],
    ['src/engine/a.ts', 'src/protocol/b.ts', 'engine-imports-only-its-lower-layers'],
    ['src/auth/policy/a.ts', 'src/api/b.ts', 'auth-policy-imports-only-its-lower-layers'],
    ['src/auth/policy/a.ts', 'src/platform/b.ts', 'auth-policy-imports-only-its-lower-layers'],
    ['src/api/a.ts', 'src/engine/shard.ts', 'api-imports-only-its-lower-layers'],
    ['src/api/a.ts', 'src/queue/queue.ts', 'api-imports-only-its-lower-layers'],
    ['src/api/a.ts', 'src/protocol/codec.ts', 'api-imports-only-its-lower-layers'],
    ['src/api/a.ts', 'src/storage/store.ts', 'api-imports-only-its-lower-layers'],
    ['src/channel/a.ts', 'src/engine/shard.ts', 'channel-imports-only-its-lower-layers'],
    ['src/channel/a.ts', 'src/api/b.ts', 'channel-imports-only-its-lower-layers'],
    ['src/engine/a.ts', 'src/channel/b.ts', 'engine-imports-only-its-lower-layers'],
    ['src/api/a.ts', 'src/channel/b.ts', 'api-imports-only-its-lower-layers'],
    ['src/auth/sigv4/a.ts', 'src/auth/identity/b.ts', 'auth-sigv4-imports-only-its-lower-layers'],
    ['src/auth/sigv4/a.ts', 'src/protocol/codec.ts', 'auth-sigv4-imports-only-its-lower-layers'],
    ['src/auth/identity/a.ts', 'src/auth/sts/b.ts', 'auth-identity-imports-only-its-lower-layers'],
    ['src/auth/identity/a.ts', 'src/server/b.ts', 'auth-identity-imports-only-its-lower-layers'],
    ['src/auth/sts/a.ts', 'src/protocol/sts/sts-codec.ts', 'auth-sts-imports-only-its-lower-layers'],
    ['src/auth/sts/a.ts', 'src/api/b.ts', 'auth-sts-imports-only-its-lower-layers'],
    ['src/storage/store.ts', 'src/engine/a.ts', 'storage-imports-only-its-lower-layers'],
    ['src/storage/store.ts', 'src/storage/lmdb/a.ts', 'the-port-knows-no-adapter'],
    ['src/storage/lmdb/a.ts', 'src/storage/memory/b.ts', 'adapters-know-the-port-only'],
    ['src/storage/lmdb/a.ts', 'src/queue/record.ts', 'adapters-know-the-port-only'],
    ['src/bin/a.ts', 'src/engine/b.ts', 'the-command-line-knows-the-server-only'],
    ['src/index.ts', 'src/storage/memory/a.ts', 'only-the-server-wires-adapters'],
    ['src/server/a.ts', 'src/bin/b.ts', 'nobody-imports-the-command-line'],
  ])('forbid %s to import %s', async (importer, imported, rule) => {
    expect(await brokenBy(importer, imported)).toContain(rule);
  });

  it.each([
    ['src/bin/a.ts', 'src/server/b.ts'],
    ['src/server/a.ts', 'src/storage/lmdb/b.ts'],
    ['src/api/a.ts', 'src/engine/queue-service.ts'],
    ['src/api/a.ts', 'src/protocol/model/b.ts'],
    ['src/api/a.ts', 'src/auth/policy/b.ts'],
    ['src/channel/a.ts', 'src/engine/queue-service.ts'],
    ['src/server/a.ts', 'src/channel/b.ts'],
    ['src/engine/a.ts', 'src/storage/store.ts'],
    ['src/engine/a.ts', 'src/queue/b.ts'],
    ['src/queue/a.ts', 'src/collections/b.ts'],
    ['src/storage/lmdb/a.ts', 'src/storage/lmdb/b.ts'],
    ['src/storage/memory/a.ts', 'src/collections/b.ts'],
    ['src/queue/a.test.ts', 'src/engine/b.ts'],
  ])('allow %s to import %s', async (importer, imported) => {
    expect(await brokenBy(importer, imported)).toEqual([]);
  });

  it('count a type as an import', async () => {
    const text = "import type { B } from '../engine/b.ts'; export const a = {} as B;";
    const tree = { 'src/queue/a.ts': text, 'src/engine/b.ts': 'export interface B {}' };
    expect(await brokenBy('src/queue/a.ts', 'src/engine/b.ts', tree)).toEqual(['queue-imports-only-its-lower-layers']);
  });

  it('keep the machine out of the domain', async () => {
    expect(await brokenBy('src/queue/a.ts', 'node:fs')).toEqual(['domain-uses-nothing-of-the-machine']);
    expect(await brokenBy('src/auth/policy/a.ts', 'node:net')).toEqual(['domain-uses-nothing-of-the-machine']);
    expect(await brokenBy('src/engine/a.ts', 'node:crypto')).toEqual(['domain-uses-nothing-of-the-machine']);
  });

  it('forbid cycles', async () => {
    const tree = { 'src/queue/b.ts': "import './a.ts'; export const x = 1;" };
    expect(await brokenBy('src/queue/a.ts', 'src/queue/b.ts', tree)).toEqual(['no-cycles']);
  });

  it('forbid imports of nothing', async () => {
    const tree = { 'src/queue/a.ts': "import './nowhere.ts';" };
    expect(await brokenBy('src/queue/a.ts', 'src/queue/b.ts', tree)).toEqual(['no-unresolved']);
  });

  it('let a folder use its own packages only', async () => {
    const lmdb = {
      'node_modules/lmdb/package.json': '{"name":"lmdb","version":"1.0.0","main":"index.js"}',
      'node_modules/lmdb/index.js': 'module.exports = {};',
      'package.json': '{"dependencies":{"lmdb":"1.0.0"}}',
    };
    expect(await brokenBy('src/storage/lmdb/a.ts', 'lmdb', lmdb)).toEqual([]);
    expect(await brokenBy('src/engine/a.ts', 'lmdb', lmdb)).toEqual(['other-folders-use-no-packages']);
    expect(await brokenBy('src/server/a.ts', 'lmdb', lmdb)).toEqual([
      'other-folders-use-no-packages',
      'server-uses-only-its-packages',
    ]);
  });
});
