import type { Turn } from '../../contract/session/index.ts';
import type { SessionLease, SessionOwner } from '../../memory/index.ts';
import type { Row } from './run-rows.ts';

/** Sessions whose turns are kept, the one that was opened last last. */
const maxSessions = 8;
/** Characters of one session as JSON; longer ones are read each time. */
const maxLength = 4_194_304;

export interface KnownTurns {
  readonly turns: readonly Turn[];
  /** As JSON, in characters. */
  readonly length: number;
}

interface Kept extends KnownTurns {
  readonly epoch: number;
  readonly sinceMs: number;
}

/**
 * Turns as this process last knew them, for who goes on with a conversation: they need not be read again, and
 * what was found out about each is still known. Whoever writes in a session has its lease, so where the last
 * lease was ours they are complete.
 */
export class RecentTurns {
  readonly #kept = new Map<string, Kept>();

  /** Those of the session of this row, as it was before it is taken again; undefined when they have to be read. */
  of(id: string, row: Row, owner: SessionOwner): KnownTurns | undefined {
    const kept = this.#kept.get(id);
    const isOurs =
      kept?.epoch === row['epoch'] &&
      kept?.sinceMs === row['lease_since_ms'] &&
      owner.pid === row['lease_pid'] &&
      owner.processStart === row['lease_process_start'] &&
      kept?.turns.length === row['turn_count'];
    return isOurs ? kept : undefined;
  }

  /** The session is taken. */
  begin({ sessionId, epoch }: SessionLease, sinceMs: number, known: KnownTurns): void {
    this.#keep(sessionId, { ...known, epoch, sinceMs });
  }

  /** To be called after the commit. */
  add({ sessionId, epoch }: SessionLease, turn: Turn, length: number): void {
    const kept = this.#kept.get(sessionId);
    if (kept?.epoch !== epoch) return this.forget(sessionId);
    const turns = [...kept.turns, turn];
    this.#keep(sessionId, { ...kept, length: kept.length + length, turns });
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }

  #keep(id: string, kept: Kept): void {
    this.#kept.delete(id);
    if (kept.length > maxLength) return;
    this.#kept.set(id, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxSessions && oldest !== undefined) this.#kept.delete(oldest);
  }
}
