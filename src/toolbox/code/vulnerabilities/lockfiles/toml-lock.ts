import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { LockfileMalformedError } from '../../errors.ts';
import {
  type Ecosystem,
  type LockedPackage,
  type ParsedLockfile,
  type SkippedPackage,
  checkShape,
} from '../locked-package.ts';

const requirement = z.union([
  z.string(),
  z.object({ name: z.string(), version: z.string().optional() }),
]);

const packageSchema = z.object({
  name: z.string(),
  version: z.string().optional(),
  source: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  // Poetry keeps a table of ranges, pdm and Cargo a list of texts, uv a list of tables.
  dependencies: z.union([z.array(requirement), z.record(z.string(), z.unknown())]).optional(),
  'dev-dependencies': z.unknown().optional(),
});

const lockSchema = z.object({ package: z.array(packageSchema).default([]) });

type Entry = z.output<typeof packageSchema>;

/** `Cargo.lock`: a package without a source is part of the project itself. */
export function parseCargoLock(text: string, path: string): ParsedLockfile {
  return readLock({ text, path, ecosystem: 'crates.io' }, (entry) =>
    entry.source === undefined ? 'project' : originOfCrate(entry),
  );
}

/** `uv.lock`: the project is the package whose source is a folder. */
export function parseUvLock(text: string, path: string): ParsedLockfile {
  return readLock({ text, path, ecosystem: 'PyPI' }, (entry) => {
    const source = typeof entry.source === 'object' ? entry.source : {};
    if ('virtual' in source || 'editable' in source) return 'project';
    return 'registry' in source ? 'registry' : 'elsewhere';
  });
}

/** `poetry.lock` and `pdm.lock`: what the project asks for directly stands in pyproject.toml only. */
export function parsePythonLock(text: string, path: string): ParsedLockfile {
  const found = readLock({ text, path, ecosystem: 'PyPI' }, (entry) => {
    const type = typeof entry.source === 'object' ? entry.source['type'] : undefined;
    return type === 'git' || type === 'directory' || type === 'file' ? 'elsewhere' : 'registry';
  });
  return { packages: found.packages, skipped: found.skipped };
}

type Origin = 'project' | 'registry' | 'elsewhere';

function originOfCrate(entry: Entry): Origin {
  const { source } = entry;
  return typeof source === 'string' && source.includes('crates.io') ? 'registry' : 'elsewhere';
}

interface TomlLock {
  readonly text: string;
  readonly path: string;
  readonly ecosystem: Ecosystem;
}

function readLock(file: TomlLock, originOf: (entry: Entry) => Origin): ParsedLockfile {
  const lock = checkShape(parseToml(file), file.path, lockSchema);
  const lines = linesOfPackages(file.text);
  const packages: LockedPackage[] = [];
  const skipped: SkippedPackage[] = [];
  const rootKeys: string[] = [];
  const keys = keysByName(lock.package);
  lock.package.forEach((entry, index) => {
    const requires = requirementsOf(entry).flatMap((required) => keys.get(required) ?? []);
    const line = lines[index];
    const { name, version } = entry;
    const origin = originOf(entry);
    if (origin === 'project') rootKeys.push(...requires);
    else if (origin === 'elsewhere' || version === undefined) {
      const reason =
        version === undefined ? 'it has no version' : 'it does not come from the registry';
      skipped.push({ name, line, reason });
    } else {
      const key = `${name} ${version}`;
      packages.push({ ecosystem: file.ecosystem, name, version, key, requires, line });
    }
  });
  return { packages, skipped, ...(rootKeys.length > 0 ? { rootKeys } : {}) };
}

function parseToml({ text, path }: TomlLock): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) {
      throw new LockfileMalformedError(path, error.line, error.message.split('\n')[0] ?? 'no TOML');
    }
    if (error instanceof RangeError) {
      throw new LockfileMalformedError(path, 1, 'it is nested too deeply');
    }
    throw error;
  }
}

/** `name` and `name version` both lead to the entry; a bare name is unambiguous where it is used. */
function keysByName(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const { name, version } of entries) {
    const key = `${name} ${version}`;
    keys.set(name, key);
    keys.set(key, key);
  }
  return keys;
}

function requirementsOf(entry: Entry): string[] {
  const { dependencies } = entry;
  if (!Array.isArray(dependencies)) return Object.keys(dependencies ?? {});
  return dependencies.map((required) => {
    if (typeof required !== 'string') {
      return required.version ? `${required.name} ${required.version}` : required.name;
    }
    // Cargo: `name`, `name version`, `name version (source)`; pdm: `name>=1.0; marker`.
    const [name = '', version = ''] = required.split(' ');
    return /^\d/.test(version) ? `${name} ${version}` : (/^[\w.-]+/.exec(name)?.[0] ?? name);
  });
}

/** The n-th `[[package]]` header is the n-th entry of the array. */
function linesOfPackages(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (/^\s*\[\[\s*package\s*\]\]/.test(line) ? [index + 1] : []));
}
