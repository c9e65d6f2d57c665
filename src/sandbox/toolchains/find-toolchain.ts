import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { SandboxMount } from '../../contract/sandbox/index.ts';
import { liesInside } from '../../kernel/index.ts';
import type { Toolchain } from '../driver.ts';
import { InvalidRunError, ToolchainMissingError } from '../errors.ts';
import { examineInstallation, isOfSystem, NotUsable, type Installation } from './installation.ts';
import { candidatePaths, languages, toolchainNames, type Language } from './languages.ts';
import { hostSurroundings, type Surroundings } from './surroundings.ts';

/** More than any machine has of one language; each costs a start. */
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
  const language = languages[languageName];
  if (language === undefined) {
    throw new InvalidRunError(
      `there is no toolchain "${name}"; there are ${toolchainNames.join(', ')}`,
      { toolchain: name },
    );
  }
  const candidates = candidatePaths(languageName, surroundings);
  const around = modules.length > 0 ? { ...surroundings, modules } : surroundings;
  const search = new Search(name, languageName, around);
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

/** Completeness counts more than reachability: an unreachable one can be shown, a missing part cannot. */
const worthOfComplete = 2;
const worthOfReachable = 1;

class Search {
  readonly rejected: string[] = [];
  readonly #name: string;
  readonly #language: string;
  readonly #surroundings: Surroundings;
  readonly #usable: Usable[] = [];

  constructor(name: string, language: string, surroundings: Surroundings) {
    this.#name = name;
    this.#language = language;
    this.#surroundings = surroundings;
  }

  async examine(program: string): Promise<void> {
    try {
      const installation = await examineInstallation(this.#language, program, this.#surroundings);
      if (this.#name.includes(':') && !installation.isComplete) {
        throw new NotUsable(`it has not all of ${this.#surroundings.modules.join(', ')}`);
      }
      const fixed = languages[this.#language]?.env;
      const placed = placeToolchain(this.#name, installation, this.#surroundings);
      const toolchain = { ...placed, env: { ...placed.env, ...fixed } };
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
  const found = candidates.flatMap(realFolderPath).filter(isExecutable);
  return [...new Set(found)];
}

/** A file of the same name in a linked folder is the same program. */
function realFolderPath(program: string): string[] {
  try {
    if (!existsSync(program)) return [];
    // The last link stays: a virtual environment's Python is one, and knows itself by its own path.
    return [join(realpathSync(dirname(program)), basename(program))];
  } catch {
    return [];
  }
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
const maxNamedPaths = 12;

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
  const paths = [...new Set(candidates)].slice(0, maxNamedPaths).join(', ');
  return `no ${language.wanted} was found: looked for ${paths} and in the folders of version managers`;
}

const maxReasonCharacters = 300;

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').slice(0, maxReasonCharacters);
}

/** Reveal nothing about the machine's owner, so their content may keep its path inside. */
const neutralFolders = ['/opt', '/nix', '/gnu', '/snap', '/Library', '/System'];
/** The program's own, or the sandbox's. */
const innerFolders = ['/work', '/tmp', '/dev', '/proc', '/sys', '/run', '/etc', '/var'];
const systemSearchPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Decides the paths of a toolchain inside. Throws `NotUsable` when it can have none. */
function placeToolchain(
  name: string,
  installation: Installation,
  surroundings: Surroundings,
): Toolchain {
  const mounts = installation.parts
    .filter((part) => !isOfSystem(part, surroundings))
    .map((part) => mountPart(name, { part, installation }, surroundings));
  const at = (path: string): string => translate(path, mounts);
  const program = at(installation.program);
  const ownFolders = [dirname(program), ...(installation.programFolders ?? []).map(at)];
  return {
    name,
    version: installation.version,
    program,
    mounts,
    searchPath: [...new Set([...ownFolders, ...systemSearchPath])],
    env: installation.env?.(at) ?? {},
  };
}

function mountPart(
  name: string,
  { part, installation }: { readonly part: string; readonly installation: Installation },
  surroundings: Surroundings,
): SandboxMount {
  const isSettings = part.startsWith('/etc/java-');
  const staysWhereItIs = !surroundings.canRelocate || isSettings || isInside(part, neutralFolders);
  if (staysWhereItIs) return { source: part, target: part };
  if (!installation.canMove) {
    if (!isInside(part, innerFolders)) return { source: part, target: part };
    throw new NotUsable(
      `${part} only works at its own path, which inside the sandbox is the program's`,
    );
  }
  // A single program keeps its name below the folder that stands for its installation.
  // Without the modules that were asked for: a colon would cut it in two in every search path.
  const [language = name] = name.split(':');
  const root = `/opt/${language}-${installation.version}`;
  const isProgramItself = part === installation.program;
  return { source: part, target: isProgramItself ? join(root, 'bin', language) : root };
}

function translate(path: string, mounts: readonly SandboxMount[]): string {
  const mount = mounts.find(({ source }) => liesInside(source, path));
  return mount ? join(mount.target, relative(mount.source, path)) : path;
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => liesInside(folder, path));
}

const othersRead = 0o004;
const othersExecute = 0o001;

/** True when any other user can open the file or list the folder. */
export function reachableByOthers(path: string): boolean {
  try {
    const real = realpathSync(path);
    const { mode } = statSync(real);
    const isOpen = (mode & othersRead) !== 0 && othersMayEnter(dirname(real));
    // The way there by name may lead through other folders than the real one.
    return isOpen && othersMayEnter(dirname(path));
  } catch {
    return false;
  }
}

/** Ends at the root, which is its own parent. */
function othersMayEnter(folder: string): boolean {
  if ((statSync(folder).mode & othersExecute) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || othersMayEnter(parent);
}
