import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHAIN_START, sealOf } from './chain.ts';
import { filesOf, HEAD_FILE, type Head } from './files.ts';

export type Verdict =
  | { intact: true; files: number; records: number; lastHash: string }
  /** `line` is 0 where something is wrong with a file as a whole. */
  | { intact: false; file: string; line: number; reason: string };

export interface VerifyOptions {
  /** Older files have been taken away, on purpose: the trail may begin anywhere. */
  partial?: boolean;
}

/** Looks at every byte of a trail. Rejects with the error of the file system when it cannot be read. */
export async function verifyTrail(directory: string, { partial = false }: VerifyOptions = {}): Promise<Verdict> {
  const head = await readHead(directory);
  if (head === 'damaged') return broken(HEAD_FILE, 0, 'it is not as it was written');
  const names = await filesOf(directory);
  let expected: string | undefined = partial ? undefined : CHAIN_START;
  let records = 0;
  let headFound = head === undefined;
  for (const file of names) {
    const bytes = await readFile(join(directory, file));
    const text = bytes.toString('utf8');
    // Bytes that are no UTF-8 would all read as the same replacement.
    if (!Buffer.from(text, 'utf8').equals(bytes))
      return broken(file, lineOfDamage(bytes), 'it is not as it was written');
    const lines = text.split('\n');
    if (lines.pop() !== '')
      return broken(
        file,
        lines.length + 1,
        'it has no end: the server was stopped while it wrote, or bytes are missing',
      );
    for (const [index, line] of lines.entries()) {
      const found = sealOf(line);
      if (found === undefined) return broken(file, index + 1, 'it is not as it was written');
      if (expected !== undefined && found.previousHash !== expected) {
        return broken(
          file,
          index + 1,
          'it does not follow the record before it: one is missing, added or out of place',
        );
      }
      expected = found.hash;
      if (head?.hash === found.hash && head.file === file) headFound = true;
      records++;
    }
  }
  if (!headFound) {
    return broken(
      head?.file ?? HEAD_FILE,
      0,
      'records at the end of the trail are missing: the last one known is not there',
    );
  }
  if (records > 0 && head === undefined)
    return broken(HEAD_FILE, 0, 'it is missing, so the end of the trail may be, too');
  return { intact: true, files: names.length, records, lastHash: expected ?? CHAIN_START };
}

function broken(file: string, line: number, reason: string): Verdict {
  return { intact: false, file, line, reason };
}

function lineOfDamage(bytes: Buffer): number {
  const lines = bytes.toString('latin1').split('\n');
  return lines.findIndex((line) => sealOf(Buffer.from(line, 'latin1').toString('utf8')) === undefined) + 1;
}

async function readHead(directory: string): Promise<Head | undefined | 'damaged'> {
  const text = await readFile(join(directory, HEAD_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [, file, hash] = /^\{"file":"([^"]+)","hash":"([0-9a-f]{64})"\}\n$/.exec(text) ?? [];
  return file === undefined || hash === undefined ? 'damaged' : { file, hash };
}
