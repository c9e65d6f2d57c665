import { z } from 'zod';
import type { ProjectFiles } from '../project-files.ts';
import { openGit, type Git } from './git.ts';

export const pathField = z
  .string()
  .min(1)
  .max(4096)
  .describe('A file or folder, relative to the project root.');

export const sinceField = z
  .string()
  .min(1)
  .max(200)
  .describe(
    'A time as Git takes it ("yesterday", "2 weeks ago", "2026-01-31") or a commit, tag or branch.',
  );

/** The repository a call is about, and the part of it. */
export interface Target {
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
