/** What may differ between two values that mean the same to a client. */
export interface Tolerance {
  /** Empty lists and maps are absent: neither protocol has them in replies, nor AWS Query everywhere in requests. */
  emptyIsAbsent?: boolean;
  /** So are empty items of a list: a form has no way to write them. */
  emptyItemsAreAbsent?: boolean;
  text?(text: string): string;
  /** Empty blobs are absent. */
  noBytesIsAbsent?: boolean;
}

/**
 * A value as one text, so that two are the same exactly when their texts are: whatever class its bytes have, with or
 * without a prototype, its members in any order, and each half of a surrogate pair told apart.
 */
export function canonical(value: unknown, tolerance: Tolerance = {}): string {
  return JSON.stringify(normal(value, tolerance)) ?? 'absent';
}

function normal(value: unknown, tolerance: Tolerance): unknown {
  if (typeof value === 'string') return tolerance.text?.(value) ?? value;
  if (value instanceof Uint8Array) {
    if (value.length === 0 && tolerance.noBytesIsAbsent) return undefined;
    return { bytes: Buffer.from(value).toString('hex') };
  }
  if (Array.isArray(value)) {
    const items = value
      .map((item) => normal(item, tolerance))
      .filter((item) => item !== undefined || !tolerance.emptyItemsAreAbsent);
    return items.length === 0 && tolerance.emptyIsAbsent ? undefined : items;
  }
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const members = Object.entries(value)
    .map(([name, item]) => [tolerance.text?.(name) ?? name, normal(item, tolerance)] as const)
    .filter(([, item]) => item !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return members.length === 0 && tolerance.emptyIsAbsent ? undefined : { object: members };
}

/** Throws when they are not. */
export function expectSame(what: string, actual: unknown, expected: unknown, tolerance: Tolerance = {}): void {
  const [left, right] = [canonical(actual, tolerance), canonical(expected, tolerance)];
  if (left !== right) throw new Error(`${what}:\n      got ${left}\n expected ${right}`);
}
