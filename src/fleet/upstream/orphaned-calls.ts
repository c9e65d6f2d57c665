import type { ClientPort } from '../../contract/server/index.ts';
import { upstreamLimits } from './upstream-limits.ts';

/**
 * Work that a server may still do, and send requests for, without a pending request on our side: calls that were
 * cancelled, timed out or lost their client, until the server answers them; and tasks, until they end.
 */
export class OrphanedCalls {
  readonly #peers = new Map<number | string, string>();
  #isFull = false;

  add(id: number | string, client: ClientPort | undefined): void {
    if (this.#peers.size < upstreamLimits.maxOrphaned) this.#peers.set(id, peerOf(client));
    else this.#isFull = true;
  }

  has(id: number | string): boolean {
    return this.#peers.has(id);
  }

  /** The server finished it; false when it is unknown. */
  end(id: number | string): boolean {
    return this.#peers.delete(id);
  }

  /** Whether any of it belongs, or may belong, to another client. */
  hasOthers(client: ClientPort | undefined): boolean {
    const own = peerOf(client);
    return this.#isFull || this.#peers.values().some((peer) => peer !== own);
  }
}

/** The client's connection: in the stateless era each request is a client of its own. */
function peerOf(client: ClientPort | undefined): string {
  return client?.peer ?? client?.id ?? '';
}
