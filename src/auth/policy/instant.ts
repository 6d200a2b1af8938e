/** ISO 8601 as the W3C profiles it: from the year alone to fractions of a second, with a zone when there is a time. */
const ISO_DATE =
  /^([1-9]\d{3})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d)))?)?)?$/;
/** Seconds since 1970; four digits are a year. */
const EPOCH_SECONDS = /^-?(\d{1,3}|\d{5,12})(\.\d{1,9})?$/;

/** Epoch milliseconds of a date of a policy or a request. Undefined when the text is none. */
export function parseInstant(text: string): number | undefined {
  if (EPOCH_SECONDS.test(text)) return Number(text) * 1000;
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction = '0', sign] = match;
  const [zoneHour = '0', zoneMinute = '0'] = match.slice(9);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(midnight);
  // The 30th of February would become the first of March.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const offsetMinutes = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  return midnight + minutes * 60_000 + Number(second) * 1000 + Number(`0.${fraction}`) * 1000;
}
