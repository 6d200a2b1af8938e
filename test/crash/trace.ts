/** What strace has seen of a server: the calls that write to its data file, make it durable, and answer clients. */
export interface Call {
  name: string;
  /** Descriptor, and what it stands for: a path or `socket:[7]`. */
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

const WHOLE = /^(\d+)\s+(\w+)\((.*)\)\s+= (-?\d+)/s;
const UNFINISHED = /^(\d+)\s+(\w+)\((.*) <unfinished \.\.\.>$/s;
const RESUMED = /^(\d+)\s+<\.\.\. (\w+) resumed>(.*)\)\s+= (-?\d+)/s;
const DESCRIPTOR = /^(\d+)<([^>]*)>/;

export function parseTrace(text: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, { words: string; begin: number }>();
  const synchronous = new Set<number>();
  const add = (name: string, words: string, result: number, begin: number, end: number): void => {
    if (name === 'openat') {
      if (/O_D?SYNC/.test(words)) synchronous.add(result);
      else synchronous.delete(result);
      return;
    }
    const [, fd, target] = DESCRIPTOR.exec(words) ?? [];
    if (fd === undefined || target === undefined) return;
    const isSynchronous = synchronous.has(Number(fd));
    calls.push({ name, fd: Number(fd), target, words, result, begin, end, isSynchronous });
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
    add(name, (start?.words ?? '') + words, Number(result), start?.begin ?? number, number);
  });
  return calls.sort((a, b) => a.begin - b.begin);
}
