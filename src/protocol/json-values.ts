const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const BRACKET = '['.charCodeAt(0);
const BRACE = '{'.charCodeAt(0);

/**
 * Whether a JSON text holds more than `max` values, told from its bytes alone: each value but the first stands behind a
 * comma or is the first in its list or object. JSON.parse builds all of them before anybody can count: 16 MiB of empty
 * objects take it seconds and half a gigabyte. On what is no JSON the answer means nothing.
 */
export function hasMoreValues(json: Uint8Array, max: number): boolean {
  let count = 1;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if ((byte === COMMA || byte === BRACE || byte === BRACKET) && ++count > max) {
      return true;
    }
  }
  return false;
}
