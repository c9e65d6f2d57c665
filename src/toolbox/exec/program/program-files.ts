import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { InvalidProgramError, ProjectTooLargeError } from '../errors.ts';
import { SourceFiles } from '../../code/source-files.ts';
import { defaultProjectLimits, gatherFolder } from '../tests/gather-project.ts';

/** The languages `run_code` runs. */
export const languages = [
  'python',
  'javascript',
  'typescript',
  'go',
  'rust',
  'java',
  'shell',
] as const;

export type Language = (typeof languages)[number];

/** How a language's programs are named and what runs them. */
export interface LanguageTraits {
  readonly toolchain: string;
  /** The name a single text gets, and the first one looked for among several. */
  readonly mainNames: readonly [string, ...string[]];
  readonly endings: readonly string[];
}

/** By the ending of the file a program starts with. */
export function languageOfFile(path: string): Language | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  return languages.find((language) => languageTraits[language].endings.includes(ending));
}

export const languageTraits: Readonly<Record<Language, LanguageTraits>> = {
  python: { toolchain: 'python', mainNames: ['main.py', '__main__.py'], endings: ['py'] },
  javascript: {
    toolchain: 'node',
    mainNames: ['main.js', 'main.mjs', 'main.cjs', 'index.js', 'index.mjs', 'index.cjs'],
    endings: ['js', 'mjs', 'cjs'],
  },
  typescript: {
    toolchain: 'node',
    mainNames: ['main.ts', 'main.mts', 'main.cts', 'index.ts', 'index.mts', 'index.cts'],
    endings: ['ts', 'mts', 'cts'],
  },
  go: { toolchain: 'go', mainNames: ['main.go'], endings: ['go'] },
  rust: { toolchain: 'rust', mainNames: ['main.rs', 'src/main.rs'], endings: ['rs'] },
  java: { toolchain: 'java', mainNames: ['Main.java', 'src/Main.java'], endings: ['java'] },
  shell: { toolchain: 'shell', mainNames: ['main.sh'], endings: ['sh', 'bash'] },
};

export interface Source {
  readonly language: Language;
  readonly code?: string | undefined;
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly entry?: string | undefined;
}

/** The files of a program and the one it starts with. */
export interface ProgramFiles {
  readonly files: Readonly<Record<string, string>>;
  readonly entry: string;
}

/** Takes a single text or several files, and finds out where the program begins. */
export function findEntry({ language, code, files, entry }: Source): ProgramFiles {
  const { mainNames, endings } = languageTraits[language];
  if (code !== undefined) {
    const main = entry ?? mainNames[0];
    if (files && Object.hasOwn(files, main)) {
      throw new InvalidProgramError(
        `"code" would become ${main}, and "files" has a file of that name. Give one of the two, or another "entry"`,
      );
    }
    return { files: { ...files, [main]: code }, entry: main };
  }
  const names = Object.keys(files ?? {});
  if (!files || names.length === 0) {
    throw new InvalidProgramError('give "code" (the text) or "files" (texts by path)');
  }
  if (entry !== undefined) {
    if (!Object.hasOwn(files, entry)) {
      throw new InvalidProgramError(`there is no file "${entry}" to start with`, { entry });
    }
    return { files, entry };
  }
  const found = mainNames.find((name) => Object.hasOwn(files, name)) ?? onlyOne(names, endings);
  if (found === undefined) {
    throw new InvalidProgramError(
      `it is not clear which file the program starts with. Name it by "entry", or call it ${mainNames[0]}`,
      { files: names.slice(0, 20) },
    );
  }
  return { files, entry: found };
}

function onlyOne(names: readonly string[], endings: readonly string[]): string | undefined {
  const fitting = names.filter((name) => endings.some((ending) => name.endsWith(`.${ending}`)));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * A program that is a file of the project, with the texts of its folder, which it may import or read. Of a folder that is
 * too large for a sandbox it is the file alone.
 */
export async function readProgram(
  path: string,
  where: { readonly roots: readonly string[]; readonly signal: AbortSignal },
): Promise<ProgramFiles> {
  const sources = new SourceFiles(where.roots, defaultProjectLimits);
  const [found] = await sources.findPaths(path, []);
  const entry = basename(path);
  const own = found === undefined ? '' : await sources.readText(found.absolutePath, path);
  try {
    const { files } = await gatherFolder(path, where);
    const texts = Object.entries(files).flatMap(([name, content]): [string, string][] => {
      if (typeof content === 'string') return [[name, content]];
      return isUtf8(content) && !content.includes(0) ? [[name, decoder.decode(content)]] : [];
    });
    return { files: { ...Object.fromEntries(texts), [entry]: own }, entry };
  } catch (error) {
    if (!(error instanceof ProjectTooLargeError)) throw error;
    return { files: { [entry]: own }, entry };
  }
}

const decoder = new TextDecoder();
