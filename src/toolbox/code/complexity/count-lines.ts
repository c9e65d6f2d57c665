import type { FlatTree, TextSpan } from './flat-tree.ts';

/** Lines of a text by what is on them. */
export interface LineCounts {
  readonly total: number;
  /** Lines with code on them. */
  readonly code: number;
  /** Statements, however they are laid out. */
  readonly logical: number;
  /** Lines with a comment on them; in Python also those of multi-line strings that stand alone. */
  readonly comment: number;
  readonly blank: number;
}

export interface LineCountInput {
  readonly text: string;
  readonly comments: readonly TextSpan[];
  readonly logical: number;
}

/** Lines of a language whose comments the parser found. */
export function countLines(input: LineCountInput): LineCounts {
  const { text, comments, logical } = input;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const spans = comments.toSorted((a, b) => a.start - b.start);
  const counts = { code: 0, comment: 0, blank: 0 };
  let start = 0;
  let first = 0;
  for (const line of lines) {
    const end = start + line.length;
    while ((spans[first]?.end ?? end + 1) <= start) first += 1;
    const onLine: TextSpan[] = [];
    for (let next = first; (spans[next]?.start ?? end) < end; next += 1) {
      const span = spans[next];
      if (span) onLine.push({ start: span.start - start, end: span.end - start });
    }
    const hasCode = hasTextOutside(line, onLine);
    if (onLine.length > 0) counts.comment += 1;
    if (hasCode) counts.code += 1;
    else if (onLine.length === 0) counts.blank += 1;
    start = end + 1;
  }
  return { total: lines.length, ...counts, logical };
}

/** Whether a line holds more than space outside the spans, which are relative to its start. */
function hasTextOutside(line: string, spans: readonly TextSpan[]): boolean {
  let at = 0;
  for (const span of spans) {
    if (line.slice(at, Math.max(at, span.start)).trim() !== '') return true;
    at = Math.max(at, span.end);
  }
  return line.slice(at).trim() !== '';
}

/** Statements of a tree. */
export function countStatements(tree: FlatTree, statements: RegExp): number {
  const isStatement = new Map<string, boolean>();
  let count = 0;
  for (const [node, kind] of tree.kinds.entries()) {
    if (!tree.named[node]) continue;
    const known = isStatement.get(kind) ?? statements.test(kind);
    isStatement.set(kind, known);
    if (known) count += 1;
  }
  return count;
}
