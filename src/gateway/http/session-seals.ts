import type { Caller } from '../../contract/caller/index.ts';
import { Sealer, type Secret } from '../../kernel/index.ts';
import {
  findHandshakeVersion,
  isRecord,
  type HandshakeVersion,
  type Params,
} from '../../protocol/index.ts';

/** What an instance has to know of a session to go on with it. */
export interface SealedSession {
  readonly sessionId: string;
  readonly version: HandshakeVersion;
  readonly capabilities: Params;
  readonly expiresAtMs: number;
}

/** Proxies often allow 8 KiB for all headers together. */
const maxIdLength = 6_144;
const purpose = 'tutti client sessions';

/**
 * The value of `Mcp-Session-Id`: the session itself, encrypted and bound to its caller, so that every instance with the
 * same secret can go on with it and nothing is stored at `initialize`.
 */
export class SessionSeals {
  readonly #secrets: () => readonly [Secret, ...Secret[]];
  #opened: Sealer | undefined;

  constructor(secrets: () => readonly [Secret, ...Secret[]]) {
    this.#secrets = secrets;
  }

  /** Undefined when it is too large for a header. */
  seal(caller: Caller, session: SealedSession): string | undefined {
    const { sessionId, version, capabilities, expiresAtMs } = session;
    const text = JSON.stringify([sessionId, version, expiresAtMs, capabilities]);
    const sealed = this.#sealer.seal(text, ['session', caller.id]);
    return sealed.length > maxIdLength ? undefined : sealed;
  }

  /** Undefined for an id that was forged, changed, made for another caller, or has expired. */
  open(id: string, caller: Caller, nowMs: number): SealedSession | undefined {
    if (id.length > maxIdLength) return undefined;
    const text = this.#sealer.open(id, ['session', caller.id]);
    if (text === undefined) return undefined;
    const parsed: unknown = JSON.parse(text);
    const [sessionId, name, expiresAtMs, capabilities] = Array.isArray(parsed) ? parsed : [];
    const version = typeof name === 'string' ? findHandshakeVersion(name) : undefined;
    const isWhole =
      typeof sessionId === 'string' &&
      version &&
      Number.isFinite(expiresAtMs) &&
      isRecord(capabilities);
    if (!isWhole || expiresAtMs <= nowMs) return undefined;
    return { sessionId, version, capabilities, expiresAtMs };
  }

  /** For what instances leave each other about a session. */
  sealMessage(sessionId: string, text: string): string {
    return this.#sealer.seal(text, ['message', sessionId]);
  }

  openMessage(sessionId: string, sealed: string): string | undefined {
    return this.#sealer.open(sealed, ['message', sessionId]);
  }

  get #sealer(): Sealer {
    return (this.#opened ??= new Sealer(this.#secrets(), purpose));
  }
}
