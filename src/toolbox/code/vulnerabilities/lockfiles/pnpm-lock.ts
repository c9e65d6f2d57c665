import { LineCounter, isMap, isScalar, parseAllDocuments, type Document } from 'yaml';
import { z } from 'zod';
import { LockfileMalformedError } from '../../errors.ts';
import {
  type LockedPackage,
  type ParsedLockfile,
  type SkippedPackage,
  checkShape,
} from '../locked-package.ts';

/** A dependency in an importer: `1.0.0` up to lock file version 5, `{specifier, version}` after it. */
const references = z
  .record(z.string(), z.union([z.string(), z.object({ version: z.string() })]))
  .nullish();

const importerSchema = z.object({
  dependencies: references,
  devDependencies: references,
  optionalDependencies: references,
});

const entrySchema = z
  .object({
    name: z.string().optional(),
    version: z.string().optional(),
    dependencies: z.record(z.string(), z.string()).nullish(),
    optionalDependencies: z.record(z.string(), z.string()).nullish(),
  })
  .nullish();

const lockSchema = importerSchema.extend({
  lockfileVersion: z.union([z.string(), z.number()]),
  importers: z.record(z.string(), importerSchema).nullish(),
  packages: z.record(z.string(), entrySchema).nullish(),
  snapshots: z.record(z.string(), entrySchema).nullish(),
});

type Lock = z.output<typeof lockSchema>;

/** `pnpm-lock.yaml`, lock file versions 5 to 9. */
export function parsePnpmLock(text: string, path: string): ParsedLockfile {
  const counter = new LineCounter();
  const documents = readDocuments(text, path, counter);
  const found = documents.map((document) => {
    const lock = checkShape(toPlain(document, path), path, lockSchema);
    return readLock(lock, linesOf(document, counter));
  });
  return {
    packages: found.flatMap(({ packages }) => packages),
    skipped: found.flatMap(({ skipped }) => skipped),
    rootKeys: found.flatMap(({ rootKeys }) => rootKeys ?? []),
  };
}

function readDocuments(text: string, path: string, lineCounter: LineCounter): Document[] {
  try {
    const documents = [
      ...parseAllDocuments(text, {
        lineCounter,
        prettyErrors: false,
        // Compares every key with every other one, which takes minutes for a large lock file.
        uniqueKeys: false,
      }),
    ];
    const problem = documents.flatMap(({ errors }) => errors)[0];
    if (!problem && documents.length > 0) return documents;
    const line = problem ? lineCounter.linePos(problem.pos[0]).line : 1;
    throw new LockfileMalformedError(path, line, problem?.message ?? 'it is empty');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LockfileMalformedError(path, 1, 'it is nested too deeply');
  }
}

function toPlain(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new LockfileMalformedError(path, 1, error instanceof Error ? error.message : 'no YAML');
  }
}

function linesOf(document: Document, counter: LineCounter): ReadonlyMap<string, number> {
  const packages = isMap(document.contents) ? document.contents.get('packages') : undefined;
  const lines = new Map<string, number>();
  if (!isMap(packages)) return lines;
  for (const { key } of packages.items) {
    if (isScalar(key) && key.range) {
      lines.set(String(key.value), counter.linePos(key.range[0]).line);
    }
  }
  return lines;
}

function readLock(lock: Lock, lines: ReadonlyMap<string, number>): ParsedLockfile {
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  const entries = lock.snapshots ?? lock.packages ?? {};
  for (const [id, entry] of Object.entries(entries)) {
    const parts = splitId(id);
    const line = lines.get(id) ?? lines.get(withoutPeers(id));
    const name = entry?.name ?? parts.name;
    const version = entry?.version ?? parts.version;
    if (!/^\d/.test(version)) {
      skipped.push({ name, line, reason: 'it does not come from the npm registry' });
      continue;
    }
    const requires = Object.entries({ ...entry?.dependencies, ...entry?.optionalDependencies }).map(
      ([required, reference]) => keyOf(required, reference),
    );
    packages.push({ ecosystem: 'npm', name, version, key: keyOf(name, version), requires, line });
  }
  return { packages, skipped, rootKeys: rootKeysOf(lock) };
}

function rootKeysOf(lock: Lock): string[] {
  return [lock, ...Object.values(lock.importers ?? {})].flatMap((importer) =>
    Object.entries({
      ...importer.dependencies,
      ...importer.devDependencies,
      ...importer.optionalDependencies,
    }).map(([name, reference]) =>
      keyOf(name, typeof reference === 'string' ? reference : reference.version),
    ),
  );
}

/** Peers do not change which code is installed, so all variants of a version share one key. */
function keyOf(name: string, reference: string): string {
  const plain = withoutPeers(reference).replace(/^\//, '');
  return /^@?[^@/]+(\/[^@]+)?@\d/.test(plain) ? plain : `${name}@${plain}`;
}

/** `/@scope/name@1.0.0(peer@2.0.0)`, `name@1.0.0`, and `/name/1.0.0_peer@2.0.0` of version 5. */
function splitId(id: string): { readonly name: string; readonly version: string } {
  const plain = withoutPeers(id).replace(/^\//, '');
  const at = plain.indexOf('@', 1);
  if (at > 0) return { name: plain.slice(0, at), version: plain.slice(at + 1) };
  const slash = plain.lastIndexOf('/');
  return { name: plain.slice(0, slash), version: plain.slice(slash + 1) };
}

function withoutPeers(id: string): string {
  const cut = id.search(/[(]|_(?=[@a-z])/);
  return cut < 0 ? id : id.slice(0, cut);
}
