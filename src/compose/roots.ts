import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { LoadedSettings } from '../config/index.ts';
import type { ClientRoots } from '../fleet/index.ts';
import type { Log } from '../kernel/index.ts';

/** How long a client may take to say which folders it has open. */
const askLimitMs = 5_000;
const maxRoots = 100;

const answerSchema = z.looseObject({
  roots: z.array(z.looseObject({ uri: z.string() })).max(maxRoots),
});

/**
 * The folders our servers may read: those of the settings when the user named any there, otherwise
 * those the client on stdio has open, otherwise the current folder. Clients on a network are never asked.
 * Other servers get the folders that this client has open.
 */
export class Roots implements ClientRoots {
  readonly #log: Log;
  readonly #isChosen: boolean;
  readonly #fallback: readonly string[];
  readonly #listeners = new Set<() => void>();
  #current: Promise<readonly string[]>;
  #folder: { readonly roots: readonly string[]; readonly path: Promise<string> } | undefined;
  /** How the client on stdio is asked; undefined before it is ready, and where it has no roots to tell. */
  #client: ((signal: AbortSignal) => Promise<unknown>) | undefined;

  constructor(settings: LoadedSettings, log: Log) {
    this.#log = log;
    this.#fallback = settings.values.roots;
    this.#isChosen = settings.describe().find(({ key }) => key === 'roots')?.source !== 'default';
    this.#current = Promise.resolve(this.#fallback);
  }

  /** Waits for a client that was asked. The same array as before while nothing has changed. */
  current(): Promise<readonly string[]> {
    return this.#current;
  }

  /**
   * The project that this process works in: relative paths start there. What is made here, such as a run, belongs to
   * it. By its real path, so that every way to it is the same project.
   */
  async folder(): Promise<string> {
    const roots = await this.#current;
    if (this.#folder?.roots !== roots) {
      this.#folder = { roots, path: realPath(roots[0] ?? process.cwd()) };
    }
    return this.#folder.path;
  }

  /** Asks the client for its roots, again whenever it says that they changed. */
  follow(ask: (signal: AbortSignal) => Promise<unknown>): void {
    this.#client = ask;
    if (!this.#isChosen) this.#current = this.#ask(ask, this.#current);
    for (const listener of this.#listeners) listener();
  }

  /** What the client on stdio has open, for other servers that ask: as it says itself, whatever is set here. */
  list(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> | undefined {
    const asking = this.#client?.(AbortSignal.any([signal, AbortSignal.timeout(askLimitMs)]));
    return asking?.then(
      (answer) => answerSchema.safeParse(answer).data ?? { roots: [] },
      () => ({ roots: [] }),
    );
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #ask(
    ask: (signal: AbortSignal) => Promise<unknown>,
    before: Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    try {
      const { roots } = answerSchema.parse(await ask(AbortSignal.timeout(askLimitMs)));
      const folders = [...new Set(roots.flatMap(({ uri }) => folderOf(uri)))];
      this.#log.info('using the roots of the client', { roots: folders });
      return folders.length === 0 ? this.#fallback : folders;
    } catch (error) {
      this.#log.warn('failed to list client roots', { error });
      return before;
    }
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return resolve(path);
  }
}

/** Only local folders: a client may have others open, which we could not read. */
function folderOf(uri: string): string[] {
  try {
    return uri.startsWith('file:') ? [fileURLToPath(uri)] : [];
  } catch {
    return [];
  }
}
