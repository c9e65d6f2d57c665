import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import type { EffectPreview } from '../../../contract/tool/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import { defineTool } from '../../define-tool.ts';
import { callKey } from '../change/change-journal.ts';
import { writeDurably } from '../change/change-records.ts';
import { ignoreMissing } from '../change/write-files.ts';
import {
  assertApprovedBasis,
  effectAnnotations,
  effectTool,
  type EffectTool,
  idempotencyKey,
} from '../../effect-tool.ts';
import { GitFailedError } from '../errors.ts';
import { pathField, type ProjectFiles } from '../project-files.ts';
import { emptyTree, findCommit, type Git, openGit, readNumbers } from './git.ts';
import texts from '../tools.json' with { type: 'json' };

const maxPaths = 1_000;

const input = z.strictObject({
  message: z.string().trim().min(1).max(10_000).describe('The commit message.'),
  paths: z
    .array(pathField)
    .min(1)
    .max(maxPaths)
    .optional()
    .describe(
      'Files and folders to commit, new ones too; when not given, what is staged, or else every change of tracked files.',
    ),
});

type CommitRequest = z.output<typeof input>;

const output = z.object({
  commit: z.string().describe('The hash of the new commit.'),
  branch: z.string().nullable(),
  files: z.array(z.object({ path: z.string(), added: z.int(), removed: z.int() })),
});

export interface CommitParts {
  readonly files: ProjectFiles;
  /** Where it is written down which call made which commit. */
  readonly folder: string;
}

/** The tool `git_commit`. */
export function gitCommitTool(parts: CommitParts): EffectTool {
  const tool = defineTool({
    ...texts.git_commit,
    input,
    output,
    annotations: effectAnnotations,
    run: (request, context) => commit(parts, request, context),
    summarize: ({ commit: hash, branch, files }) =>
      `${hash.slice(0, 10)} on ${branch ?? 'no branch'}: ${pluralize(files.length, 'file')} committed\n${fileLines(files)}`,
  });
  return effectTool(tool, input, (request, signal) => preview(parts, request, signal));
}

/** What a commit would hold, worked out in an index of its own: the user's is not touched. */
interface PlannedCommit {
  readonly git: Git;
  readonly head: string | undefined;
  readonly tree: string;
  readonly files: z.input<typeof output>['files'];
  readonly limit: readonly string[] | undefined;
}

async function preview(
  { files }: CommitParts,
  request: CommitRequest,
  signal: AbortSignal,
): Promise<EffectPreview> {
  const planned = await planCommit(files, request, signal);
  const base = planned.head ?? (await emptyTree(planned.git));
  const args = ['diff', '--no-ext-diff', '--no-textconv', base, planned.tree, '--'];
  const head = `Commit ${pluralize(planned.files.length, 'file')}, without running hooks: ${request.message}`;
  const added = request.paths ? [] : await untracked(planned.git);
  const left = added.length > 0 ? [`Left out, not tracked: ${namesOf(added)}`] : [];
  const text = [head, fileLines(planned.files), ...left, await planned.git.run(args)];
  return { text: text.join('\n'), basis: basisOf(planned) };
}

function basisOf({ head, tree }: PlannedCommit): Record<string, string | null> {
  return { 'the last commit': head ?? null, 'the files to commit': tree };
}

async function commit(
  { files, folder }: CommitParts,
  request: CommitRequest,
  context: CallContext,
): Promise<z.input<typeof output>> {
  const { signal, caller } = context;
  const key = callKey(caller.id, idempotencyKey(context), request);
  const note = key === null ? undefined : join(folder, 'commits', key);
  const git = await openGit(files.firstRoot, signal);
  const made = note === undefined ? undefined : await findMade(git, note);
  if (made !== undefined) return describeCommit(git, made);
  const planned = await planCommit(files, request, signal);
  assertApprovedBasis(basisOf(planned), context, {
    'the last commit': 'Another commit has been made',
    'the files to commit': 'What would be committed has changed',
  });
  const { head, tree, limit } = planned;
  const parents = head === undefined ? [] : ['-p', head];
  const hash = (
    await git.run(['commit-tree', tree, ...parents, '-F', '-'], { stdin: request.message })
  ).trim();
  if (note !== undefined) {
    await mkdir(join(note, '..'), { recursive: true, mode: 0o700 });
    await writeDurably(note, hash);
  }
  // Fails when another commit was made meanwhile.
  await git.run([
    'update-ref',
    '-m',
    `commit: ${request.message.split('\n', 1)[0]}`,
    'HEAD',
    hash,
    head ?? '',
  ]);
  // The user's index gets what was committed; what is staged besides stays.
  await git.run(['reset', '--quiet', hash, '--', ...(limit ?? ['.'])]);
  return describeCommit(git, hash);
}

/** The commit an earlier attempt of the same call made, when the branch has it. */
async function findMade(git: Git, note: string): Promise<string | undefined> {
  const hash = await readFile(note, 'utf8').catch(ignoreMissing);
  if (hash === undefined) return undefined;
  const isThere = await git.attempt(['merge-base', '--is-ancestor', hash, 'HEAD']);
  return isThere === undefined ? undefined : hash;
}

async function planCommit(
  files: ProjectFiles,
  { paths }: CommitRequest,
  signal: AbortSignal,
): Promise<PlannedCommit> {
  const git = await openGit(files.firstRoot, signal);
  const limit = paths && (await Promise.all(paths.map((path) => locatePath(files, path))));
  await refuseDuringMerge(git);
  const head = await findCommit('HEAD', git);
  const place = await mkdtemp(join(tmpdir(), 'tutti-commit-'));
  try {
    const index = { env: { GIT_INDEX_FILE: join(place, 'index') } };
    const tree = await buildTree(git, { head, limit, index, place });
    const base = head ?? (await emptyTree(git));
    const numbers = await git.run(['diff', '--numstat', '--no-renames', '-z', base, tree, '--']);
    const found = readNumbers(numbers);
    if (found.length === 0) throw new GitFailedError('commit', await nothingToCommit(git));
    return { git, head, tree, files: found, limit };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const maxNewShown = 5;

/** New files are committed only when they are named. */
async function nothingToCommit(git: Git): Promise<string> {
  const added = await untracked(git);
  if (added.length === 0) return 'there is nothing to commit';
  return `no tracked file has changed, and new files are committed only when named: ${namesOf(added)} ("." names all)`;
}

/** New files that are not ignored. */
async function untracked(git: Git): Promise<readonly string[]> {
  const list = await git.run(['ls-files', '--others', '--exclude-standard', '-z']);
  return list.split('\0').filter((path) => path !== '');
}

function namesOf(paths: readonly string[]): string {
  const more = paths.length > maxNewShown ? ` … ${paths.length - maxNewShown} more` : '';
  return `${paths.slice(0, maxNewShown).join(', ')}${more}`;
}

async function locatePath(files: ProjectFiles, path: string): Promise<string> {
  const { root, names, shown } = await files.locate(path);
  return root === files.firstRoot ? names.join('/') || '.' : shown;
}

interface TreeRequest {
  readonly head: string | undefined;
  readonly limit: readonly string[] | undefined;
  readonly index: { readonly env: Readonly<Record<string, string>> };
  readonly place: string;
}

/** With paths, the last commit and these; without, what is staged or else all tracked changes. */
async function buildTree(git: Git, { head, limit, index, place }: TreeRequest): Promise<string> {
  const writeTree = async (): Promise<string> => (await git.run(['write-tree'], index)).trim();
  if (limit) {
    await git.run(['read-tree', head ?? '--empty'], index);
    await git.run(['add', '--all', '--', ...limit], index);
    return writeTree();
  }
  const current = (await git.run(['rev-parse', '--git-path', 'index'])).trim();
  await copyFile(resolve(git.folder, current), join(place, 'index')).catch(ignoreMissing);
  const staged = await writeTree();
  const last = head && (await git.run(['rev-parse', `${head}^{tree}`])).trim();
  if (staged !== last) return staged;
  await git.run(['add', '--update', '--', '.'], index);
  return writeTree();
}

async function refuseDuringMerge(git: Git): Promise<void> {
  for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD']) {
    if ((await git.attempt(['rev-parse', '--verify', '--quiet', name])) === undefined) continue;
    throw new GitFailedError('commit', 'a merge or rebase is under way; finish it with Git itself');
  }
}

async function describeCommit(git: Git, hash: string): Promise<z.input<typeof output>> {
  const list = [
    'diff-tree',
    '-r',
    '--root',
    '--numstat',
    '--no-renames',
    '--no-commit-id',
    '-z',
    hash,
  ];
  const branch =
    (await git.attempt(['symbolic-ref', '--short', '--quiet', 'HEAD']))?.trim() ?? null;
  return { commit: hash, branch, files: readNumbers(await git.run(list)) };
}

function fileLines(files: z.input<typeof output>['files']): string {
  return files.map(({ path, added, removed }) => `  ${path} +${added} -${removed}`).join('\n');
}
