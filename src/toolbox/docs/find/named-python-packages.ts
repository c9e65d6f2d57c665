import { loadLockfileParser } from '../../code/vulnerabilities/lockfiles/lockfile-formats.ts';
import { normalizeName } from '../library.ts';
import type { DocsLimits } from '../limits.ts';
import { readManifest, type ProjectFolder } from './project-folders.ts';

const lockfile = /^(?:requirements[\w.-]*\.txt|poetry\.lock|pdm\.lock|uv\.lock|Pipfile\.lock)$/;

/** Every Python package the project's own files name, by normalized name. */
export async function namedPythonPackages(
  folders: readonly ProjectFolder[],
  limits: DocsLimits,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const folder of folders) {
    for (const name of folder.names) {
      const isProject = name === 'pyproject.toml';
      if (!isProject && !lockfile.test(name)) continue;
      const text = await readManifest(folder, name, limits);
      if (text === undefined) continue;
      const found = isProject ? await namedInProject(text) : await namedInLockfile(name, text);
      for (const one of found) named.add(normalizeName(one));
    }
  }
  return named;
}

async function namedInLockfile(name: string, text: string): Promise<string[]> {
  const parse = await loadLockfileParser(name);
  try {
    const { packages = [], skipped = [] } = parse?.(text, name) ?? {};
    return [...packages, ...skipped].map((one) => one.name);
  } catch {
    // A file that cannot be understood names nothing, so nothing outside the project is read for it.
    return [];
  }
}

/** `[project]`, `[dependency-groups]` and Poetry's tables of `pyproject.toml`. */
async function namedInProject(text: string): Promise<string[]> {
  const { parse } = await import('smol-toml');
  let document: unknown;
  try {
    document = parse(text);
  } catch {
    return [];
  }
  const lists = [
    at(document, 'project', 'dependencies'),
    ...valuesOf(at(document, 'project', 'optional-dependencies')),
    ...valuesOf(at(document, 'dependency-groups')),
  ];
  const poetry = at(document, 'tool', 'poetry');
  const tables = [
    at(poetry, 'dependencies'),
    at(poetry, 'dev-dependencies'),
    ...valuesOf(at(poetry, 'group')).map((group) => at(group, 'dependencies')),
  ];
  const requirements = lists.flat().filter((one) => typeof one === 'string');
  const names = requirements.map((one) => /^[A-Za-z0-9][\w.-]*/.exec(one)?.[0] ?? '');
  const keys = tables.flatMap((table) => (isRecord(table) ? Object.keys(table) : []));
  return [...names, ...keys].filter((name) => name !== '' && name !== 'python');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function valuesOf(value: unknown): unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}
