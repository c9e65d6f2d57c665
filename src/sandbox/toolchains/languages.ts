import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lookupTable } from '../../kernel/index.ts';
import table from './languages.json' with { type: 'json' };
import type { Surroundings } from './surroundings.ts';

const languageSchema = z.strictObject({
  /** What is looked for, as the object of a sentence: `python3 (3.8 or newer)`. */
  wanted: z.string(),
  install: z.strictObject({ linux: z.string(), darwin: z.string() }),
  /** Its name in the images of containers. */
  program: z.string(),
  /**
   * Paths of programs that may be it, best first. `PATH` stands for each folder of the search path, `CHOSEN`
   * for what the user's own settings name, `~` for the home folder, `*` for any name, highest version first.
   */
  candidates: z.array(z.string().regex(/^(?:PATH\/|CHOSEN$|\/|~\/|\$\{\w+:-~\/)/)),
  versionArguments: z.array(z.string()),
  /** Finds the version in what it prints. */
  version: z.string().optional(),
  /** Variables inside, besides those that depend on where it is. There is no network to wait for. */
  env: z.record(z.string(), z.string()),
});

export type Language = z.infer<typeof languageSchema>;

export const languages = lookupTable(z.record(z.string(), languageSchema).parse(table));

export const toolchainNames: readonly string[] = Object.keys(languages);

/** Paths of programs that may be the language, best first; none needs to exist. */
export function candidatePaths(name: string, surroundings: Surroundings): string[] {
  const chosen = chosenPrograms[name]?.(surroundings) ?? [];
  return (languages[name]?.candidates ?? []).flatMap((pattern) => {
    if (pattern === 'CHOSEN') return chosen;
    if (pattern.startsWith('PATH/')) return inSearchPath(pattern.slice(5), chosen, surroundings);
    return expandVersions(expandHome(pattern, surroundings));
  });
}

/** The version that the user's own settings name. */
const chosenPrograms = lookupTable<(surroundings: Surroundings) => string[]>({
  node: ({ node }) => [node],
  java: ({ env }) => (env['JAVA_HOME'] ? [join(env['JAVA_HOME'], 'bin/java')] : []),
  // What `pyenv global` has written.
  python: ({ home, env }) => {
    const root = env['PYENV_ROOT'] ?? join(home, '.pyenv');
    const text = env['PYENV_VERSION']?.replaceAll(':', '\n') ?? readText(join(root, 'version'));
    const versions = text.split(/\s+/).filter((version) => /^[\w.-]+$/.test(version));
    return versions.map((version) => join(root, 'versions', version, 'bin/python3'));
  },
  // What `rustup default` has written.
  rust: ({ home, env }) => {
    const root = env['RUSTUP_HOME'] ?? join(home, '.rustup');
    const pattern = /^default_toolchain = "([\w.-]+)"$/m;
    const name = pattern.exec(readText(join(root, 'settings.toml')))?.[1];
    return name === undefined ? [] : [join(root, 'toolchains', name, 'bin/rustc')];
  },
});

/** Folders of small programs that choose a version when they run: they are no toolchain themselves. */
const shimFolder = /\/(?:shims|\.cargo\/bin|\.jenv\/shims)$/;

/** Pyenv's shims stand for the version it has chosen; those of other managers are left out. */
function inSearchPath(program: string, chosen: string[], { searchPath }: Surroundings): string[] {
  return searchPath.flatMap((folder) => {
    if (folder.endsWith('.pyenv/shims')) return chosen;
    return shimFolder.test(folder) ? [] : [join(folder, program)];
  });
}

function expandHome(pattern: string, { env, home, systemRoot }: Surroundings): string {
  const [, variable, otherwise = '', rest = ''] = /^\$\{(\w+):-([^}]+)\}(.*)$/.exec(pattern) ?? [];
  if (variable !== undefined) {
    return join(env[variable] ?? otherwise.replace('~', home), rest);
  }
  return pattern.startsWith('~') ? pattern.replace('~', home) : join(systemRoot, pattern);
}

/** For a pattern with one `*`, every name that fits it, highest version first. */
function expandVersions(pattern: string): string[] {
  const star = pattern.split('/').findIndex((part) => part.includes('*'));
  if (star < 0) return [pattern];
  const parts = pattern.split('/');
  const folder = parts.slice(0, star).join('/');
  const [before = '', after = ''] = (parts[star] ?? '').split('*');
  return namesIn(folder)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .toSorted(compareVersions)
    .map((name) => join(folder, name, ...parts.slice(star + 1)));
}

/** Newest first: `3.12.1` before `3.9.18`; names without a number last. */
function compareVersions(left: string, right: string): number {
  const [leftNumbers, rightNumbers] = [numbersIn(left), numbersIn(right)];
  for (let index = 0; index < Math.max(leftNumbers.length, rightNumbers.length); index += 1) {
    const difference = (rightNumbers[index] ?? -1) - (leftNumbers[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return left < right ? -1 : 1;
}

function numbersIn(name: string): number[] {
  return (/\d+(?:\.\d+)*/.exec(name)?.[0] ?? '').split('.').filter(Boolean).map(Number);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
