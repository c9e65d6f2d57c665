import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { LoadedSettings } from '../config/index.ts';
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
 */
export class Roots {
  readonly #log: Log;
  readonly #isChosen: boolean;
  readonly #fallback: readonly string[];
  #current: Promise<readonly string[]>;

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

  /** Asks the client for its roots, again whenever it says that they changed. */
  follow(ask: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#isChosen) return;
    const before = this.#current;
    this.#current = this.#ask(ask, before);
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
      this.#log.warn('client did not tell its roots', { error });
      return before;
    }
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
