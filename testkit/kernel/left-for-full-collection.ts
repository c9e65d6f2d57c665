import { getHeapSpaceStatistics } from 'node:v8';

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return old?.space_used_size ?? Number.NaN;
}

/**
 * How many bytes the work adds to the old objects, which only a full collection takes away: the worst of several
 * looks, because one in between would hide what was left.
 */
export async function leftForFullCollection(
  work: () => void | Promise<void>,
  looks: number,
): Promise<number> {
  const left: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    const before = oldBytes();
    await work();
    left.push(oldBytes() - before);
  }
  return Math.max(...left);
}
