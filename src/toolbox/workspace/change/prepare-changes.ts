import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hiddenSecretPattern } from '../../../contract/secret/index.ts';
import {
  ChangedOnDiskError,
  InvalidChangeError,
  NoSuchFileError,
  NotTextError,
  PathRefusedError,
  TooLargeError,
} from '../errors.ts';
import type { ProjectFiles, ProjectPath } from '../project-files.ts';
import { contentHash, decodeText, encodeText } from '../text-file.ts';
import { applyDiff } from './apply-diff.ts';
import { stateOf, type FileChange, type FileState } from './file-change.ts';
import { keepLineEndings } from './keep-line-endings.ts';

export const maxChanges = 500;
const maxTotalBytes = 64 * 1024 * 1024;
const defaultMode = 0o666;

const changeFields = {
  content: z
    .string()
    .optional()
    .describe('The whole new text of the file. Line endings and encoding of the file are kept.'),
  diff: z.string().min(1).optional().describe('A unified diff to apply to the file.'),
  delete: z.boolean().optional().describe('True to delete the file.'),
  expected_hash: z
    .string()
    .optional()
    .describe(
      'The `hash` that read_file gave: the change is refused when the file is another now.',
    ),
};

const pathField = z.string().min(1).max(4096);

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
    'Give either "path" with "content", "diff" or "delete", or "changes"',
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
  const ways = [wanted.content, wanted.diff, wanted.delete === true ? true : undefined];
  if (ways.filter((way) => way !== undefined).length !== 1) {
    throw new InvalidChangeError(
      `"${path.shown}" needs exactly one of "content", "diff" and "delete": true`,
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
  { content, diff }: WantedChange,
): Buffer {
  const old = before ? decodeText(before, shown) : { text: '', encoding: 'utf-8' as const };
  const wanted = content ?? applyDiff(old.text.replaceAll('\r\n', '\n'), diff ?? '', shown);
  if (wanted.includes('\0')) throw new NotTextError(shown, 'the new content holds NUL characters');
  if (!wanted.isWellFormed()) {
    throw new NotTextError(shown, 'the new content holds half a surrogate pair');
  }
  refuseHidden(shown, old.text, wanted);
  return encodeText(keepLineEndings(wanted, old.text), old.encoding);
}

/** Whoever was shown a file with its secrets hidden must not write that back in place of them. */
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
