import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildIsStale, installIsStale, stampInstall } from './setup.mjs';

/** Seconds since the epoch; files that matter get times around it. */
const NOW = 1_700_000_000;
let root;

function write(path, { text = '', at = NOW } = {}) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, at, at);
}

function touch(path, at) {
  utimesSync(join(root, path), at, at);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stanchion-setup-'));
  write('package-lock.json', { text: '{"lock":1}' });
});
afterEach(() => rmSync(root, { recursive: true }));

describe('installIsStale', () => {
  it('is true without node_modules', () => {
    expect(installIsStale(root)).toBe(true);
  });

  it('is false after an installation, whatever the times of the files say', () => {
    write('node_modules/x/index.js');
    stampInstall(root);
    touch('package-lock.json', NOW + 1_000_000_000);
    expect(installIsStale(root)).toBe(false);
  });

  it('is true when the lock file has other contents', () => {
    write('node_modules/x/index.js');
    stampInstall(root);
    write('package-lock.json', { text: '{"lock":2}' });
    expect(installIsStale(root)).toBe(true);
  });

  it('trusts an installation by hand that is younger than the lock file', () => {
    write('node_modules/.package-lock.json', { at: NOW + 1 });
    expect(installIsStale(root)).toBe(false);
    touch('package-lock.json', NOW + 2);
    expect(installIsStale(root)).toBe(true);
  });

  it('is true for a node_modules that npm did not finish', () => {
    write('node_modules/x/index.js');
    expect(installIsStale(root)).toBe(true);
  });
});

describe('buildIsStale', () => {
  beforeEach(() => {
    write('src/server/start.ts');
    write('src/server/start.test.ts');
    for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package.json']) write(file);
    for (const folder of ['src', 'src/server']) touch(folder, NOW);
    write('dist/.built', { at: NOW + 10 });
  });

  it('is false when the build is younger than all that goes into it', () => {
    expect(buildIsStale(root)).toBe(false);
  });

  it('is true when no build was finished', () => {
    rmSync(join(root, 'dist/.built'));
    expect(buildIsStale(root)).toBe(true);
  });

  it.each(['src/server/start.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'])(
    'is true when %s is younger',
    (file) => {
      touch(file, NOW + 20);
      expect(buildIsStale(root)).toBe(true);
    },
  );

  it('is true when a source file was deleted, which changes its folder', () => {
    rmSync(join(root, 'src/server/start.ts'));
    expect(buildIsStale(root)).toBe(true);
  });

  it('is false when only a test changed', () => {
    touch('src/server/start.test.ts', NOW + 20);
    expect(buildIsStale(root)).toBe(false);
  });
});
