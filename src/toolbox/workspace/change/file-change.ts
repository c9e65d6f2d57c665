import type { BigIntStats } from 'node:fs';
import type { ProjectPath } from '../project-files.ts';
import { contentHash } from '../text-file.ts';

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
