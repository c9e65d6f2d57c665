import { accessSync, constants } from 'node:fs';
import type { Toolchain } from '../driver.ts';
import { InvalidRunError, ToolchainMissingError } from '../errors.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { NotUsable, type Installation, type Language } from './language.ts';
import { placeOf } from './look-around.ts';
import { node } from './node.ts';
import { placeToolchain } from './place-toolchain.ts';
import { python } from './python.ts';
import { reachableByOthers } from './reachable-by-others.ts';
import { rust } from './rust.ts';
import { shell } from './shell.ts';
import { hostSurroundings, type Surroundings } from './surroundings.ts';
import { lookupTable } from '../../kernel/index.ts';

const languages: Readonly<Record<string, Language>> = lookupTable({
  python,
  node,
  go,
  rust,
  java,
  shell,
});

export const toolchainNames: readonly string[] = Object.keys(languages);

/** Nobody has more interpreters of one language; each costs a start. */
const maxExamined = 24;

/**
 * The best installation of a language on this machine and how a sandbox shows it. Every answer comes
 * from a program that was run. `python:pytest,coverage` is a Python that has these modules. Throws
 * `sandbox.toolchain_missing` with what to install.
 */
export async function findToolchain(
  name: string,
  surroundings: Surroundings = hostSurroundings(),
): Promise<Toolchain> {
  const [languageName = '', moduleList] = name.split(':', 2);
  const modules = moduleList?.split(',') ?? [];
  const language = Object.hasOwn(languages, languageName) ? languages[languageName] : undefined;
  if (language === undefined) {
    throw new InvalidRunError(
      `there is no toolchain "${name}"; there are ${toolchainNames.join(', ')}`,
      { toolchain: name },
    );
  }
  const candidates = language.candidates(surroundings);
  const search = new Search(
    name,
    language,
    modules.length > 0 ? { ...surroundings, modules } : surroundings,
  );
  for (const program of distinctPrograms(candidates).slice(0, maxExamined)) {
    await search.examine(program);
    if (search.isSettled()) break;
  }
  const best = search.best();
  if (best) return best;
  throw new ToolchainMissingError(name, {
    problem: describeProblem(language, candidates, search.rejected),
    install:
      modules.length > 0
        ? `Install ${modules.join(' and ')}: python3 -m pip install ${modules.join(' ')}, or apt install ${modules.map((module) => `python3-${module}`).join(' ')} (Debian, Ubuntu)`
        : `Install it: ${language.install[surroundings.platform === 'darwin' ? 'darwin' : 'linux']}`,
  });
}

interface Usable {
  readonly toolchain: Toolchain;
  readonly worth: number;
}

/** Completeness counts more than who can reach it: an unreachable one can be shown, a missing part not. */
const worthOfComplete = 2;
const worthOfReachable = 1;

class Search {
  readonly rejected: string[] = [];
  readonly #name: string;
  readonly #language: Language;
  readonly #surroundings: Surroundings;
  readonly #usable: Usable[] = [];

  constructor(name: string, language: Language, surroundings: Surroundings) {
    this.#name = name;
    this.#language = language;
    this.#surroundings = surroundings;
  }

  async examine(program: string): Promise<void> {
    try {
      const installation = await this.#language.examine(program, this.#surroundings);
      if (this.#name.includes(':') && !installation.isComplete) {
        throw new NotUsable(`it has not all of ${this.#surroundings.modules.join(', ')}`);
      }
      const toolchain = placeToolchain(this.#name, installation, this.#surroundings);
      this.#usable.push({ toolchain, worth: this.#worthOf(installation) });
    } catch (error) {
      this.rejected.push(`${program}: ${firstLine(error)}`);
    }
  }

  /** Nothing that comes later can be better. */
  isSettled(): boolean {
    return this.#usable.some(({ worth }) => worth === worthOfComplete + worthOfReachable);
  }

  best(): Toolchain | undefined {
    const highest = Math.max(...this.#usable.map(({ worth }) => worth));
    return this.#usable.find(({ worth }) => worth === highest)?.toolchain;
  }

  #worthOf(installation: Installation): number {
    const parts = [installation.program, ...installation.parts];
    const isReachable = !this.#surroundings.runsAsOther || parts.every(reachableByOthers);
    return (installation.isComplete ? worthOfComplete : 0) + (isReachable ? worthOfReachable : 0);
  }
}

function distinctPrograms(candidates: readonly string[]): string[] {
  const found = candidates.flatMap((program) => placeOf(program) ?? []).filter(isExecutable);
  return [...new Set(found)];
}

function isExecutable(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const maxNamedRejections = 3;
const maxNamedPlaces = 12;

function describeProblem(
  language: Language,
  candidates: readonly string[],
  rejected: readonly string[],
): string {
  if (rejected.length > 0) {
    const named = rejected.slice(0, maxNamedRejections).join('; ');
    const more = rejected.length - maxNamedRejections;
    return `no usable ${language.wanted} was found: ${named}${more > 0 ? `; and ${more} more` : ''}`;
  }
  const places = [...new Set(candidates)].slice(0, maxNamedPlaces).join(', ');
  return `no ${language.wanted} was found: looked for ${places} and in the folders of version managers`;
}

const maxReasonCharacters = 300;

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').slice(0, maxReasonCharacters);
}
