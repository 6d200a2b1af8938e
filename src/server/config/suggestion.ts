/** How many edits a misspelt word may be away from the one that was meant. */
const EDITS_MAX = 3;

/** `; did you mean "port"?` when one of `known` is close to `word`, else nothing. Case, `-` and `_` do not count. */
export function suggestionFor(word: string, known: readonly string[]): string {
  let closest: string | undefined;
  let fewest = EDITS_MAX + 1;
  for (const candidate of known) {
    const edits = editDistance(bare(word), bare(candidate));
    // A short word must not "mean" one that shares hardly a letter with it.
    if (edits < fewest && edits <= candidate.length / 2) {
      closest = candidate;
      fewest = edits;
    }
  }
  return closest === undefined ? '' : `; did you mean "${closest}"?`;
}

function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Levenshtein distance: insertions, deletions and replacements. */
function editDistance(from: string, to: string): number {
  // Configuration keys are short; a pasted novel in their place is not worth comparing.
  if (Math.abs(from.length - to.length) > EDITS_MAX) return EDITS_MAX + 1;
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[to.length]!;
}
