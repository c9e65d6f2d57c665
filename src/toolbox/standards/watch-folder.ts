import { statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

export interface WatchOptions {
  readonly folder: string;
  /** Called some time after something may have changed; looks for itself what did. */
  readonly look: () => Promise<void>;
  readonly pollMs?: number;
  readonly debounceMs?: number;
}

/** A watch follows the folder it was set on, not its name: a folder made again needs another one. */
interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Looks when the system reports a change, and in any case every `pollMs`: the folder may not exist yet,
 * and network file systems report nothing. Neither keeps the process alive. Returns how to stop it.
 */
export function watchFolder(options: WatchOptions): () => void {
  const { folder, look, pollMs = 2_000, debounceMs = 50 } = options;
  const watchers = new Map<string, Watched>();
  let pending: NodeJS.Timeout | undefined;
  const lookSoon = (): void => {
    pending ??= setTimeout(() => {
      pending = undefined;
      attach();
      void look();
    }, debounceMs);
    pending.unref();
  };
  const attach = (): void => {
    for (const path of [folder, join(folder, 'prompts'), join(folder, 'templates')]) {
      attachTo(path, watchers, lookSoon);
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
    for (const { watcher } of watchers.values()) watcher.close();
    watchers.clear();
  };
}

/**
 * Watches the folder that has this path at the moment. One that does not exist, or disappears, is left
 * to polling until it is there again.
 */
function attachTo(path: string, watchers: Map<string, Watched>, lookSoon: () => void): void {
  const watched = watchers.get(path);
  try {
    const identity = identityOf(path);
    if (watched?.identity === identity) return;
    watched?.watcher.close();
    watchers.delete(path);
    if (identity === undefined) return;
    const watcher = watch(path, { persistent: false }, lookSoon);
    watchers.set(path, { watcher, identity });
    watcher.on('error', () => {
      if (watchers.get(path)?.watcher === watcher) watchers.delete(path);
      watcher.close();
    });
  } catch {
    watched?.watcher.close();
    watchers.delete(path);
  }
}

/** The time of birth is part of it because file systems give the number of a deleted folder away again. */
function identityOf(path: string): string | undefined {
  const info = statSync(path, { throwIfNoEntry: false });
  return info && `${info.dev} ${info.ino} ${info.birthtimeMs}`;
}
