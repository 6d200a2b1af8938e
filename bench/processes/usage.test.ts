import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskMegabytesOf, UsageWatch, usageOf } from './usage.ts';

describe.runIf(existsSync('/proc/self/status'))('usageOf', () => {
  it('knows the CPU time and memory of a process, with those of its children', async () => {
    const alone = usageOf(process.pid)!;
    expect(alone.cpuSeconds).toBeGreaterThan(0);
    const child = spawn(process.execPath, [
      '-e',
      'const kept = Buffer.alloc(1 << 26, 1); console.log(1); setInterval(() => kept, 1e6)',
    ]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(usageOf(child.pid!)!.megabytes).toBeGreaterThan(64);
    expect(usageOf(process.pid)!.megabytes).toBeGreaterThan(usageOf(child.pid!)!.megabytes + 10);
    child.kill();
  });

  it('knows nothing of a process that is not there', () => {
    expect(usageOf(2 ** 30)).toBeUndefined();
  });
});

describe('UsageWatch', () => {
  it('tells the highest memory and the CPU time between start and end', () => {
    const usages = [
      { cpuSeconds: 5, megabytes: 70 },
      { cpuSeconds: 6, megabytes: 50 },
    ];
    const watched = new UsageWatch(() => usages.shift()).end();
    expect(watched).toMatchObject({ peakMegabytes: 70, megabytes: 50 });
    expect(watched.cores! * watched.seconds).toBeCloseTo(1);
  });

  it('tells nothing about a process that cannot be watched', () => {
    expect(new UsageWatch(() => undefined).end()).toEqual({ seconds: expect.any(Number) });
  });
});

it('counts what is on the disk, not how long a file says it is', () => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  writeFileSync(join(directory, 'full'), Buffer.alloc(3 << 20, 1));
  writeFileSync(join(directory, 'sparse'), '');
  truncateSync(join(directory, 'sparse'), 1 << 30);
  const megabytes = diskMegabytesOf(directory);
  expect(megabytes).toBeLessThan(100);
  rmSync(directory, { recursive: true });
});
