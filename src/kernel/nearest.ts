/** Words longer than this are compared by their beginning, which bounds the work per candidate. */
const maxComparedLength = 64;

/**
 * The candidate a mistyped `word` most likely meant, or undefined when none is close: at most a
 * third of its letters may be wrong, missing, extra or swapped with their neighbour, or it is the beginning of just
 * one of them.
 */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const typed = word.toLowerCase().slice(0, maxComparedLength);
  // Gone through twice, and an iterator can be gone through once.
  const candidates = [...names];
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(typed.length, 3) / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase().slice(0, maxComparedLength));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? completion(typed, candidates);
}

const minBeginning = 3;

/** The only candidate that begins with the word: `lang` for `language`. */
function completion(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length < minBeginning) return undefined;
  const longer = new Set(candidates.filter((one) => one.toLowerCase().startsWith(typed)));
  const [only] = longer;
  return longer.size === 1 ? only : undefined;
}

/** Optimal string alignment: insertions, deletions, substitutions and neighbours swapped. */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforePrevious, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
