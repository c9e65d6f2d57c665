import { InvalidProgramError } from '../errors.ts';
import { languageTraits, type Language } from './language.ts';

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
