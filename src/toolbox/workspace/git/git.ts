import { devNull } from 'node:os';
import { z } from 'zod';
import { runChild } from '../../code/engines/run-child.ts';
import { GitFailedError, NoSuchCommitError } from '../errors.ts';
import type { ProjectFiles } from '../project-files.ts';
import { readTime } from './read-time.ts';

const timeLimitMs = 30_000;
const maxOutputBytes = 20 * 1024 * 1024;

/** Settings of a repository that make Git start programs, or keep a lock, even where it only reads. */
const safeSettings = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'core.pager=cat',
  'diff.external=',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'submodule.recurse=false',
  'color.ui=false',
  'core.quotePath=false',
].flatMap((setting) => ['-c', setting]);

/** All of Git's environment: nothing such as GIT_DIR or GIT_EXTERNAL_DIFF is inherited. */
function environment(): Record<string, string> {
  const { PATH = '', HOME = '', XDG_CONFIG_HOME, SystemRoot } = process.env;
  return {
    PATH,
    HOME,
    ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }),
    ...(SystemRoot !== undefined && { SystemRoot }),
    LC_ALL: 'C.UTF-8',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_EDITOR: 'true',
  };
}

/**
 * Runs Git in one repository: no shell, no pager, no hook, no external diff, and no filter that the
 * repository itself defines.
 */
export interface Git {
  /** What a command prints. Throws `workspace.git_failed` when it fails or runs out of time. */
  run(args: readonly string[], more?: GitInput): Promise<string>;
  /** Like `run`, but undefined when the command fails. */
  attempt(args: readonly string[], more?: GitInput): Promise<string | undefined>;
  /** The folder as seen from the top of the repository: empty, or a path that ends in `/`. */
  readonly prefix: string;
  /** Where it runs. */
  readonly folder: string;
}

interface GitInput {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Throws `workspace.git_failed` when Git is missing or the folder is in no repository. */
export async function openGit(folder: string, signal: AbortSignal): Promise<Git> {
  const place = { folder, signal };
  const prefix = (await run(['rev-parse', '--show-prefix'], place)).trim();
  const filters = await repositoryFilters(place);
  const git = (args: readonly string[], more: GitInput = {}): Promise<string> =>
    run([...filters, ...args], { ...place, ...more });
  return {
    prefix,
    folder,
    run: git,
    attempt: (args, more) =>
      git(args, more).catch((error: unknown) => {
        if (error instanceof GitFailedError) return undefined;
        throw error;
      }),
  };
}

interface Place extends GitInput {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Turns off clean and smudge filters that the repository's own settings define: a downloaded repository
 * would have Git run its programs. Filters in the user's settings, such as Git LFS, stay.
 */
async function repositoryFilters(place: Place): Promise<string[]> {
  const query = [
    'config',
    '--show-scope',
    '--name-only',
    '--get-regexp',
    String.raw`^filter\..*\.`,
  ];
  const names = (await run(query, place, [0, 1]))
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([scope]) => scope === 'local' || scope === 'worktree')
    .map(([, key = '']) => key);
  return names.flatMap((key) => ['-c', key.endsWith('.required') ? `${key}=false` : `${key}=`]);
}

async function run(
  args: readonly string[],
  { folder, signal, env, stdin = '' }: Place,
  accepted: readonly number[] = [0],
): Promise<string> {
  const command = args.filter((arg, at) => arg !== '-c' && args[at - 1] !== '-c')[0] ?? '';
  const end = await runChild({
    program: 'git',
    args: ['--no-pager', ...safeSettings, ...args],
    stdin,
    cwd: folder,
    env: { ...environment(), ...env },
    limits: { timeLimitMs, maxOutputBytes },
    signal,
  });
  switch (end.kind) {
    case 'missing':
      throw new GitFailedError(command, 'the program "git" is not installed or not on PATH');
    case 'stopped':
      throw new GitFailedError(command, end.reason);
    case 'exited':
      if (accepted.includes(end.exitCode)) return end.stdout;
      throw new GitFailedError(command, explain(end.stderr, folder));
  }
}

function explain(stderr: string, folder: string): string {
  if (stderr.includes('not a git repository')) {
    return `"${folder}" is not in a Git repository. Run "git init" there first`;
  }
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('hint:'));
  return (
    lines
      .slice(0, 3)
      .join(' ')
      .replace(/^fatal: /, '') || 'it gave no reason'
  );
}

export const sinceField = z
  .string()
  .min(1)
  .max(200)
  .describe(
    'A time ("yesterday", "2 weeks ago", "monday", "2026-01-31") or a commit, tag or branch.',
  );

/** The repository a call is about, and the part of it. */
interface Target {
  readonly git: Git;
  /** Ends a command line: `--` and what it is limited to. */
  readonly limit: readonly string[];
}

/** The repository of a path, or of the first root. A root inside a larger repository sees its own part. */
export async function findTarget(
  files: ProjectFiles,
  path: string | undefined,
  signal: AbortSignal,
): Promise<Target> {
  const { root, names } = await files.locate(path ?? '.');
  return { git: await openGit(root, signal), limit: ['--', names.join('/') || '.'] };
}

/** The commit a name means, undefined when it means none. */
export async function findCommit(name: string, git: Git): Promise<string | undefined> {
  const query = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  return (await git.attempt(query))?.trim();
}

const lastCommit = /^(?:the )?(?:last|latest|newest|previous|most recent) commit$/i;

/** Where a `since` begins: at a commit, or at a time as ISO 8601. Throws `workspace.no_such_commit`. */
export async function findStart(
  since: string,
  git: Git,
): Promise<{ readonly commit: string } | { readonly time: string }> {
  const commit = await findCommit(lastCommit.test(since.trim()) ? 'HEAD' : since, git);
  if (commit !== undefined) return { commit };
  const time = readTime(since, new Date());
  if (time === undefined) throw new NoSuchCommitError(since);
  return { time: time.toISOString() };
}

/** The hash of the empty tree: what a repository held before its first commit. */
export async function emptyTree(git: Git): Promise<string> {
  return (await git.run(['hash-object', '-t', 'tree', '--stdin'])).trim();
}

/** What `--numstat -z` prints. */
export function readNumbers(text: string): { path: string; added: number; removed: number }[] {
  const lines = text.split('\0').filter(Boolean);
  return lines.map((line) => {
    const [added, removed, ...path] = line.split('\t');
    // Binary files have "-" in place of both numbers.
    return { path: path.join('\t'), added: Number(added) || 0, removed: Number(removed) || 0 };
  });
}
