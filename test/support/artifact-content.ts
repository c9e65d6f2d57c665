/** What the artifact of a number holds: the same in every process, from a few bytes to some pages. */
export function contentOf(n: number): string {
  return `${n}\n`.repeat(1 + ((n * 7919) % 20_000));
}
