import type {
  AgentTally,
  DelegationChange,
  DelegationPlace,
  DelegationRow,
  DelegationStore,
  Usage,
  UsageRequest,
} from '../../src/agents/index.ts';

/** Delegations in memory. */
export class MemoryDelegationStore implements DelegationStore {
  readonly rows: DelegationRow[] = [];
  readonly #off = new Set<string>();
  readonly #used = new Map<string, Usage>();

  async use(callerId: string, { unit, tasks }: UsageRequest): Promise<boolean> {
    const isUsedUp = tasks.some(({ id, limit }) => this.#usedBy(callerId, id)[unit] >= limit);
    if (isUsedUp) return false;
    for (const { id } of tasks) {
      const before = this.#usedBy(callerId, id);
      this.#used.set(`${callerId} ${id}`, { ...before, [unit]: before[unit] + 1 });
    }
    return true;
  }

  async used(callerId: string, ids: readonly string[]): Promise<readonly Usage[]> {
    return ids.map((id) => this.#usedBy(callerId, id));
  }

  #usedBy(callerId: string, id: string): Usage {
    return this.#used.get(`${callerId} ${id}`) ?? { calls: 0, rounds: 0 };
  }

  async begin(row: DelegationRow, maxOfRoot: number): Promise<DelegationRow | undefined> {
    const found = this.rows.find((one) => isAt(one, row));
    if (found) return found;
    const { callerId, root } = row;
    const others = this.rows.filter((one) => one.callerId === callerId && one.root === root);
    if (others.length >= maxOfRoot) return undefined;
    this.rows.push(row);
    return row;
  }

  async change(place: DelegationPlace, change: DelegationChange): Promise<void> {
    const index = this.rows.findIndex((one) => isAt(one, place));
    const row = this.rows[index];
    if (row) this.rows[index] = { ...row, ...change };
  }

  async attempts(callerId: string, key: string): Promise<readonly DelegationRow[]> {
    return this.rows.filter((row) => row.callerId === callerId && row.key === key);
  }

  async ofRun(callerId: string, runId: string): Promise<readonly DelegationRow[]> {
    const isOf = (row: DelegationRow): boolean => row.runId === runId || row.parentRun === runId;
    return this.rows.filter((row) => row.callerId === callerId && isOf(row));
  }

  async ofChange(callerId: string, changeId: string): Promise<DelegationRow | undefined> {
    const made = (row: DelegationRow): boolean =>
      (Object(row.result).changes ?? []).some(({ id }: { id: string }) => id === changeId);
    return this.rows.findLast((row) => row.callerId === callerId && made(row));
  }

  async tally(callerId: string): Promise<readonly AgentTally[]> {
    const ended = this.rows.filter(
      ({ callerId: id, endedAtMs, verdict }) =>
        id === callerId && endedAtMs !== null && verdict !== 'refused' && verdict !== 'cancelled',
    );
    const groups = Map.groupBy(ended, ({ agent, version }) => `${agent}@${version}`);
    return [...groups.values()].map((rows) => {
      const failed = rows.filter(({ verdict }) => verdict === 'failed').length;
      const { agent = '', version = '' } = rows[0] ?? {};
      return {
        agent,
        version,
        failed,
        done: rows.length - failed,
        recent: 1 - failed / rows.length,
      };
    });
  }

  async durations(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  async disabled(): Promise<readonly string[]> {
    return [...this.#off];
  }

  async setDisabled(_callerId: string, agent: string, isDisabled: boolean): Promise<void> {
    if (isDisabled) this.#off.add(agent);
    else this.#off.delete(agent);
  }
}

function isAt(row: DelegationPlace, { callerId, key, attempt }: DelegationPlace): boolean {
  return row.callerId === callerId && row.key === key && row.attempt === attempt;
}
