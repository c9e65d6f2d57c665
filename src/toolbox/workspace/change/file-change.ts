import type { BigIntStats } from 'node:fs';
import { formatPatch, structuredPatch, type StructuredPatch } from 'diff';
import { AppError } from '../../../kernel/index.ts';
import type { ProjectPath } from '../project-files.ts';
import { contentHash, decodeText } from '../text-file.ts';

/** A file as it is or is to be. */
export interface FileState {
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** One file of a change; null where it does not exist before or after. */
export interface FileChange {
  readonly path: ProjectPath;
  readonly before: (FileState & { readonly info: BigIntStats }) | null;
  readonly after: FileState | null;
}

export const actions = ['created', 'modified', 'deleted', 'unchanged'] as const;

export function actionOf({ before, after }: FileChange): (typeof actions)[number] {
  if (!before) return after ? 'created' : 'unchanged';
  if (!after) return 'deleted';
  const isSame = before.mode === after.mode && before.bytes.equals(after.bytes);
  return isSame ? 'unchanged' : 'modified';
}

const modeBits = 0o7777n;

/** What was read of a file, as the state before a change. */
export function stateOf(
  found: { readonly bytes: Buffer; readonly info: BigIntStats } | undefined,
): FileChange['before'] {
  if (!found) return null;
  const { bytes, info } = found;
  const [mode, uid, gid] = [info.mode & modeBits, info.uid, info.gid].map(Number);
  return { bytes, info, mode: mode ?? 0, uid: uid ?? 0, gid: gid ?? 0 };
}

/** Tells states apart: content and permissions. */
export function stateHash(state: Pick<FileState, 'bytes' | 'mode'> | null): string | null {
  return state && `${contentHash(state.bytes)}:${state.mode.toString(8)}`;
}

/** What a change does to one file. */
interface ShownFile {
  readonly path: string;
  readonly action: (typeof actions)[number];
  readonly added: number;
  readonly removed: number;
  readonly note?: string | undefined;
}

export interface ShownChange {
  readonly files: readonly ShownFile[];
  /** A unified diff of all files. */
  readonly diff: string;
}

const diffLimitMs = 2_000;
const contextLines = 3;
/** Longer diffs are cut; the files are changed all the same. */
const maxDiffChars = 200_000;
const noNewline = String.raw`\ No newline at end of file`;

export function showChanges(changes: readonly FileChange[]): ShownChange {
  const { files, diff } = showWhole(changes);
  return { files, diff: cut(diff) };
}

/** The same with all of the diff: who approves a change sees all of it, but for what is no text. */
export function showWhole(changes: readonly FileChange[]): ShownChange & { isWhole: boolean } {
  const shown = changes.map(showChange);
  return {
    files: shown.map(({ file }) => file),
    diff: shown.map(({ diff }) => diff).join(''),
    isWhole: shown.every(({ isText }) => isText),
  };
}

function cut(diff: string): string {
  if (diff.length <= maxDiffChars) return diff;
  return `${diff.slice(0, maxDiffChars)}\n… ${diff.length - maxDiffChars} more characters\n`;
}

function showChange(change: FileChange): { file: ShownFile; diff: string; isText: boolean } {
  const { path, before, after } = change;
  const action = actionOf(change);
  const links = Number(before?.info.nlink ?? 1) - 1;
  const file = {
    path: path.shown,
    action,
    ...(links > 0 &&
      action !== 'unchanged' && {
        note: `${links === 1 ? '1 other hard link keeps' : `${links} other hard links keep`} the former content`,
      }),
  };
  if (action === 'unchanged')
    return { file: { ...file, added: 0, removed: 0 }, diff: '', isText: true };
  const names = [before ? `a/${path.shown}` : '/dev/null', after ? `b/${path.shown}` : '/dev/null'];
  const [from = '', to = ''] = names;
  const mode =
    before && after && before.mode !== after.mode
      ? `old mode ${before.mode.toString(8)}\nnew mode ${after.mode.toString(8)}\n`
      : '';
  const texts = [textOf(before?.bytes), textOf(after?.bytes)];
  const [old, changed] = texts;
  if (old === undefined || changed === undefined) {
    const diff = `${mode}Binary files ${from} and ${to} differ\n`;
    return { file: { ...file, added: 0, removed: 0 }, diff, isText: false };
  }
  const patch = compare(from, to, { old, changed });
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const text = patch.hunks.length > 0 ? formatPatch(patch).replace(/^=+\n/, '') : '';
  const isEmptyFile = text === '' && mode === '';
  const diff = `${mode}${isEmptyFile ? `--- ${from}\n+++ ${to}\n` : text}`;
  return { file: { ...file, added: count('+'), removed: count('-') }, diff, isText: true };
}

/** Undefined for what is not text. */
function textOf(bytes: Buffer | undefined): string | undefined {
  if (!bytes) return '';
  try {
    return decodeText(bytes, '').text;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Texts that take too long to compare are shown as replaced whole. */
function compare(
  from: string,
  to: string,
  { old, changed }: { readonly old: string; readonly changed: string },
): StructuredPatch {
  const options = { context: contextLines, timeout: diffLimitMs };
  const found = structuredPatch(from, to, old, changed, undefined, undefined, options);
  if (found) return found;
  const [removed, added] = [signed('-', old), signed('+', changed)];
  const hunk = {
    oldStart: 1,
    oldLines: removed.filter((line) => line !== noNewline).length,
    newStart: 1,
    newLines: added.filter((line) => line !== noNewline).length,
    lines: [...removed, ...added],
  };
  return { oldFileName: from, newFileName: to, oldHeader: '', newHeader: '', hunks: [hunk] };
}

function signed(sign: string, text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const all = lines.map((line) => sign + line);
  return last === '' ? all : [...all, sign + last, noNewline];
}
