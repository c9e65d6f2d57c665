/**
 * How many lines differ: a line replaced counts once, one added or removed once. Lines are compared
 * as a bag, in one pass: a diff takes longer than the fastest engines do, and formatters move no lines.
 */
export function countChangedLines(before: string, after: string): number {
  if (before === after) return 0;
  const left = linesOf(before);
  const right = linesOf(after);
  const kept = countCommon(withMarksOf(right, left), withMarksOf(left, right));
  // At least one: a last line that lacks its line feed is another line.
  return Math.max(left.lines.length, right.lines.length, kept + 1) - kept;
}

interface MarkedLines {
  readonly lines: readonly string[];
  /** One number per line, the same for equal lines. */
  readonly marks: Uint16Array;
}

const markLimit = 8_192;

/** Two characters and the length tell most lines apart; looking all of them up would take twice the time. */
function linesOf(text: string): MarkedLines {
  const lines = text.split('\n');
  // What follows the last line feed is no line.
  if (lines.at(-1) === '') lines.pop();
  const marks = new Uint16Array(lines.length);
  let start = 0;
  for (const [index, { length }] of lines.entries()) {
    const middle = text.charCodeAt(start + (length >> 1));
    const quarter = text.charCodeAt(start + (length >> 2));
    marks[index] = (length * 31 + middle * 32 + quarter * 17) % markLimit;
    start += length + 1;
  }
  return { lines, marks };
}

/** The lines of `own` that may be in `other` too: all that are, and a few more. */
function withMarksOf(other: MarkedLines, own: MarkedLines): readonly string[] {
  const isMarked = new Uint8Array(markLimit);
  for (const mark of other.marks) isMarked[mark] = 1;
  return own.lines.filter((_line, index) => isMarked[own.marks[index] ?? 0] === 1);
}

function countCommon(left: readonly string[], right: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of right) {
    const available = counts.get(line) ?? 0;
    if (available === 0) continue;
    common += 1;
    counts.set(line, available - 1);
  }
  return common;
}
