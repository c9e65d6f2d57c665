/** One replaced range of a text, with enough to undo it in a text that changed elsewhere since. */
export interface TextEdit {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The smallest edit that turns `before` into `after`. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return {
    offset: start,
    removed: before.slice(start, before.length - tail),
    inserted: after.slice(start, after.length - tail),
  };
}

/** The text without the edit; undefined when what was inserted is not there, or not only once. */
export function revertEdit(
  text: string,
  { offset, removed, inserted }: TextEdit,
): string | undefined {
  if (inserted === '') return undefined;
  const at = text.startsWith(inserted, offset) ? offset : onlyIndexOf(text, inserted);
  if (at === undefined) return undefined;
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}

function onlyIndexOf(text: string, part: string): number | undefined {
  const at = text.indexOf(part);
  return at !== -1 && text.indexOf(part, at + 1) === -1 ? at : undefined;
}
