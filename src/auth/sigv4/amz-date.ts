const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** The form of HTTP: `Sun, 30 Aug 2015 12:36:00 GMT`. */
const HTTP = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** The other form of a `Date` header has 29. */
export const AMZ_DATE_LENGTH = 16;

/** `20150830T123600Z`, the form in which signatures carry time; `ms`: since the epoch, of which the seconds count. */
export function formatAmzDate(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Milliseconds since the epoch; undefined for what is no time, or is written in another form. */
export function parseAmzDate(text: string): number | undefined {
  const match = BASIC.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hours, minutes, seconds] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(Date.UTC(year, month - 1, day, hours, minutes, seconds));
  // February has no 30th, though Date takes it for a day in March. Cheaper than writing the date out again.
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && hours < 24 && minutes < 60 && seconds < 60 ? date.getTime() : undefined;
}

/** The value of a `Date` header, in either form. */
export function parseDateHeader(text: string): number | undefined {
  if (!HTTP.test(text)) return parseAmzDate(text);
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
