/** What an item needs to be on a `LinkedList`: it is on one list at most, and the links are the list's business. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** An intrusive doubly linked list: every insertion and removal is O(1) and allocates nothing. */
export class LinkedList<T extends Linked<T>> {
  first: T | undefined;
  last: T | undefined;
  size = 0;

  push(item: T): void {
    this.insertAfter(this.last, item);
  }

  /** Puts `item` behind `anchor`, or first when there is no anchor. */
  insertAfter(anchor: T | undefined, item: T): void {
    const next = anchor === undefined ? this.first : anchor.next;
    item.previous = anchor;
    item.next = next;
    if (anchor === undefined) this.first = item;
    else anchor.next = item;
    if (next === undefined) this.last = item;
    else next.previous = item;
    this.size++;
  }

  remove(item: T): void {
    if (item.previous === undefined) this.first = item.next;
    else item.previous.next = item.next;
    if (item.next === undefined) this.last = item.previous;
    else item.next.previous = item.previous;
    item.previous = undefined;
    item.next = undefined;
    this.size--;
  }
}
