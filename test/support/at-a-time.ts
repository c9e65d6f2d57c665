/** Does the work for every item, never more than `limit` at once; results in the order of the items. */
export async function atATime<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const pending = items.entries();
  const worker = async (): Promise<void> => {
    // All workers take from the same iterator.
    for (const [index, item] of pending) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
