import { createInterface } from 'node:readline';
import type { Pins } from './pins.ts';
import { ended, start } from './start.ts';
import { type Usage, usageOf } from './usage.ts';

/** A process that serves. */
export interface ServerProcess {
  url: string;
  usage(): Usage | undefined;
  /** Ends it as an operator would; resolves when it has ended. */
  stop(): Promise<void>;
  /** Ends it without a chance to do anything more. */
  kill(): Promise<void>;
}

/** Starts a program whose first line of output is JSON with the `url` it serves at. */
export async function startServer(
  args: readonly string[],
  pins: Pins,
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = start('server', args, { pins, output: 'pipe', environment });
  const end = ended(child, args[0] as string);
  end.catch(() => {});
  const lines = createInterface(child.stdout!);
  const url = await Promise.race([
    new Promise<string>((resolve) => {
      lines.once('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
    }),
    end.then(() => Promise.reject(new Error(`${args[0]} ended before it served`))),
  ]);
  // What a server warns of while it is measured is part of the finding.
  lines.on('line', (line) => {
    if (isWarning(line)) console.error(`server: ${line}`);
  });
  const endWith = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    // A baseline does not handle the signal, and dies of it.
    await end.catch(() => {});
  };
  return {
    url,
    usage: () => usageOf(child.pid as number),
    stop: () => endWith('SIGTERM'),
    kill: () => endWith('SIGKILL'),
  };
}

function isWarning(line: string): boolean {
  const WARN = 40;
  try {
    return (JSON.parse(line) as { level: number }).level >= WARN;
  } catch {
    return true;
  }
}
