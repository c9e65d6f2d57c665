import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../kernel/index.ts';
import { isRecord } from '../../protocol/index.ts';
import type { Listing } from './listing.ts';
import type { ServerRecords } from './server-pins.ts';

/** Persists listings and tool records for the next process. */
export interface ListingCache {
  /** The last listing; undefined when unknown or stored under another `key`. */
  read(server: string, key: string): Listing | undefined;
  write(server: string, key: string, listing: Listing): void;
  /** What was accepted of it; same rules. */
  readRecords(server: string, key: string): ServerRecords | undefined;
  writeRecords(server: string, key: string, records: ServerRecords): void;
}

/** Files of another format are not read. */
const format = 2;

/**
 * One file per server. The files are small and read once, before the first listing, so synchronous reads
 * are cheaper. Writes are atomic.
 */
export class FileListingCache implements ListingCache {
  readonly #folder: string;
  readonly #log: Log;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  read(server: string, key: string): Listing | undefined {
    return this.#read(this.#pathOf(server), key, (kept) => readListing(kept['listing']));
  }

  write(server: string, key: string, listing: Listing): void {
    this.#write(this.#pathOf(server), { key, listing });
  }

  readRecords(server: string, key: string): ServerRecords | undefined {
    return this.#read(this.#pathOf(server, 'tools.json'), key, readRecords);
  }

  writeRecords(server: string, key: string, records: ServerRecords): void {
    this.#write(this.#pathOf(server, 'tools.json'), { key, ...records });
  }

  #read<Kept>(
    path: string,
    key: string,
    parse: (kept: Readonly<Record<string, unknown>>) => Kept,
  ): Kept | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (!isRecord(kept) || kept['format'] !== format || kept['key'] !== key) return undefined;
      return parse(kept);
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing) this.#log.warn('ignoring corrupt cached listing', { path, error });
      return undefined;
    }
  }

  #write(path: string, kept: Readonly<Record<string, unknown>>): void {
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(draft, JSON.stringify({ format, ...kept }), { mode: 0o600 });
      renameSync(draft, path);
    } catch (error) {
      removeQuietly(draft);
      this.#log.warn('failed to cache listing', { path, error });
    }
  }

  /** Server names may contain any printable character; file names may not, and some file systems ignore case. */
  #pathOf(server: string, ending = 'json'): string {
    if (/^[a-z0-9_-]{1,40}$/.test(server)) return join(this.#folder, `${server}.${ending}`);
    const cleaned = server.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
    const hash = createHash('sha256').update(server).digest('hex').slice(0, 8);
    return join(this.#folder, `${cleaned}.${hash}.${ending}`);
  }
}

/** A file that cannot be removed was most likely never written. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

function readRecords({ tools, instructions }: Readonly<Record<string, unknown>>): ServerRecords {
  if (!isRecord(tools)) throw new Error('it contains no records');
  const isWhole = Object.values(tools).every(
    (record) =>
      isRecord(record) &&
      ['digests', 'annotations', 'accepted'].every((it) => isRecord(record[it])),
  );
  if (!isWhole) throw new Error('a record is incomplete');
  const isPinned =
    isRecord(instructions) &&
    typeof instructions['digest'] === 'string' &&
    typeof instructions['accepted'] === 'string';
  // Checked above as far as anything here relies on it.
  return { tools, ...(isPinned && { instructions }) } as unknown as ServerRecords;
}

/** Throws on anything that is not a listing: the file may have been modified externally. */
function readListing(value: unknown): Listing {
  if (!isRecord(value)) throw new Error('it contains no listing');
  const named = (member: string, keys: readonly string[]): void => {
    const items = value[member];
    const isList =
      Array.isArray(items) &&
      items.every((item) => isRecord(item) && keys.every((key) => typeof item[key] === 'string'));
    if (!isList) throw new Error(`its list of ${member} is invalid`);
  };
  named('tools', ['name']);
  const { tools, instructions = '', extensions = {} } = value;
  const hasSchemas =
    Array.isArray(tools) && tools.every((tool) => isRecord(tool) && isRecord(tool['inputSchema']));
  if (!hasSchemas) throw new Error('a tool has no input schema');
  if (typeof instructions !== 'string') throw new Error('its instructions are not a string');
  if (!isRecord(extensions)) throw new Error('its extensions are not an object');
  named('resources', ['uri', 'name']);
  named('templates', ['uriTemplate', 'name']);
  named('prompts', ['name']);
  // Checked above as far as anything here relies on it; the rest is passed on as servers sent it.
  return value as unknown as Listing;
}
