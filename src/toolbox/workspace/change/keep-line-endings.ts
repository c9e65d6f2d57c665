import { diffArrays } from 'diff';
import { detectLineEndings } from '../text-file.ts';

/** Aligning lines of a file with mixed endings stops here: most are then given the commoner ending. */
const alignLimitMs = 1_000;

/**
 * A new text with the line endings of the file it replaces, where it has only `\n` itself. In a file with
 * mixed endings every line that stays keeps its own, and new lines get the commoner one. Whether the text
 * ends in a line ending is not changed.
 */
export function keepLineEndings(text: string, before: string): string {
  const endings = detectLineEndings(before);
  if (text.includes('\r\n') || endings === 'lf' || endings === 'none') return text;
  if (endings === 'crlf') return text.replaceAll('\n', '\r\n');
  const old = before.split('\n');
  const isMostlyCrlf = old.filter((line) => line.endsWith('\r')).length * 2 > old.length - 1;
  const common = isMostlyCrlf ? '\r' : '';
  const lines = text.split('\n');
  const plainOld = old.map((line) => line.replace(/\r$/, ''));
  const parts = diffArrays(plainOld, lines, { timeout: alignLimitMs }) ?? [
    { value: lines, count: lines.length, added: true, removed: false },
  ];
  const kept: string[] = [];
  let at = 0;
  for (const { value, added, removed } of parts) {
    for (const line of removed ? [] : value) {
      const own = added ? common : (old[at] ?? '').endsWith('\r') ? '\r' : '';
      kept.push(line + own);
      if (!added) at += 1;
    }
    if (removed) at += value.length;
  }
  // What follows the last line feed has no line ending.
  return [...kept.slice(0, -1), lines.at(-1) ?? ''].join('\n');
}
