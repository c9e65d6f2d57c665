const longLine = 5_000;

/** Engines take quadratic time or memory over the errors on one very long line. */
export function hasLongLine(text: string): boolean {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    if ((end < 0 ? text.length : end) - start > longLine) return true;
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}
