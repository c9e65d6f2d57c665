/** Puts `text` in place of what stands from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made; of edits that overlap only the first is. */
export function applyEdits(source: string, edits: readonly TextEdit[]): string {
  const inOrder = [...edits].sort((a, b) => a.start - b.start);
  const pieces: string[] = [];
  let at = 0;
  for (const edit of inOrder) {
    if (edit.start < at) continue;
    pieces.push(source.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return pieces.join('') + source.slice(at);
}
