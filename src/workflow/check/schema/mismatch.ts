/**
 * missing, unknown: a field · value: what stands there does not fit · type: what a reference gives never fits ·
 * empty: it fits only as an empty list.
 */
export interface Mismatch {
  readonly is: 'missing' | 'unknown' | 'value' | 'type' | 'empty';
  /** Where, from the value that was compared. */
  readonly at: readonly (string | number)[];
  /** The rest of a sentence that begins with what stands there: `must be …, and is …`. */
  readonly message: string;
}

const maxShown = 60;

/** A value as people recognise it, cut where it is long. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`;
}

const maxListed = 8;

/** Names or values one may choose from, a few of them. */
export function showChoices(choices: readonly unknown[]): string {
  const shown = choices.slice(0, maxListed).map(show).join(', ');
  return choices.length > maxListed ? `${shown}, … (${choices.length} in all)` : shown;
}

/** `a.b[0].c`; names that are no words in brackets and quotes. */
export function showPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$-]*$/.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}
