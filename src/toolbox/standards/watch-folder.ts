import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

export interface WatchOptions {
  readonly folder: string;
  /** Called some time after something may have changed; looks for itself what did. */
  readonly look: () => Promise<void>;
  readonly pollMs?: number;
  readonly debounceMs?: number;
}

/**
 * Looks when the system reports a change, and in any case every `pollMs`: the folder may not exist yet,
 * and network file systems report nothing. Neither keeps the process alive. Returns how to stop it.
 */
export function watchFolder(options: WatchOptions): () => void {
  const { folder, look, pollMs = 2_000, debounceMs = 50 } = options;
  const watchers = new Map<string, FSWatcher>();
  let pending: NodeJS.Timeout | undefined;
  const lookSoon = (): void => {
    pending ??= setTimeout(() => {
      pending = undefined;
      void look();
    }, debounceMs);
    pending.unref();
  };
  const attach = (): void => {
    for (const path of [folder, join(folder, 'prompts'), join(folder, 'templates')]) {
      if (!watchers.has(path)) attachTo(path, watchers, lookSoon);
    }
  };
  attach();
  const poll = setInterval(() => {
    attach();
    void look();
  }, pollMs);
  poll.unref();
  return () => {
    clearInterval(poll);
    clearTimeout(pending);
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  };
}

/** A folder that does not exist, or disappears, is left to polling until it is there again. */
function attachTo(path: string, watchers: Map<string, FSWatcher>, lookSoon: () => void): void {
  try {
    const watcher = watch(path, { persistent: false }, lookSoon);
    watchers.set(path, watcher);
    watcher.on('error', () => {
      watchers.delete(path);
      watcher.close();
    });
  } catch {
    watchers.delete(path);
  }
}
