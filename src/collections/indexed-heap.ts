/**
 * A binary min-heap whose items know their own position, so that one can be removed or moved from anywhere in
 * O(log n). An item may be in several heaps at once, each with a slot (a numeric property) of its own; the slot holds
 * -1 while the item is in none.
 */
export class IndexedHeap<Slot extends string, T extends Record<Slot, number>> {
  readonly #items: T[] = [];
  readonly #slot: Slot;
  readonly #before: (a: T, b: T) => boolean;

  constructor(slot: Slot, before: (a: T, b: T) => boolean) {
    this.#slot = slot;
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The least item, or undefined when empty. */
  peek(): T | undefined {
    return this.#items[0];
  }

  has(item: T): boolean {
    return this.#items[item[this.#slot]] === item;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#up(this.#items.length - 1, item);
  }

  pop(): T | undefined {
    const least = this.#items[0];
    if (least !== undefined) this.remove(least);
    return least;
  }

  /** Removes an item that is in this heap. */
  remove(item: T): void {
    const index = item[this.#slot];
    const last = this.#items.pop() as T;
    this.#place(item, -1);
    if (last === item) return;
    this.#settle(index, last);
  }

  /** Restores the order after the key of an item in this heap has changed. */
  update(item: T): void {
    this.#settle(item[this.#slot], item);
  }

  /** The items in no particular order. */
  values(): IterableIterator<T> {
    return this.#items.values();
  }

  clear(): void {
    for (const item of this.#items) this.#place(item, -1);
    this.#items.length = 0;
  }

  #settle(index: number, item: T): void {
    const parent = this.#items[(index - 1) >> 1];
    if (index > 0 && this.#before(item, parent as T)) this.#up(index, item);
    else this.#down(index, item);
  }

  #up(from: number, item: T): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex] as T;
      if (!this.#before(item, parent)) break;
      this.#set(index, parent);
      index = parentIndex;
    }
    this.#set(index, item);
  }

  #down(from: number, item: T): void {
    const size = this.#items.length;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= size) break;
      const right = childIndex + 1;
      if (right < size && this.#before(this.#items[right] as T, this.#items[childIndex] as T)) childIndex = right;
      const child = this.#items[childIndex] as T;
      if (!this.#before(child, item)) break;
      this.#set(index, child);
      index = childIndex;
    }
    this.#set(index, item);
  }

  #set(index: number, item: T): void {
    this.#items[index] = item;
    this.#place(item, index);
  }

  #place(item: T, index: number): void {
    (item as Record<Slot, number>)[this.#slot] = index;
  }
}
