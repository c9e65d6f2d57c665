import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { pathField, type ProjectFiles } from '../project-files.ts';
import { readOnlyAnnotations } from '../../effect-tool.ts';
import { findCommit, findStart, findTarget, sinceField } from './git.ts';
import texts from '../tools.json' with { type: 'json' };

const defaultLimit = 20;
const maxLimit = 1_000;

const input = z.strictObject({
  path: pathField.optional().describe('Only commits that changed this file or folder.'),
  since: sinceField
    .optional()
    .describe('Only commits after this time ("last monday") or after this commit, tag or branch.'),
  author: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only commits whose author name or email holds this text.'),
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .default(defaultLimit)
    .describe(`The most commits to return, ${defaultLimit} when not given.`),
});

const output = z.object({
  commits: z.array(
    z.object({
      hash: z.string(),
      author: z.string(),
      email: z.string(),
      date: z.string().describe('When it was made, ISO 8601.'),
      subject: z.string(),
      body: z.string(),
    }),
  ),
  truncated: z.boolean().describe('Whether there are more commits than were returned.'),
});

/** The tool `git_log`. */
export function gitLogTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.git_log,
    input,
    output,
    annotations: readOnlyAnnotations,
    run: (request, { signal }) => readLog(files, request, signal),
    summarize: ({ commits }) =>
      commits
        .map(
          ({ hash, date, author, subject }) => `${hash.slice(0, 10)} ${date} ${author}: ${subject}`,
        )
        .join('\n') || 'No commits',
  });
}

const fieldCodes = ['%H', '%an', '%ae', '%aI', '%s', '%b'];

async function readLog(
  files: ProjectFiles,
  { path, since, author, limit }: z.output<typeof input>,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const { git, limit: paths } = await findTarget(files, path, signal);
  if ((await findCommit('HEAD', git)) === undefined) {
    // Says so where there is no repository; one without a commit has an empty history.
    await git.run(['rev-parse', '--git-dir']);
    return { commits: [], truncated: false };
  }
  const start = since === undefined ? undefined : await findStart(since, git);
  const range = start && 'commit' in start ? `${start.commit}..HEAD` : 'HEAD';
  const text = await git.run([
    'log',
    '-z',
    `--max-count=${limit + 1}`,
    `--format=${fieldCodes.join('%x1f')}`,
    ...(start && 'time' in start ? [`--since=${start.time}`] : []),
    ...(author === undefined
      ? []
      : ['--fixed-strings', '--regexp-ignore-case', `--author=${author}`]),
    range,
    ...paths,
  ]);
  const commits = text.split('\0').filter(Boolean).map(readCommit);
  return { commits: commits.slice(0, limit), truncated: commits.length > limit };
}

function readCommit(record: string): z.input<typeof output>['commits'][number] {
  const [hash = '', author = '', email = '', date = '', subject = '', ...body] =
    record.split('\x1f');
  return { hash, author, email, date, subject, body: body.join('\x1f').trim() };
}
