import type { CodeTree, TextSpan } from './code-tree.ts';
import type { LineCounts } from './complexity-schema.ts';

interface LineCountInput {
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
export function countStatements({ nodes }: CodeTree, statements: RegExp): number {
  return nodes.filter(({ isNamed, kind }) => isNamed && statements.test(kind)).length;
}
