/** What strace has seen of a server: the calls that open and write its files, make them durable, and answer clients. */
export interface Call {
  name: string;
  /** Descriptor, and what it stands for: a path or `socket:[7]`. Of `openat`, the new one. */
  fd: number;
  target: string;
  /** What was between the parentheses, with the data. */
  words: string;
  /** Negative: it failed. */
  result: number;
  /** Lines of the trace. Another call came in between when they differ. */
  begin: number;
  end: number;
  /** The descriptor was opened so that a write is durable when it is over. */
  isSynchronous: boolean;
}

/** For strace: every thread, and each page whole. */
export const TRACE_OPTIONS = [
  ...['-f', '-y', '-s', '10000'],
  ...['-e', 'trace=openat,close,pwrite64,pwritev,write,writev,fdatasync,fsync,sendto,sendmsg'],
];

const WHOLE = /^(\d+)\s+(\w+)\((.*)\)\s+= (-?\d+(?:<[^>]*>)?)/s;
const UNFINISHED = /^(\d+)\s+(\w+)\((.*) <unfinished \.\.\.>$/s;
const RESUMED = /^(\d+)\s+<\.\.\. (\w+) resumed>(.*)\)\s+= (-?\d+(?:<[^>]*>)?)/s;
const DESCRIPTOR = /^(\d+)<([^>]*)>/;
/** Its characters may be more than what was written: one byte takes up to four. */
const WRITTEN = /^[^"]*"((?:\\.|[^"\\]){0,400})/s;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

export function parseTrace(text: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, { words: string; begin: number }>();
  const synchronous = new Set<number>();
  const add = (name: string, words: string, result: string, begin: number, end: number): void => {
    const [, fd, target] = DESCRIPTOR.exec(name === 'openat' ? result : words) ?? [];
    if (fd === undefined || target === undefined) return;
    if (name === 'openat') {
      if (/O_D?SYNC/.test(words)) synchronous.add(Number(fd));
      else synchronous.delete(Number(fd));
    }
    const isSynchronous = synchronous.has(Number(fd));
    calls.push({ name, fd: Number(fd), target, words, result: Number.parseInt(result, 10), begin, end, isSynchronous });
  };
  text.split('\n').forEach((line, number) => {
    const begun = UNFINISHED.exec(line);
    if (begun !== null) {
      unfinished.set(begun[1] as string, { words: begun[3] as string, begin: number });
      return;
    }
    const resumed = RESUMED.exec(line);
    const whole = resumed ?? WHOLE.exec(line);
    if (whole === null) return;
    const [, thread, name, words, result] = whole as unknown as [string, string, string, string, string];
    const start = resumed === null ? undefined : unfinished.get(thread);
    add(name, (start?.words ?? '') + words, result, start?.begin ?? number, number);
  });
  return calls.sort((a, b) => a.begin - b.begin);
}

/** The first bytes, at least 100 if there are so many, of what a call wrote. */
export function firstBytesOf({ words }: Call): Buffer {
  const text = WRITTEN.exec(words)?.[1] ?? '';
  const unescaped = text.replace(/\\([0-7]{1,3}|.)/gs, (_, code: string) =>
    /\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
  return Buffer.from(unescaped, 'latin1');
}

/** Whether a write has written all that it was to write. */
export function isWhole({ words, result }: Call): boolean {
  const parts = [...words.matchAll(/iov_len=(\d+)/g)].map(([, length]) => Number(length));
  return result === (parts.length > 0 ? parts.reduce((sum, length) => sum + length, 0) : placeOf(words)?.length);
}

/** What a `pwrite64` writes to. */
export function placeOf(words: string): { offset: number; length: number } | undefined {
  const [, length, offset] = /, (\d+), (\d+)$/.exec(words) ?? [];
  return length === undefined ? undefined : { offset: Number(offset), length: Number(length) };
}
