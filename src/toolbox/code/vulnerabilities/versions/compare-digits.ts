/** Compares two runs of decimal digits by value, whatever their length. */
export function compareDigits(a: string, b: string): number {
  const left = a.replace(/^0+/, '');
  const right = b.replace(/^0+/, '');
  return left.length - right.length || compareStrings(left, right);
}

/** Orders by UTF-16 code units, which is the ASCII order that version formats ask for. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Longer texts are no versions; the bound keeps every comparison cheap. */
export const maxVersionLength = 256;
