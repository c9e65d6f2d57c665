import { AppError } from '../../../kernel/index.ts';

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
