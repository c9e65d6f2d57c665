import type { ArtifactFilter } from '../../src/contract/artifact/index.ts';
import type { Caller } from '../../src/contract/caller/index.ts';
import type { ArtifactIndex, ArtifactMaker } from '../../src/artifacts/open-artifacts.ts';

/** An index that is gone with its process. */
export class MemoryArtifactIndex implements ArtifactIndex {
  #makers: readonly ArtifactMaker[] = [];

  async add(maker: ArtifactMaker, isThere: () => boolean): Promise<boolean> {
    if (!isThere()) return false;
    this.#append(maker);
    return true;
  }

  async makersOf(caller: Caller, id: string, limit: number): Promise<readonly ArtifactMaker[]> {
    return this.#of(caller)
      .filter((maker) => maker.id === id)
      .slice(0, limit);
  }

  async recent(caller: Caller, filter: ArtifactFilter): Promise<readonly string[]> {
    const makers = this.#of(caller).filter(
      ({ lineage }) => filter.runId === undefined || lineage.runId === filter.runId,
    );
    return [...new Set(makers.toReversed().map(({ id }) => id))].slice(0, filter.limit);
  }

  async release(caller: Caller, runIds: readonly string[]): Promise<void> {
    this.#makers = this.#makers.filter(
      ({ callerId, lineage }) => callerId !== caller.id || !runIds.includes(lineage.runId),
    );
  }

  async forUnused(ids: readonly string[], use: (id: string) => void): Promise<void> {
    const made = new Set(this.#makers.map(({ id }) => id));
    for (const id of ids) if (!made.has(id)) use(id);
  }

  #of(caller: Caller): readonly ArtifactMaker[] {
    return this.#makers.filter(({ callerId }) => callerId === caller.id);
  }

  #append(maker: ArtifactMaker): void {
    const keyOf = ({ callerId, id, lineage }: ArtifactMaker): string =>
      JSON.stringify([callerId, id, lineage.runId, lineage.step]);
    const key = keyOf(maker);
    if (!this.#makers.some((known) => keyOf(known) === key)) {
      this.#makers = [...this.#makers, maker];
    }
  }
}
