import { z } from 'zod';
import { LockfileMalformedError } from '../../errors.ts';
import {
  type LockedPackage,
  type ParsedLockfile,
  type SkippedPackage,
  linesOfKeys,
  readJson,
} from '../locked-package.ts';

const names = z.record(z.string(), z.string()).optional();

const entrySchema = z.object({
  version: z.string().optional(),
  name: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
});

const lockSchema = z.object({
  lockfileVersion: z.int().optional(),
  packages: z.record(z.string(), entrySchema).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
});

const nestedSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
});

type Entry = z.output<typeof entrySchema>;

/** Deeper trees than this are not made by npm. */
const maxNesting = 200;

/** `package-lock.json` and `npm-shrinkwrap.json`, lock file versions 1, 2 and 3. */
export function parsePackageLock(text: string, path: string): ParsedLockfile {
  const lock = readJson(text, path, lockSchema);
  if (lock.packages) return readPackages(lock.packages, linesOfKeys(text));
  if (lock.dependencies) return readNested(lock.dependencies, { text, path });
  if (lock.lockfileVersion !== undefined) return { packages: [], skipped: [] };
  throw new LockfileMalformedError(path, 1, 'it has neither "packages" nor "dependencies"');
}

function readPackages(
  entries: Readonly<Record<string, Entry>>,
  lines: ReadonlyMap<string, number>,
): ParsedLockfile {
  const packages: LockedPackage[] = [];
  const rootKeys = new Set<string>();
  for (const [key, entry] of Object.entries(entries)) {
    const requires = Object.keys({
      ...entry.dependencies,
      ...entry.optionalDependencies,
      ...entry.peerDependencies,
      ...(isProject(key) ? entry.devDependencies : {}),
    }).flatMap((name) => resolveUpwards(entries, key, name));
    if (isProject(key)) for (const required of requires) rootKeys.add(required);
    if (isProject(key) || entry.link || entry.version === undefined) continue;
    const name = entry.name ?? key.slice(key.lastIndexOf(marker) + marker.length);
    const line = lines.get(key);
    packages.push({ ecosystem: 'npm', name, version: entry.version, key, requires, line });
  }
  return { packages, skipped: [], rootKeys: [...rootKeys] };
}

const marker = 'node_modules/';

/** The root and the workspaces, whose own dependencies are the direct ones. */
function isProject(key: string): boolean {
  return !key.includes(marker);
}

/** Node's own lookup: the nearest `node_modules` on the way up that has the package. */
function resolveUpwards(
  entries: Readonly<Record<string, Entry>>,
  from: string,
  name: string,
): string[] {
  let base = from;
  for (let depth = 0; depth < maxNesting; depth += 1) {
    const candidate = base === '' ? marker + name : `${base}/${marker}${name}`;
    if (Object.hasOwn(entries, candidate)) return [candidate];
    if (base === '') return [];
    const cut = base.lastIndexOf(`/${marker}`);
    base = cut < 0 ? '' : base.slice(0, cut);
  }
  return [];
}

interface Nested {
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly depth: number;
}

/** Version 1 nests the entries; which are direct stands only in package.json. */
function readNested(
  dependencies: Readonly<Record<string, unknown>>,
  file: { readonly text: string; readonly path: string },
): ParsedLockfile {
  const packages = new Map<string, LockedPackage>();
  const skipped: SkippedPackage[] = [];
  const lines = linesOfVersions(file.text);
  const open: Nested[] = [{ dependencies, depth: 0 }];
  for (let nested = open.pop(); nested; nested = open.pop()) {
    for (const [name, value] of Object.entries(nested.dependencies)) {
      const entry = nestedSchema.safeParse(value);
      if (!entry.success) {
        throw new LockfileMalformedError(file.path, 1, `entry "${name}" has no version`);
      }
      const { version } = entry.data;
      if (entry.data.dependencies && nested.depth < maxNesting) {
        open.push({ dependencies: entry.data.dependencies, depth: nested.depth + 1 });
      }
      if (!/^\d/.test(version)) {
        skipped.push({ name, reason: `its version is an address (${version.slice(0, 80)})` });
        continue;
      }
      const key = `${name}@${version}`;
      packages.set(key, { ecosystem: 'npm', name, version, line: lines.get(key) });
    }
  }
  return { packages: [...packages.values()], skipped };
}

function linesOfVersions(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let name: string | undefined;
  text.split('\n').forEach((line, index) => {
    const version = /^\s*"version"\s*:\s*"([^"]*)"/.exec(line)?.[1];
    if (version !== undefined && name !== undefined && !lines.has(`${name}@${version}`)) {
      lines.set(`${name}@${version}`, index);
    }
    name = /^\s*"([^"\\]+)"\s*:\s*\{/.exec(line)?.[1];
  });
  return lines;
}
