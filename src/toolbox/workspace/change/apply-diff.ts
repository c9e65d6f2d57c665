import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import { DiffRefusedError } from '../errors.ts';

/**
 * A text with a unified diff applied. Hunks must match exactly but may have moved; the counts in their
 * headers are computed anew, because models often get them wrong. Line endings are left to the caller: the
 * text must have `\n` only.
 */
export function applyDiff(text: string, diff: string, shown: string): string {
  let patches: StructuredPatch[];
  try {
    patches = parsePatch(correctCounts(diff.replaceAll('\r\n', '\n')));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DiffRefusedError(shown, `it is not a unified diff (${reason})`);
  }
  const [patch, ...others] = patches.filter(({ hunks }) => hunks.length > 0);
  if (!patch) throw new DiffRefusedError(shown, 'it holds no hunk ("@@ -1,3 +1,4 @@")');
  if (others.length > 0) {
    throw new DiffRefusedError(shown, 'it is about several files; give one change per file');
  }
  const result = applyPatch(text, patch);
  if (result === false) {
    const failing = patch.hunks.find((_, at) => applyPatch(text, only(patch, at)) === false);
    const line = failing?.lines.find((each) => each.startsWith('-') || each.startsWith(' '));
    const near = line === undefined ? '' : `, near "${line.slice(1, 80)}"`;
    throw new DiffRefusedError(shown, `its lines are not those of the file${near}`);
  }
  return result;
}

function only(patch: StructuredPatch, at: number): StructuredPatch {
  return { ...patch, hunks: patch.hunks.slice(at, at + 1) };
}

const header = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)?)?.*$/;

function correctCounts(diff: string): string {
  const lines = diff.replace(/\n+$/, '').split('\n');
  const corrected: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const found = header.exec(line);
    at += 1;
    if (!found) {
      corrected.push(line);
      continue;
    }
    const body: string[] = [];
    while (at < lines.length && !startsNext(lines, at)) {
      // Editors and models drop the space of an empty context line.
      body.push(lines[at] === '' ? ' ' : (lines[at] ?? ''));
      at += 1;
    }
    const removed = body.filter((each) => /^[- ]/.test(each)).length;
    const added = body.filter((each) => /^[+ ]/.test(each)).length;
    const [, from = '1', to = '1'] = found;
    corrected.push(`@@ -${from},${removed} +${to},${added} @@`, ...body);
  }
  return `${corrected.join('\n')}\n`;
}

/** Whether a hunk ends before this line: another hunk, or another file. */
function startsNext(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (line.startsWith('@@') || line.startsWith('diff --git ')) return true;
  return line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ');
}
