import { readdir } from 'node:fs/promises';

/** Beside the files: how far the trail has come, to notice lines that are missing at its end. */
export const HEAD_FILE = 'head.json';

/** What `head.json` holds. */
export interface Head {
  file: string;
  hash: string;
}

const FILE = /^audit-\d{4}-\d{2}-\d{2}\.jsonl$/;

/** The file of the UTC day of a time (epoch milliseconds). */
export function fileOfDay(time: number): string {
  return `audit-${new Date(time).toISOString().slice(0, 10)}.jsonl`;
}

/** The names of the files of a trail, oldest first. */
export async function filesOf(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => FILE.test(name)).sort();
}
