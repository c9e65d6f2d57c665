import { pluralize, readRegularFile } from '../../../kernel/index.ts';
import { access, stat } from 'node:fs/promises';
import { isAffected, normalizeName } from './affected-versions.ts';
import { OsvDirectoryError } from '../errors.ts';
import {
  osvRecordSchema,
  type LookUpOptions,
  type OsvAnswer,
  type OsvRecord,
  type OsvSource,
} from './osv-record.ts';
import { ecosystems, type Ecosystem, type LockedPackage } from './locked-package.ts';

/** Which record files speak about which package, for some ecosystems. */
interface Index {
  readonly fingerprint: string;
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly ecosystems: ReadonlySet<string>;
  readonly newest: string;
  readonly warnings: readonly string[];
}

interface RecordFile {
  readonly path: string;
  readonly mtimeMs: number;
}

const maxFiles = 1_000_000;
const maxDepth = 8;
const maxRecordBytes = 16 * 1024 * 1024;
const readsAtOnce = 32;

/**
 * A folder of OSV records as OSV's own dumps unpack: `*.json`, flat or in folders by ecosystem.
 * The index is built on first use and again when a file's time or the number of files changes.
 */
export class OsvDirectory implements OsvSource {
  readonly kind = 'osv-directory';
  readonly #directory: string;
  readonly #indexes = new Map<string, Promise<Index>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async lookUp(packages: readonly LockedPackage[], options: LookUpOptions): Promise<OsvAnswer> {
    const wanted = [...new Set(packages.map(({ ecosystem }) => ecosystem))].sort();
    const index = await this.#index(wanted, options);
    const missing = wanted.filter((ecosystem) => !index.ecosystems.has(ecosystem));
    if (missing.length > 0) {
      throw new OsvDirectoryError(this.#directory, `it has no record about ${missing.join(', ')}`);
    }
    const records: OsvRecord[][] = [];
    const warnings = [...index.warnings];
    for (const locked of packages) {
      options.signal.throwIfAborted();
      const paths = index.files.get(keyOf(locked.ecosystem, locked.name)) ?? [];
      const read = await Promise.all(paths.map((path) => readRecord(path)));
      records.push(
        read
          .filter((record) => record !== undefined)
          .filter((record) => isAffected(record, locked)),
      );
    }
    return { records, asOf: index.newest, warnings };
  }

  async #index(wanted: readonly Ecosystem[], options: LookUpOptions): Promise<Index> {
    const files = await listRecords(this.#directory, wanted);
    const fingerprint = fingerprintOf(files);
    const name = wanted.join(',');
    const kept = await this.#indexes.get(name)?.catch(() => undefined);
    if (kept?.fingerprint === fingerprint) return kept;
    const built = buildIndex(files, fingerprint, options);
    this.#indexes.set(name, built);
    return built;
  }
}

function keyOf(ecosystem: string, name: string): string {
  return `${ecosystem}\n${normalizeName(ecosystem, name)}`;
}

/** All `*.json` below the folder; a folder named after another ecosystem is left out. */
async function listRecords(
  directory: string,
  wanted: readonly Ecosystem[],
): Promise<readonly RecordFile[]> {
  await access(directory).catch((error: unknown) => {
    throw new OsvDirectoryError(directory, error instanceof Error ? error.message : 'unreadable');
  });
  const { glob } = await import('tinyglobby');
  const others = ecosystems.filter((name) => !wanted.includes(name));
  const paths = await glob('**/*.json', {
    cwd: directory,
    absolute: true,
    dot: true,
    deep: maxDepth,
    followSymbolicLinks: false,
    ignore: others.map((name) => `**/${name}/**`),
  });
  if (paths.length > maxFiles) {
    throw new OsvDirectoryError(directory, `it has more than ${maxFiles} records`);
  }
  return inParallel(paths, async (path) => ({ path, mtimeMs: (await stat(path)).mtimeMs }));
}

function fingerprintOf(files: readonly RecordFile[]): string {
  let newest = 0;
  let sum = 0;
  for (const { mtimeMs } of files) {
    newest = Math.max(newest, mtimeMs);
    sum += mtimeMs;
  }
  return `${files.length} ${newest} ${sum}`;
}

async function buildIndex(
  files: readonly RecordFile[],
  fingerprint: string,
  options: LookUpOptions,
): Promise<Index> {
  const byPackage = new Map<string, string[]>();
  const known = new Set<string>();
  let newest = '';
  let done = 0;
  const unreadable: string[] = [];
  await inParallel(files, async ({ path }) => {
    options.signal.throwIfAborted();
    const record = await readRecord(path);
    done += 1;
    if (done % 1_000 === 0) options.progress(done, files.length, 'Indexing OSV records');
    if (!record) {
      unreadable.push(path);
      return;
    }
    if (record.modified > newest) newest = record.modified;
    for (const entry of record.affected ?? []) {
      const ecosystem = entry.package?.ecosystem.split(':')[0] ?? '';
      known.add(ecosystem);
      if (record.withdrawn) continue;
      const key = keyOf(ecosystem, entry.package?.name ?? '');
      const paths = byPackage.get(key) ?? [];
      if (!paths.includes(path)) paths.push(path);
      byPackage.set(key, paths);
    }
  });
  for (const paths of byPackage.values()) paths.sort();
  const warnings =
    unreadable.length === 0
      ? []
      : [
          `skipped ${pluralize(unreadable.length, 'file')} that ${unreadable.length === 1 ? 'is' : 'are'} not an OSV record, e.g. ${unreadable.sort()[0]}`,
        ];
  return { fingerprint, files: byPackage, ecosystems: known, newest, warnings };
}

/** One record, or `undefined` when the file is none. */
async function readRecord(path: string): Promise<OsvRecord | undefined> {
  try {
    const bytes = await readRegularFile(path, { maxBytes: maxRecordBytes });
    return osvRecordSchema.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += readsAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + readsAtOnce).map(work))));
  }
  return results;
}
