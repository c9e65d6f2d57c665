import { z } from 'zod';
import { counted } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { ProjectFiles } from '../project-files.ts';
import { readOnlyAnnotations } from '../tool-annotations.ts';
import type { Git } from './git.ts';
import {
  emptyTree,
  findCommit,
  findTarget,
  pathField,
  readNumbers,
  sinceField,
} from './repository.ts';

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
});

const output = z.object({
  diff: z.string().describe('A unified diff.'),
  files: z.array(z.object({ path: z.string(), added: z.int(), removed: z.int() })),
  untracked: z.array(z.string()).describe('Files Git does not know yet; they are not in the diff.'),
  base: z.string().describe('What it was compared with.'),
  truncated: z.boolean().describe('Whether the diff was cut.'),
});

/** The tool `git_diff`. */
export function gitDiffTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    name: 'git_diff',
    title: 'Git diff',
    description:
      'Shows the changes of the project as a unified diff: those not committed yet, only the staged ones, or everything since a time ' +
      'such as "yesterday" or since a commit, tag or branch.',
    input,
    output,
    annotations: readOnlyAnnotations,
    examples: [
      'what did I change?',
      'what did I change since yesterday?',
      'show my uncommitted changes',
      'diff src/cart.ts',
      'what is different from main?',
      'show what is staged',
    ],
    run: (request, { signal }) => readDiff(files, request, signal),
    summarize: ({ diff, files: changed, untracked }) =>
      [
        changed.length === 0 ? 'No changes' : `${counted(changed.length, 'file')} changed`,
        ...changed.map(({ path, added, removed }) => `  ${path} +${added} -${removed}`),
        ...untracked.map((path) => `  ${path} (untracked)`),
        ...(diff === '' ? [] : ['', diff]),
      ].join('\n'),
  });
}

async function readDiff(
  files: ProjectFiles,
  { path, staged, since }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const { git, limit } = await findTarget(files, path, signal);
  const base = await findBase(since, git);
  const args = ['--no-ext-diff', '--no-textconv', '--relative', '--ignore-submodules=dirty'];
  const what = [...args, ...(staged ? ['--cached'] : []), base.commit, ...limit];
  const diff = await git.run(['diff', ...what]);
  const numbers = await git.run(['diff', '--numstat', '--no-renames', '-z', ...what]);
  const others = ['ls-files', '--others', '--exclude-standard', '-z', ...limit];
  const untracked = staged ? [] : (await git.run(others)).split('\0').filter(Boolean);
  return {
    diff: diff.slice(0, maxDiffChars),
    files: readNumbers(numbers),
    untracked: untracked.slice(0, maxUntracked),
    base: base.shown,
    truncated: diff.length > maxDiffChars,
  };
}

interface Base {
  readonly commit: string;
  readonly shown: string;
}

async function findBase(since: string | undefined, git: Git): Promise<Base> {
  const named = await findCommit(since ?? 'HEAD', git);
  if (named !== undefined) return { commit: named, shown: since ?? 'HEAD' };
  if (since === undefined) return { commit: await emptyTree(git), shown: 'an empty project' };
  const hasCommits = (await findCommit('HEAD', git)) !== undefined;
  const args = ['rev-list', '-1', `--before=${since}`, 'HEAD', '--'];
  const before = hasCommits ? (await git.run(args)).trim() : '';
  if (before === '') return { commit: await emptyTree(git), shown: 'an empty project' };
  return { commit: before, shown: `${before.slice(0, 12)}, the last commit before ${since}` };
}
