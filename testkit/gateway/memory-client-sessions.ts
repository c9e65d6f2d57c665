import {
  messageKeepMs,
  type ClientSessionStore,
  type RecordedFact,
} from '../../src/contract/client-session/index.ts';
import { Secret } from '../../src/kernel/index.ts';

/** Facts about client sessions in memory. */
export class MemoryClientSessions implements ClientSessionStore {
  readonly #now: () => number;
  #facts: (RecordedFact & { readonly sequence: number; readonly untilMs: number })[] = [];
  #sequence = 0;
  /** How often anything was read of one session. */
  reads = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async record(recorded: RecordedFact): Promise<void> {
    const { sessionId, fact, expiresAtMs } = recorded;
    const nowMs = this.#now();
    const isReplaced = (earlier: RecordedFact): boolean => {
      if (earlier.sessionId !== sessionId) return false;
      if (fact.kind === 'ended') return true;
      if ('uri' in fact) return 'uri' in earlier.fact && earlier.fact.uri === fact.uri;
      return fact.kind === 'log-level' && earlier.fact.kind === 'log-level';
    };
    this.#facts = this.#facts.filter(({ untilMs }) => untilMs > nowMs);
    const own = this.#facts.filter((it) => it.sessionId === sessionId);
    if (own.some((it) => it.fact.kind === 'ended')) return;
    const untilMs = fact.kind === 'message' ? nowMs + messageKeepMs : expiresAtMs;
    this.#facts = this.#facts.filter((it) => !isReplaced(it));
    this.#facts.push({ ...recorded, untilMs, sequence: (this.#sequence += 1) });
  }

  async factsOf(sessionId: string) {
    this.reads += 1;
    return this.#facts
      .filter((it) => it.sessionId === sessionId)
      .map(({ fact }) => fact)
      .filter(({ kind }) => kind !== 'message' && kind !== 'unwatch');
  }

  async factsAfter(after: string | undefined, limit: number) {
    if (after === undefined) return { facts: [], cursor: String(this.#sequence) };
    const later = this.#facts.filter(({ sequence }) => sequence > Number(after)).slice(0, limit);
    const facts = later.map(({ sessionId, instance, expiresAtMs, fact }) => ({
      sessionId,
      instance,
      expiresAtMs,
      fact,
    }));
    return { facts, cursor: String(later.at(-1)?.sequence ?? after) };
  }
}

/** For a gateway on its own, or for several that share a store. */
export function sharedSessions(store: ClientSessionStore = new MemoryClientSessions()) {
  return { store, secrets: () => [new Secret('of all instances')] as const };
}
