import { z } from 'zod';
import { pluralize } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { pathField, type ProjectFiles } from '../project-files.ts';
import { NoSuchCommitError } from '../errors.ts';
import { readOnlyAnnotations } from '../../effect-tool.ts';
import {
  emptyTree,
  findCommit,
  findStart,
  findTarget,
  type Git,
  readNumbers,
  sinceField,
} from './git.ts';
import texts from '../tools.json' with { type: 'json' };

const maxDiffChars = 1_000_000;
const maxUntracked = 1_000;

const input = z.strictObject({
  path: pathField.optional().describe('Only changes of this file or folder.'),
  staged: z
    .boolean()
    .default(false)
    .describe('Only what is staged for the next commit, compared with the last one.'),
  since: sinceField
    .optional()
    .describe(
      'Compare with this time ("yesterday", "3 days ago") or this commit, tag or branch instead of the last commit; includes what was committed since.',
    ),
  commit: sinceField
    .optional()
    .describe(
      'Show what this one commit changed: its hash, a tag or branch, or HEAD for the last one.',
    ),
});

const output = z.object({
  diff: z.string().describe('A unified diff.'),
  files: z.array(z.object({ path: z.string(), added: z.int(), removed: z.int() })),
  untracked: z.array(z.string()).describe('Files Git does not know yet; they are not in the diff.'),
  base: z.string().describe('What it was compared with.'),
  about: z.string().optional().describe('Hash, date, author and subject of `commit`.'),
  truncated: z.boolean().describe('Whether the diff was cut.'),
});

/** The tool `git_diff`. */
export function gitDiffTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.git_diff,
    input,
    output,
    annotations: readOnlyAnnotations,
    run: (request, { signal }) => readDiff(files, request, signal),
    summarize: ({ diff, files: changed, untracked, about }) =>
      [
        ...(about === undefined ? [] : [about]),
        changed.length === 0 ? 'No changes' : `${pluralize(changed.length, 'file')} changed`,
        ...changed.map(({ path, added, removed }) => `  ${path} +${added} -${removed}`),
        ...untracked.map((path) => `  ${path} (untracked)`),
        ...(diff === '' ? [] : ['', diff]),
      ].join('\n'),
  });
}

async function readDiff(
  files: ProjectFiles,
  { path, staged, since, commit }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const { git, limit } = await findTarget(files, path, signal);
  const until = commit === undefined ? undefined : await findCommit(commit, git);
  if (commit !== undefined && until === undefined) throw new NoSuchCommitError(commit);
  const base = until === undefined ? await findBase(since, git) : await findParent(until, git);
  const args = ['--no-ext-diff', '--no-textconv', '--relative', '--ignore-submodules=dirty'];
  const end = until === undefined ? [] : [until];
  const what = [...args, ...(staged ? ['--cached'] : []), base.commit, ...end, ...limit];
  const diff = await git.run(['diff', ...what]);
  const numbers = await git.run(['diff', '--numstat', '--no-renames', '-z', ...what]);
  const others = ['ls-files', '--others', '--exclude-standard', '-z', ...limit];
  const format = ['--format=%h %ad %an: %s', '--date=short'];
  const about = until && (await git.run(['log', '-1', ...format, until, '--'])).trim();
  const isWorkTree = !staged && until === undefined;
  const untracked = isWorkTree ? (await git.run(others)).split('\0').filter(Boolean) : [];
  return {
    diff: diff.slice(0, maxDiffChars),
    files: readNumbers(numbers),
    untracked: untracked.slice(0, maxUntracked),
    base: base.shown,
    ...(about !== undefined && { about }),
    truncated: diff.length > maxDiffChars,
  };
}

interface Base {
  readonly commit: string;
  readonly shown: string;
}

/** A commit is compared with the one before it, the first one with an empty project. */
async function findParent(commit: string, git: Git): Promise<Base> {
  const parent = await findCommit(`${commit}^`, git);
  if (parent === undefined) return { commit: await emptyTree(git), shown: 'an empty project' };
  return { commit: parent, shown: `${parent.slice(0, 12)}, the commit before` };
}

async function findBase(since: string | undefined, git: Git): Promise<Base> {
  const head = await findCommit('HEAD', git);
  const hasCommits = head !== undefined;
  if (since === undefined && hasCommits) return { commit: head, shown: 'HEAD' };
  if (since === undefined) return { commit: await emptyTree(git), shown: 'an empty project' };
  const start = await findStart(since, git);
  if ('commit' in start) return { commit: start.commit, shown: since };
  const args = ['rev-list', '-1', `--before=${start.time}`, 'HEAD', '--'];
  const before = hasCommits ? (await git.run(args)).trim() : '';
  if (before === '') return { commit: await emptyTree(git), shown: 'an empty project' };
  return { commit: before, shown: `${before.slice(0, 12)}, the last commit before ${since}` };
}
