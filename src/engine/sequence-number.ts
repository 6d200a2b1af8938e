/**
 * The SequenceNumber of a FIFO message: 20 digits that rise with its place in the log, so that comparing them as text
 * and as numbers gives the same order (SQS: section 6.1).
 */
export function sequenceNumber(seq: number): string {
  return `1${String(seq).padStart(19, '0')}`;
}
