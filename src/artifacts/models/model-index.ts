import type { Caller } from '../../contract/caller/index.ts';
import type { AliasMove, ModelVersion } from '../../contract/ml/index.ts';

/**
 * The rows behind the store of models.
 *
 * 1. A version is never changed; versions of a name count from 1 without gaps.
 * 2. One run gives one version: adding it again returns the first.
 * 3. Moves of aliases are only appended; an alias is its last move.
 */
export interface ModelIndex {
  add(caller: Caller, model: Omit<ModelVersion, 'version'>): Promise<ModelVersion>;
  find(
    caller: Caller,
    name: string,
    which: { readonly version: number } | { readonly alias: string } | 'latest',
  ): Promise<ModelVersion | undefined>;
  byRun(caller: Caller, name: string, runKey: string): Promise<ModelVersion | undefined>;
  list(caller: Caller, limit: number): Promise<readonly ModelVersion[]>;
  addMove(caller: Caller, move: Omit<AliasMove, 'previous'>): Promise<AliasMove>;
  moves(caller: Caller, name: string, limit: number): Promise<readonly AliasMove[]>;
}
