import { isRecord, type Params } from '../../protocol/index.ts';
import { UpstreamError } from './errors.ts';
import type { DraftRequest } from './request-text.ts';
import { upstreamLimits } from './upstream-limits.ts';

export interface SubscriptionParts {
  readonly capabilities: Params;
  /** The watched resources. */
  readonly uris: () => readonly string[];
  readonly request: (draft: DraftRequest, signal: AbortSignal) => Promise<Params>;
  /** The stream was interrupted, so changes may have been missed. */
  readonly onGap: () => void;
}

/**
 * The open `subscriptions/listen` of a stateless server. Reopened with backoff when it ends, and at once when
 * the watched resources change.
 */
export class ChangeSubscription {
  readonly #parts: SubscriptionParts;
  #current: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number = upstreamLimits.listenPauseMs;
  #isClosed = false;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
  }

  /** Opens it, or reopens it with the resources watched now. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#current?.abort(new DOMException('The subscription was replaced', 'AbortError'));
    this.#current = undefined;
    if (!this.#isClosed) this.#open();
  }

  close(): void {
    this.#isClosed = true;
    this.refresh();
  }

  #open(): void {
    const notifications = this.#filter();
    if (Object.keys(notifications).length === 0) return;
    const current = new AbortController();
    this.#current = current;
    const openedAt = performance.now();
    const members = [['notifications', JSON.stringify(notifications)] as const];
    const again = (): void => {
      if (this.#isClosed || current !== this.#current) return;
      const wasLong = performance.now() - openedAt > upstreamLimits.maxListenPauseMs;
      this.#pauseMs = wasLong
        ? upstreamLimits.listenPauseMs
        : Math.min(this.#pauseMs * 2, upstreamLimits.maxListenPauseMs);
      this.#timer = setTimeout(() => {
        this.#open();
        this.#parts.onGap();
      }, this.#pauseMs).unref();
    };
    this.#parts.request({ method: 'subscriptions/listen', members }, current.signal).then(
      again,
      // A refusal is final; a broken connection is not.
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) again();
      },
    );
  }

  #filter(): Params {
    const uris = this.#parts.uris();
    const has = (name: string): boolean => {
      const capability = this.#parts.capabilities[name];
      return isRecord(capability) && capability['listChanged'] === true;
    };
    return {
      ...(has('tools') ? { toolsListChanged: true } : {}),
      ...(has('prompts') ? { promptsListChanged: true } : {}),
      ...(has('resources') ? { resourcesListChanged: true } : {}),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
  }
}

/** Counts the watchers of each resource, so that the server is notified once, of the first and of the last. */
export class WatchCounts {
  readonly #watchers = new Map<string, number>();
  readonly #onChange: (uri: string, isWatched: boolean) => void;

  constructor(onChange: (uri: string, isWatched: boolean) => void) {
    this.#onChange = onChange;
  }

  get uris(): string[] {
    return [...this.#watchers.keys()];
  }

  has(uri: string): boolean {
    return this.#watchers.has(uri);
  }

  /** The returned function ends the watch; idempotent. */
  add(uri: string): () => void {
    const before = this.#watchers.get(uri) ?? 0;
    this.#watchers.set(uri, before + 1);
    if (before === 0) this.#onChange(uri, true);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#watchers.get(uri) ?? 1) - 1;
      if (left > 0) {
        this.#watchers.set(uri, left);
        return;
      }
      this.#watchers.delete(uri);
      this.#onChange(uri, false);
    };
  }
}
