import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import type { ServerChange } from '../../contract/server/index.ts';
import { ownFile, type Log } from '../../kernel/index.ts';
import { standardLimitsSchema } from './coding-standards.ts';
import { fingerprintFolder, readFolder, type FolderContents } from './read-folder.ts';
import type { Snapshot } from './snapshot.ts';

/** Address of the machine-readable standards of all languages. */
export const codingStandardsUri = 'config://coding-standards';

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
    for (const change of before ? compareSnapshots(before.snapshot, snapshot) : []) {
      for (const listener of this.#listeners) listener(change);
    }
    return this.#loaded;
  }
}

/** The changes a client has to be told when one snapshot follows another. */
function compareSnapshots(before: Snapshot, after: Snapshot): ServerChange[] {
  const changes: ServerChange[] = [];
  for (const [uri, document] of after.texts) {
    const earlier = before.texts.get(uri);
    if (earlier && earlier.body !== document.body) changes.push({ kind: 'resource', uri });
  }
  if (JSON.stringify(before.codingStandards) !== JSON.stringify(after.codingStandards)) {
    changes.push({ kind: 'resource', uri: codingStandardsUri });
  }
  if (listing(before.texts) !== listing(after.texts)) changes.push({ kind: 'resources' });
  if (listing(before.prompts) !== listing(after.prompts)) changes.push({ kind: 'prompts' });
  return changes;
}

/** What shows in a list: everything but the text itself. */
function listing(documents: Snapshot['texts']): string {
  return JSON.stringify(
    [...documents].map(([key, { title, description, parameters }]) => [
      key,
      title,
      description,
      parameters,
    ]),
  );
}

/** Gives the limits in force for a language now, or `undefined` for a language without rules. */
export type StandardLimitsReader = (
  language: string,
) => Promise<z.output<typeof standardLimitsSchema> | undefined>;

/** Reads the limits of the team's standards, the project's overrides included. */
export function createStandardLimitsReader(options: LibraryOptions): StandardLimitsReader {
  const library = new StandardsLibrary(options);
  return async (language) => {
    const rules = (await library.current()).codingStandards[language];
    return rules && standardLimitsSchema.parse(rules);
  };
}
