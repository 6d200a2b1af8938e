/** In a glob, any one character. */
export const ANY_ONE = -1;
/** In a glob, any run of characters, also an empty one. */
export const ANY_RUN = -2;

/** UTF-16 code units and wildcards. Not a regular expression: those take exponential time on patterns of many stars. */
export type Glob = ArrayLike<number>;

/** Literal texts and wildcards, in their order. */
export function globOf(parts: readonly (string | number)[]): Glob {
  const glob: number[] = [];
  for (const part of parts) {
    if (typeof part === 'string') {
      for (let index = 0; index < part.length; index++) glob.push(part.charCodeAt(index));
    } else if (part !== ANY_RUN || glob.at(-1) !== ANY_RUN) {
      glob.push(part);
    }
  }
  return glob;
}

/**
 * Whether all of `text` matches. When the units behind a run do not fit, the run takes one more character; runs before it
 * need not be tried again, as whatever they could take the latest can take too. So the steps are at most the product of
 * both lengths.
 */
export function matchesGlob(glob: Glob, text: string): boolean {
  let at = 0;
  let index = 0;
  let runAt = -1;
  let resumeIndex = 0;
  while (index < text.length) {
    const unit = glob[at];
    if (unit === ANY_RUN) {
      runAt = at++;
      resumeIndex = index;
    } else if (unit === ANY_ONE) {
      at++;
      index += charLength(text, index);
    } else if (unit === text.charCodeAt(index)) {
      at++;
      index++;
    } else if (runAt !== -1) {
      at = runAt + 1;
      index = ++resumeIndex;
    } else {
      return false;
    }
  }
  while (glob[at] === ANY_RUN) at++;
  return at >= glob.length;
}

/** In code units: a character outside the basic plane has two. */
function charLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
