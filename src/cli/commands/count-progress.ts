/** `3/10`. Servers grow a count by fractions to say that they live; the count itself is whole then. */
export function countProgress(progress: number, total: number | undefined): string {
  const count = total !== undefined && total > 1 ? Math.floor(progress) : progress;
  return total === undefined ? String(count) : `${count}/${Math.ceil(total)}`;
}
