/**
 * How many lines differ: a line replaced counts once, one added or removed once. Lines are compared
 * as a bag, in one pass: a diff takes longer than the fastest engines do, and formatters move no lines.
 */
export function countChangedLines(before: string, after: string): number {
  if (before === after) return 0;
  const left = linesOf(before);
  const right = linesOf(after);
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  let kept = 0;
  for (const line of right) {
    const available = counts.get(line) ?? 0;
    if (available > 0) {
      kept += 1;
      counts.set(line, available - 1);
    }
  }
  // At least one: a last line that lacks its line feed is another line.
  return Math.max(left.length, right.length, kept + 1) - kept;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  // What follows the last line feed is no line.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
