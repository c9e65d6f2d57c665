import { fileURLToPath } from 'node:url';
import type { ServerChange } from '../../contract/server/index.ts';
import { ownFile, type Log } from '../../kernel/index.ts';
import { compareSnapshots } from './compare-snapshots.ts';
import { fingerprintFolder, readFolder, type FolderContents } from './read-folder.ts';
import type { Snapshot } from './snapshot.ts';

const contentFolder = fileURLToPath(ownFile('toolbox/standards/content/'));

export interface LibraryOptions {
  /** The project's folder of overrides; need not exist. */
  readonly project: string | undefined;
  readonly log: Log;
}

interface Loaded {
  readonly fingerprint: string;
  readonly snapshot: Snapshot;
}

/**
 * The standards as they are now: looks for changes whenever it is asked, so what it gives is never
 * stale, and tells listeners what changed since they last heard.
 */
export class StandardsLibrary {
  readonly #options: LibraryOptions;
  #builtIn: Promise<FolderContents> | undefined;
  #loaded: Loaded | undefined;
  #loading: Promise<Loaded> | undefined;
  readonly #listeners = new Set<(change: ServerChange) => void>();

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  async current(): Promise<Snapshot> {
    this.#loading ??= this.#refresh().finally(() => {
      this.#loading = undefined;
    });
    return (await this.#loading).snapshot;
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #refresh(): Promise<Loaded> {
    const { project } = this.#options;
    const fingerprint = project === undefined ? '' : await fingerprintFolder(project);
    const before = this.#loaded;
    if (before?.fingerprint === fingerprint) return before;
    this.#builtIn ??= readFolder(contentFolder);
    const overrides =
      project === undefined ? { files: [], problems: [] } : await readFolder(project);
    // Brings the YAML reader, which the list of tools does not need.
    const { makeSnapshot } = await import('./snapshot.ts');
    const snapshot = makeSnapshot(await this.#builtIn, overrides);
    for (const problem of snapshot.problems) {
      this.#options.log.warn('an override of the standards was not used', { ...problem });
    }
    this.#loaded = { fingerprint, snapshot };
    if (before) this.#announce(compareSnapshots(before.snapshot, snapshot));
    return this.#loaded;
  }

  #announce(changes: readonly ServerChange[]): void {
    for (const change of changes) {
      for (const listener of this.#listeners) listener(change);
    }
  }
}
