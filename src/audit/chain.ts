import { createHash } from 'node:crypto';

/*
 * The trail is a chain: each line ends with its own hash, which covers every byte before it, and among these the hash of the
 * line before. The first line of a file names the last one of the file before in the same way.
 *
 *   {"eventVersion":"1.09", ... ,"previousHash":"<of the line before>","hash":"<of all that stands before ,"hash">"}
 *
 * A chain shows that no line was changed, taken out, added or moved between two others. It does not show that lines at its
 * end are missing, which is what the head file is for, nor that somebody who may write all of the files has not made the whole
 * chain anew: for that, the hash of the last line has to be kept where he cannot write.
 */

/** What the first line of all names as the one before. */
export const CHAIN_START = '0'.repeat(64);

const SEALED = /^(\{.*,"previousHash":"([0-9a-f]{64})"),"hash":"([0-9a-f]{64})"\}$/s;

export interface Seal {
  hash: string;
  previousHash: string;
}

/** A line of the trail, without its line break. */
export function seal(record: object, previousHash: string): { line: string; hash: string } {
  const covered = JSON.stringify({ ...record, previousHash }).slice(0, -1);
  const hash = sha256(covered);
  return { line: `${covered},"hash":"${hash}"}`, hash };
}

/** Undefined, when the line is not as it was written. */
export function sealOf(line: string): Seal | undefined {
  const [, covered = '', previousHash = '', hash = ''] = SEALED.exec(line) ?? [];
  return covered !== '' && sha256(covered) === hash ? { hash, previousHash } : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
