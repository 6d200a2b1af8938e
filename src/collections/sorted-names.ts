/** A set of strings in ascending order of code units: O(log n) look-up, pages from any point without sorting. */
export class SortedNames {
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  add(name: string): void {
    const index = this.#lowerBound(name);
    if (this.#names[index] !== name) this.#names.splice(index, 0, name);
  }

  delete(name: string): void {
    const index = this.#lowerBound(name);
    if (this.#names[index] === name) this.#names.splice(index, 1);
  }

  /** Up to `limit` names that start with `prefix` and come after `after`. */
  page(query: { prefix: string; after?: string; limit: number }): string[] {
    const { prefix, after, limit } = query;
    let index = this.#lowerBound(prefix);
    if (after !== undefined && after >= prefix) {
      index = this.#lowerBound(after);
      if (this.#names[index] === after) index++;
    }
    const page: string[] = [];
    for (; page.length < limit && index < this.#names.length; index++) {
      const name = this.#names[index] as string;
      if (!name.startsWith(prefix)) break;
      page.push(name);
    }
    return page;
  }

  #lowerBound(name: string): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#names[middle] as string) < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
