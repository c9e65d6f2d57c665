import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch, diffArrays, parsePatch, type StructuredPatch } from 'diff';
import { z } from 'zod';
import { hiddenSecretPattern } from '../../../contract/secret/index.ts';
import { ChangedOnDiskError } from '../../errors.ts';
import {
  DiffRefusedError,
  InvalidChangeError,
  NoSuchFileError,
  NotTextError,
  PathRefusedError,
  TooLargeError,
} from '../errors.ts';
import { pathField, type ProjectFiles, type ProjectPath } from '../project-files.ts';
import { contentHash, decodeText, detectLineEndings, encodeText } from '../text-file.ts';
import { type FileChange, type FileState, stateOf } from './file-change.ts';

export const maxChanges = 500;
const maxTotalBytes = 64 * 1024 * 1024;
const defaultMode = 0o666;

const changeFields = {
  content: z
    .string()
    .optional()
    .describe('The whole new text of the file. Line endings and encoding of the file are kept.'),
  append: z
    .string()
    .min(1)
    .optional()
    .describe('Text to add at the end of the file, on a line of its own.'),
  diff: z.string().min(1).optional().describe('A unified diff to apply to the file.'),
  delete: z.boolean().optional().describe('True to delete the file.'),
  expected_hash: z
    .string()
    .optional()
    .describe(
      'The `hash` that read_file gave: the change is refused when the file is another now.',
    ),
};

const changeSchema = z.strictObject({
  path: pathField.describe('The file to change, relative to the project root.'),
  ...changeFields,
});

export const changesInput = z.strictObject({
  path: pathField
    .optional()
    .describe(
      'The file to write, relative to the project root, e.g. src/cart.ts. Created when missing.',
    ),
  ...changeFields,
  changes: z
    .array(changeSchema)
    .max(maxChanges)
    .optional()
    .describe('Several files to change together, all or none; in place of `path`.'),
});

type WantedChange = z.output<typeof changeSchema>;

/** What a call wants changed, checked against the files as they are. Writes nothing. */
export async function prepareChanges(
  files: ProjectFiles,
  request: z.output<typeof changesInput>,
): Promise<FileChange[]> {
  const wanted = wantedChanges(request);
  const prepared: FileChange[] = [];
  const seen = new Set<string>();
  let total = 0;
  for (const each of wanted) {
    const path = await files.locate(each.path);
    const place = sameFileKey(path);
    if (seen.has(place)) throw new InvalidChangeError(`"${path.shown}" is changed twice`);
    seen.add(place);
    const change = await prepareChange(files, path, each);
    total += (change.before?.bytes.length ?? 0) + (change.after?.bytes.length ?? 0);
    if (total > maxTotalBytes) throw new TooLargeError('The change', `${maxTotalBytes} bytes`);
    prepared.push(change);
  }
  return prepared;
}

function wantedChanges({ changes, path, ...one }: z.output<typeof changesInput>): WantedChange[] {
  if (changes !== undefined && path === undefined && Object.keys(one).length === 0) return changes;
  if (changes === undefined && path !== undefined) return [{ path, ...one }];
  throw new InvalidChangeError(
    'Give either "path" with "content", "append", "diff" or "delete", or "changes"',
  );
}

/** Where names differ only in case, they may mean one file. */
function sameFileKey({ root, names }: ProjectPath): string {
  const path = join(root, ...names);
  return process.platform === 'linux' ? path : path.normalize('NFC').toLowerCase();
}

async function prepareChange(
  files: ProjectFiles,
  path: ProjectPath,
  wanted: WantedChange,
): Promise<FileChange> {
  const ways = [
    wanted.content,
    wanted.append,
    wanted.diff,
    wanted.delete === true ? true : undefined,
  ];
  if (ways.filter((way) => way !== undefined).length !== 1) {
    throw new InvalidChangeError(
      `"${path.shown}" needs exactly one of "content", "append", "diff" and "delete": true`,
    );
  }
  const found = await files.read(path);
  if (found) await refuseOtherSpelling(files, path);
  const hash = found && contentHash(found.bytes);
  if (wanted.expected_hash !== undefined && wanted.expected_hash !== hash) {
    throw new ChangedOnDiskError([path.shown], 'since it was read');
  }
  const before = stateOf(found);
  if (wanted.delete === true) {
    if (!before) throw new NoSuchFileError(path.shown);
    return { path, before, after: null };
  }
  const bytes = newBytes(path.shown, before?.bytes, wanted);
  if (bytes.length > files.maxFileBytes) {
    throw new TooLargeError(`The new "${path.shown}"`, `${files.maxFileBytes} bytes`);
  }
  const created = { mode: defaultMode & ~process.umask(), uid: ownId('uid'), gid: ownId('gid') };
  return { path, before, after: { ...created, ...kept(before), bytes } };
}

/** A file that is replaced keeps its permissions and its owner. */
function kept(before: FileChange['before']): Partial<FileState> {
  return before ? { mode: before.mode, uid: before.uid, gid: before.gid } : {};
}

function ownId(kind: 'uid' | 'gid'): number {
  return (kind === 'uid' ? process.getuid?.() : process.getgid?.()) ?? 0;
}

function newBytes(
  shown: string,
  before: Buffer | undefined,
  { content, append, diff }: WantedChange,
): Buffer {
  const old = before ? decodeText(before, shown) : { text: '', encoding: 'utf-8' as const };
  const plain = old.text.replaceAll('\r\n', '\n');
  const added = append !== undefined && `${plain.replace(/(?<=[^\n])$/u, '\n')}${append}`;
  const wanted = content ?? (added || applyDiff(plain, diff ?? '', shown));
  if (wanted.includes('\0')) throw new NotTextError(shown, 'the new content holds NUL characters');
  if (!wanted.isWellFormed()) {
    throw new NotTextError(shown, 'the new content holds half a surrogate pair');
  }
  refuseHidden(shown, old.text, wanted);
  return encodeText(keepLineEndings(wanted, old.text), old.encoding);
}

/** A caller that saw a file with its secrets hidden must not write the marks back in their place. */
function refuseHidden(shown: string, before: string, wanted: string): void {
  const marks = (text: string): number => text.match(hiddenSecretPattern)?.length ?? 0;
  if (marks(wanted) <= marks(before)) return;
  throw new InvalidChangeError(
    `The new "${shown}" has "[hidden …]" where a secret was hidden: change the other lines with a diff`,
  );
}

/** On a file system that ignores case, a name may find a file that is spelled otherwise. */
async function refuseOtherSpelling(files: ProjectFiles, path: ProjectPath): Promise<void> {
  const parent = await files.openParent(path);
  const name = path.names.at(-1) ?? '';
  try {
    const spelled = parent && (await readdir(parent.at('.'))).includes(name);
    if (spelled === false)
      throw new PathRefusedError(path.shown, 'it is spelled otherwise on disk');
  } finally {
    await parent?.close();
  }
}

/**
 * A text with a unified diff applied. Hunks must match exactly but may have moved; the counts in their
 * headers are computed anew, because models often get them wrong. Line endings are left to the caller: the
 * text must have `\n` only.
 */
function applyDiff(text: string, diff: string, shown: string): string {
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

/** Aligning lines of a file with mixed endings stops here: most are then given the commoner ending. */
const alignLimitMs = 1_000;

/**
 * A new text with the line endings of the file it replaces, where it has only `\n` itself. In a file with
 * mixed endings every line that stays keeps its own, and new lines get the commoner one. Whether the text
 * ends in a line ending is not changed.
 */
function keepLineEndings(text: string, before: string): string {
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
