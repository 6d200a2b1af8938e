export interface NumberRule {
  min: number;
  isWhole?: boolean;
}

/** For seeds, and for cases counted from 0. */
export const COUNTED_FROM_ZERO: NumberRule = { min: 0, isWhole: true };
export const AT_LEAST_ONE: NumberRule = { min: 1, isWhole: true };
/** For minutes and seconds: some time, however little. */
export const TIME: NumberRule = { min: Number.MIN_VALUE };

/**
 * The number that an argument of the command line gives, or undefined without one. Ends the process when it gives none: a
 * run of nothing would look like one in which nothing went wrong.
 */
export function numberArgument(
  name: string,
  text: string | undefined,
  { min, isWhole }: NumberRule,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && Number.isFinite(value) && (isWhole !== true || Number.isSafeInteger(value))) return value;
  const least = min === Number.MIN_VALUE ? 'above 0' : `from ${min}`;
  console.error(
    `--${name} must be a ${isWhole === true ? 'whole number' : 'number'} ${least}, not ${JSON.stringify(text)}`,
  );
  process.exit(2);
}
