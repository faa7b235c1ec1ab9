// Doing many things, a few at a time.

/** Maps `items` in order of start, at most `limit` at once; the results keep the order of the items. */
export async function mapBounded<Item, Value>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values = new Array<Value>(items.length);
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      values[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return values;
}
