import { AppError } from '../../../kernel/index.ts';

/** A project has more than goes into a sandbox. Nothing ran. */
export class ProjectTooLargeError extends AppError {
  readonly code = 'exec.project_too_large';

  constructor(path: string, unit: 'files' | 'bytes', limit: number) {
    super(
      `The tests of "${path}" were not run: the folder has more than ${limit} ${unit} without what is installed or built. Name the folder of one package of it`,
      { details: { path, unit, limit } },
    );
  }
}

/** Nothing tells how the tests are to be run. */
export class NoTestFrameworkError extends AppError {
  readonly code = 'exec.no_test_framework';

  constructor(reason: string) {
    super(`No tests were run: ${reason}`);
  }
}

/** What the tests need is not installed in the project or on this machine. */
export class TestLibraryMissingError extends AppError {
  readonly code = 'exec.test_library_missing';

  constructor(library: string, install: string) {
    super(`The tests were not run: ${library}. ${install}`, { details: { library } });
  }
}
