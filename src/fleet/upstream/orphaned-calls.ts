import type { ClientPort } from '../../contract/server/index.ts';
import { upstreamLimits } from './upstream-limits.ts';

/**
 * What a server may still work on, and ask about, though no running request stands for it: calls that were
 * cancelled, took too long or whose client left, by their ids, until the server answers them; and tasks, by
 * theirs, until they are over.
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

  /** The server is done with it; false when it was not here. */
  end(id: number | string): boolean {
    return this.#peers.delete(id);
  }

  /** Whether any of it is, or may be, of another than this client. */
  hasOthers(client: ClientPort | undefined): boolean {
    const own = peerOf(client);
    return this.#isFull || this.#peers.values().some((peer) => peer !== own);
  }
}

/** Who is at the other end: one client may send requests that are clients of their own. */
function peerOf(client: ClientPort | undefined): string {
  return client?.peer ?? client?.id ?? '';
}
