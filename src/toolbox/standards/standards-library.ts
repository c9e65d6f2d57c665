import { fileURLToPath } from 'node:url';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ServerChange } from '../../contract/server/index.ts';
import { ownFile, type Log, readRegularFile } from '../../kernel/index.ts';
import type { Snapshot } from './snapshot.ts';
import type { OverrideProblem, StandardsFile } from './parse-document.ts';
import { standardLimitsSchema } from './coding-standards.ts';

/** Address of the machine-readable standards of all languages. */
export const codingStandardsUri = 'config://coding-standards';

const contentFolder = fileURLToPath(ownFile('toolbox/standards/content/'));

interface LibraryOptions {
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
      this.#options.log.warn('standards override rejected', { ...problem });
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
type StandardLimitsReader = (
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

/** What was found in a folder of standards. */
export interface FolderContents {
  readonly files: readonly StandardsFile[];
  readonly problems: readonly OverrideProblem[];
}

interface FoundFile {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** Permissions: an unreadable file may become readable. */
  readonly mode: number;
}

type FileText =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

const subfolders = ['prompts', 'templates'];
const maxFiles = 500;
const maxFileBytes = 256 * 1024;

/** Changes whenever a file appears, disappears, is written or gets other permissions; empty when there is no folder. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const files = await listFiles(folder);
  return files
    .map(({ path, mtimeMs, size, mode }) => `${path} ${mtimeMs} ${size} ${mode}`)
    .join('\n');
}

/**
 * Reads the folder and its `prompts` and `templates`. Links that lead out of it are not followed. What
 * cannot be read is a problem of its own and never hides the rest.
 */
async function readFolder(folder: string): Promise<FolderContents> {
  const files: StandardsFile[] = [];
  const problems: OverrideProblem[] = [];
  const found = await listFiles(folder);
  if ((await lstat(folder).catch(() => undefined))?.isSymbolicLink()) {
    return { files, problems: [problem('.', 'the folder is a symbolic link and is not followed')] };
  }
  if (found.length > maxFiles) {
    const message = `the folder has more than ${maxFiles} files; only the first ${maxFiles} by name are read`;
    problems.push(problem('.', message));
  }
  for (const { path } of found.slice(0, maxFiles)) {
    if (!/\.(md|json|ya?ml)$/.test(path)) continue;
    const read = await readWithin(folder, join(folder, path));
    if (read.kind === 'read') files.push({ path, text: read.text });
    else problems.push(problem(path, read.reason));
  }
  return { files, problems };
}

function problem(file: string, message: string): OverrideProblem {
  return { file, line: 1, message };
}

async function readWithin(root: string, path: string): Promise<FileText> {
  try {
    const text = decode(await readRegularFile(path, { maxBytes: maxFileBytes, inside: [root] }));
    return text === undefined
      ? { kind: 'refused', reason: 'it is not valid UTF-8' }
      : { kind: 'read', text };
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The files in order of their names, one more than are read at most. */
async function listFiles(folder: string): Promise<FoundFile[]> {
  const paths: string[] = [];
  for (const part of ['', ...subfolders]) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory()) paths.push(part === '' ? entry.name : `${part}/${entry.name}`);
    }
  }
  const found: FoundFile[] = [];
  for (const path of paths.sort().slice(0, maxFiles + 1)) {
    const info = await stat(join(folder, path)).catch(() => undefined);
    const { mtimeMs = 0, size = 0, mode = 0 } = info ?? {};
    found.push({ path, mtimeMs, size, mode });
  }
  return found;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
