import { z } from 'zod';
import { pluralize, lookupTable } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { ProjectFiles } from '../project-files.ts';
import { readOnlyAnnotations } from '../../effect-tool.ts';
import { findTarget } from './git.ts';
import texts from '../tools.json' with { type: 'json' };

const maxFiles = 5_000;

const statuses = [
  'modified',
  'added',
  'deleted',
  'renamed',
  'copied',
  'type_changed',
  'unmerged',
  'untracked',
] as const;

type Status = (typeof statuses)[number];

const output = z.object({
  branch: z.string().nullable().describe('Null when no branch is checked out.'),
  upstream: z.string().nullable(),
  ahead: z.int().nullable().describe('Commits that the upstream branch lacks.'),
  behind: z.int().nullable().describe('Commits of the upstream branch that this one lacks.'),
  clean: z.boolean().describe('Whether there is nothing to commit.'),
  files: z.array(
    z.object({
      path: z.string(),
      status: z.enum(statuses),
      staged: z.boolean().describe('Whether a change of it is in the index.'),
      unstaged: z.boolean().describe('Whether a change of it is not in the index.'),
      from: z.string().optional().describe('The former path of a renamed file.'),
    }),
  ),
  total: z.int(),
  truncated: z.boolean(),
});

/** The tool `git_status`. */
export function gitStatusTool(files: ProjectFiles): DefinedTool {
  return defineTool({
    ...texts.git_status,
    input: z.strictObject({}),
    output,
    annotations: readOnlyAnnotations,
    run: (_request, { signal }) => readStatus(files, signal),
    summarize: summarize,
  });
}

async function readStatus(
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<z.input<typeof output>> {
  const { git, limit } = await findTarget(files, undefined, signal);
  const { prefix } = git;
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all'];
  const text = await git.run([...args, '--ignore-submodules=dirty', ...limit]);
  const fields = text.split('\0');
  const head = new Map<string, string>();
  const found: z.input<typeof output>['files'] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const line = fields[at] ?? '';
    if (line.startsWith('# ')) {
      const [, name = '', ...rest] = line.split(' ');
      head.set(name, rest.join(' '));
      continue;
    }
    const entry = readEntry(line);
    if (!entry) continue;
    const from = line.startsWith('2 ') ? { from: within(prefix, fields[(at += 1)] ?? '') } : {};
    found.push({ ...entry, path: within(prefix, entry.path), ...from });
  }
  const [ahead = null, behind = null] = readDistance(head.get('branch.ab'));
  const branch = head.get('branch.head') ?? null;
  return {
    branch: branch === '(detached)' ? null : branch,
    upstream: head.get('branch.upstream') ?? null,
    ahead,
    behind,
    clean: found.length === 0,
    files: found.slice(0, maxFiles),
    total: found.length,
    truncated: found.length > maxFiles,
  };
}

/** How many fields stand before the path, by the kind of line (porcelain v2). */
const fieldsBeforePath: Readonly<Record<string, number>> = lookupTable({
  '1': 8,
  '2': 9,
  u: 10,
  '?': 1,
});

function readEntry(
  line: string,
): { path: string; status: Status; staged: boolean; unstaged: boolean } | undefined {
  const fields = line.split(' ');
  const before = fieldsBeforePath[fields[0] ?? ''];
  if (before === undefined) return undefined;
  const path = fields.slice(before).join(' ');
  if (fields[0] === '?') return { path, status: 'untracked', staged: false, unstaged: true };
  const [index = '.', tree = '.'] = fields[1] ?? '';
  const status =
    fields[0] === 'u' ? 'unmerged' : (statusWords[index === '.' ? tree : index] ?? 'modified');
  return { path, status, staged: index !== '.', unstaged: tree !== '.' };
}

const statusWords: Readonly<Record<string, Status>> = lookupTable({
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
});

function readDistance(text = ''): number[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((part) => Math.abs(Number(part)));
}

/** Git names paths from the top of the repository; the project may be a folder of it. */
function within(prefix: string, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function summarize({
  branch,
  clean,
  files,
  total,
  ahead,
  behind,
  upstream,
}: z.output<typeof output>): string {
  const distance =
    upstream === null ? '' : `, ${ahead ?? 0} ahead of and ${behind ?? 0} behind ${upstream}`;
  const lines = files.map(
    ({ path, status, staged }) => `${status}${staged ? ' (staged)' : ''}: ${path}`,
  );
  return [
    `On ${branch === null ? 'no branch' : `branch ${branch}`}${distance}`,
    clean ? 'Nothing to commit' : `${pluralize(total, 'file')} changed:`,
    ...lines,
  ].join('\n');
}
