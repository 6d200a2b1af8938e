/**
 * A key that stands twice in one object of a JSON text, or undefined. JSON.parse would keep the last one and drop the others
 * without a word, and with them, in a policy, a condition or a deny. The text must be valid JSON.
 */
export function duplicateKeyIn(json: string): string | undefined {
  /** The keys of each open object, undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  /** Also after a comma of a list, where strings are no keys whatever it says. */
  let isKeyNext = false;
  let index = 0;
  while (index < json.length) {
    const char = json[index] as string;
    if (char === '"') {
      const end = endOfString(json, index);
      const keys = open.at(-1);
      if (isKeyNext && keys !== undefined) {
        const key = JSON.parse(json.slice(index, end));
        if (keys.has(key)) return key;
        keys.add(key);
        isKeyNext = false;
      }
      index = end;
      continue;
    }
    if (char === '{') open.push(new Set());
    else if (char === '[') open.push(undefined);
    else if (char === '}' || char === ']') open.pop();
    if (char === '{' || char === ',') isKeyNext = true;
    index++;
  }
  return undefined;
}

/** Behind the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index + 1;
}
