import { compactStore } from '../server/compact-store.ts';
import { type Flags, loadSettings } from '../server/config/load.ts';

export async function compact(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const { data } = await loadSettings(flags, env);
  const { path, beforeBytes, afterBytes } = await compactStore(data);
  process.stdout.write(`compacted ${path}: ${sizeOf(beforeBytes)} before, ${sizeOf(afterBytes)} now\n`);
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
