// Which properties and items of one value have been looked at, for `unevaluatedProperties` and
// `unevaluatedItems`. Made only where a schema asks; everywhere else it is `undefined` and costs nothing.

/** What the keywords applied to one value have evaluated so far. */
export class Evaluated {
  #allKeys = false;
  #allItems = false;
  #itemsBelow = 0;
  readonly #keys = new Set<string>();
  readonly #items = new Set<number>();

  addKey(key: string): void {
    this.#keys.add(key);
  }

  addAllKeys(): void {
    this.#allKeys = true;
  }

  addItem(position: number): void {
    this.#items.add(position);
  }

  addItemsBelow(count: number): void {
    this.#itemsBelow = Math.max(this.#itemsBelow, count);
  }

  addAllItems(): void {
    this.#allItems = true;
  }

  hasKey(key: string): boolean {
    return this.#allKeys || this.#keys.has(key);
  }

  hasItem(position: number): boolean {
    return this.#allItems || position < this.#itemsBelow || this.#items.has(position);
  }

  /** Takes over what a branch that passed has evaluated. */
  merge(other: Evaluated): void {
    if (other.#allKeys) this.#allKeys = true;
    if (other.#allItems) this.#allItems = true;
    this.addItemsBelow(other.#itemsBelow);
    for (const key of other.#keys) this.#keys.add(key);
    for (const item of other.#items) this.#items.add(item);
  }
}
