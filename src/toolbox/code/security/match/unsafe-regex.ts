const maxPatternLength = 5_000;

interface Group {
  /** Something inside may match in more than one length. */
  repeats: boolean;
  /** The group holds alternatives that can start with the same character. */
  readonly start: number;
}

/**
 * Whether a regular expression repeats something without bound that itself repeats without bound
 * and has nothing else to hold on to: `(a+)+`, `(.*)*`, `(\w+\s?)*`. Errs on the side of silence.
 */
export function hasNestedRepetition(source: string): boolean {
  if (source.length > maxPatternLength) return false;
  const groups: Group[] = [];
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    const character = source[at - 1] === '\\' ? 'x' : source[at];
    if (character === '[') at = endOfClass(source, at);
    else if (character === '(') groups.push({ repeats: false, start: at });
    else if (character === ')') {
      const group = groups.pop();
      const unbounded = isUnbounded(source, at + 1);
      if (group?.repeats && unbounded && isAmbiguous(source.slice(group.start, at + 1)))
        return true;
      const outer = groups.at(-1);
      if (outer && unbounded) outer.repeats = true;
    } else if (isUnbounded(source, at + 1)) {
      const group = groups.at(-1);
      if (group) group.repeats = true;
    }
  }
  return false;
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return isUnbounded(source, at + 1) ? at - 1 : at;
  }
  return source.length;
}

function isUnbounded(source: string, at: number): boolean {
  return source[at] === '*' || source[at] === '+' || /^\{\d+,\}/.test(source.slice(at, at + 12));
}

/** One repeated atom, perhaps with an optional one beside it: it can be cut in many ways. */
function isAmbiguous(group: string): boolean {
  const body = group.slice(1, -1).replace(/^\?(?::|<\w+>)/, '');
  const atom = String.raw`(?:\\.|\[(?:\\.|[^\]\\]){1,200}\]|\((?:[^()\\]|\\.){1,200}\)|[^()[\]\\*+?|])`;
  return new RegExp(
    `^(?:${atom}[*?]){0,5}${atom}(?:[*+]|\\{\\d+,\\})(?:${atom}[*?]){0,5}$`,
    's',
  ).test(body);
}
