import { AppError } from '../../kernel/index.ts';
import { languages } from './language.ts';

/** Neither or both of `code` and `path` were given. */
export class NoSourceError extends AppError {
  readonly code = 'code.no_source';

  constructor() {
    super('Give exactly one of "code" (the text) and "path" (a file, folder or glob)');
  }
}

/** A path leaves the folders the tools may read. */
export class OutsideRootsError extends AppError {
  readonly code = 'code.outside_roots';

  constructor(path: string, roots: readonly string[]) {
    super(
      `"${path}" lies outside the allowed roots (${roots.join(', ')}). Add its folder to the setting "roots"`,
      { details: { path, roots } },
    );
  }
}

export type NoFilesReason =
  | 'missing'
  | 'no folder'
  | 'no match'
  | 'no language'
  | 'no file'
  | 'all excluded'
  | 'no lock file';

/** A path or glob leads to nothing that could be read. */
export class NoFilesError extends AppError {
  readonly code = 'code.no_files';

  constructor(path: string, reason: NoFilesReason) {
    super(noFilesMessage[reason](`"${path}"`), { details: { path, reason } });
  }
}

const noFilesMessage: Readonly<Record<NoFilesReason, (path: string) => string>> = {
  missing: (path) => `There is no file or folder ${path} in the allowed roots`,
  'no folder': (path) => `${path} is a file, not a folder`,
  'no match': (path) => `No file matches ${path}`,
  'no language': (path) => `No file in ${path} is in a known language: ${languages.join(', ')}`,
  'no file': (path) => `${path} holds no files`,
  'all excluded': (path) => `The argument "exclude" leaves nothing of ${path}`,
  'no lock file': (path) =>
    `There is no lock file, requirements.txt, pyproject.toml or package.json in ${path}, so nothing says which versions are used. A package manager writes a lock file, for example "uv lock" or "npm install --package-lock-only"`,
};

/** A file is larger, or a folder holds more, than one call may read. */
export class TooMuchSourceError extends AppError {
  readonly code = 'code.too_much_source';

  constructor(path: string, unit: 'files' | 'bytes', limit: number) {
    super(
      `"${path}" has more than ${limit} ${unit}, the most one call reads. Narrow it with a glob`,
      {
        details: { path, unit, limit },
      },
    );
  }
}

/** A file is not text. */
export class NotTextError extends AppError {
  readonly code = 'code.not_text';

  constructor(path: string, reason: string) {
    super(`"${path}" was not read: ${reason}`, { details: { path } });
  }
}

/** The language was neither given nor recognised. */
export class LanguageUnknownError extends AppError {
  readonly code = 'code.language_unknown';

  /** `kind`: what the file is, where its name says so. */
  constructor(path: string, kind?: string) {
    super(
      kind === undefined
        ? `The language of ${path} was not recognised. Give "language": one of ${languages.join(', ')}`
        : `${path} is ${kind}, which the code tools do not read (they read ${languages.join(', ')}). ` +
            'scan_secrets, search_text and read_file read every text file',
      { details: { path, languages } },
    );
  }
}

/** The text is not valid in its language. Lines and columns start at 1. */
export class CodeSyntaxError extends AppError {
  readonly code = 'code.syntax_error';
  readonly problem: SyntaxProblem;

  constructor(problem: SyntaxProblem) {
    const { path, language, line, column, message } = problem;
    super(`${path}:${line}:${column}: ${language} syntax error: ${message}`, {
      details: { ...problem },
    });
    this.problem = problem;
  }
}

/** A `CodeSyntaxError` about a file, its message cut to the first line. */
export function syntaxError(
  { path, language }: Pick<SyntaxProblem, 'path' | 'language'>,
  { line, column }: Pick<SyntaxProblem, 'line' | 'column'>,
  message: string,
): CodeSyntaxError {
  const [firstLine = message] = message.split('\n', 1);
  return new CodeSyntaxError({ path, language, line, column, message: firstLine });
}

/** The formatter a user named is not known, or not for the text's language. */
export class UnfitFormatterError extends AppError {
  readonly code = 'code.unfit_formatter';

  constructor(
    formatter: string,
    file: { readonly path: string; readonly language: string },
    known: { readonly canDo: readonly string[]; readonly names: readonly string[] },
  ) {
    const what =
      known.canDo.length > 0
        ? `formats ${known.canDo.join(', ')}, not`
        : 'is no formatter known for';
    super(
      `${file.path} was not formatted: "${formatter}" ${what} ${file.language}. For ${file.language} give one of ${known.names.join(', ')}`,
      { details: { formatter, ...known, path: file.path, language: file.language } },
    );
  }
}

/** The engine could not format a text that is valid, or that no parser could check. */
export class FormatFailedError extends AppError {
  readonly code = 'code.format_failed';

  constructor(path: string, formatter: string, failure: { reason: string; cause: unknown }) {
    const { reason, cause } = failure;
    super(`${path} was not formatted by ${formatter}: ${reason}. Nothing was changed`, {
      details: { path, formatter },
      cause,
    });
  }
}

/** A text is nested too deeply, or too long, for the parser of its language. */
export class TooComplexError extends AppError {
  readonly code = 'code.too_complex';

  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path} could not be parsed: ${reason}. Split it`, { details: { path }, cause });
  }
}

export interface SyntaxProblem {
  readonly path: string;
  readonly language: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A lock file's text is not what its name promises. */
export class LockfileMalformedError extends AppError {
  readonly code = 'code.lockfile_malformed';

  constructor(path: string, line: number, problem: string) {
    super(
      `${path}:${line}: this lock file was not read: ${problem}. Create it anew with its package manager`,
      { details: { path, line } },
    );
  }
}

/** A file or a `lockfile` name is of no format that is read here. */
export class LockfileUnknownError extends AppError {
  readonly code = 'code.lockfile_unknown';

  constructor(name: string, known: readonly string[]) {
    super(`"${name}" is not a lock file this tool reads. It reads: ${known.join(', ')}`, {
      details: { name, known },
    });
  }
}

/** There is more in the lock files than one call looks up. */
export class TooManyPackagesError extends AppError {
  readonly code = 'code.too_many_packages';

  constructor(found: number, unit: 'packages' | 'lock files', limit: number) {
    super(`Found ${found} ${unit}; one call looks at ${limit} at most. Name one folder at a time`, {
      details: { found, unit, limit },
    });
  }
}

/** The OSV service gave no usable answer, so nothing is known about the packages. */
export class OsvUnreachableError extends AppError {
  readonly code = 'code.osv_unreachable';
  override readonly retryable = true;

  constructor(url: string, problem: string, cause?: unknown) {
    super(
      `The OSV database at ${url} gave no usable answer: ${problem}. Nothing was checked. ` +
        'Without a network, download the ecosystem dumps of OSV (all.zip per ecosystem), unpack them ' +
        'into one folder and name it in the setting "tools.dependencies.osv_dir"',
      { details: { url, problem }, cause },
    );
  }
}

/** The offline OSV folder is missing, or has nothing about an ecosystem that was asked for. */
export class OsvDirectoryError extends AppError {
  readonly code = 'code.osv_directory_unusable';

  constructor(directory: string, problem: string) {
    super(
      `The OSV folder "${directory}" cannot answer: ${problem}. Nothing was checked. ` +
        'Unpack the OSV dump (all.zip) of the ecosystem into it, or unset "tools.dependencies.osv_dir" to ask the OSV API',
      { details: { directory } },
    );
  }
}
