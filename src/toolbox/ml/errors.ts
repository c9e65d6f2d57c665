import { AppError } from '../../kernel/index.ts';

/** Where in a dataset something is wrong. Rows count from 1, without the header. */
interface DatasetPosition {
  readonly row?: number | undefined;
  readonly line?: number | undefined;
  readonly column?: string | undefined;
}

/** A dataset cannot be used as it is. Nothing of it is stored. */
export class DatasetError extends AppError {
  readonly code = 'ml.bad_dataset';

  constructor(source: string, problem: string, at: DatasetPosition = {}) {
    const { row, line, column } = at;
    const where = [
      row === undefined ? '' : `row ${row}`,
      line === undefined ? '' : `line ${line}`,
      column === undefined ? '' : `column "${column}"`,
    ].filter((part) => part !== '');
    super(`Dataset "${source}": ${[where.join(', '), problem].filter(Boolean).join(': ')}`, {
      details: { source, row, line, column },
    });
  }
}

/** What is complete stays: checkpoints of a training, whole datasets, models and artifacts. */
export class MlDiskFullError extends AppError {
  readonly code = 'ml.disk_full';
  override readonly retryable = true;

  constructor(home: string, cause: unknown) {
    super(
      `The disk of ${home} is full. Nothing was stored in part; free some space and call it again: a training continues from its last checkpoint`,
      { details: { home }, cause },
    );
  }
}

/** A configuration has unknown keys or values out of bounds. */
export class TrainingConfigError extends AppError {
  readonly code = 'ml.bad_config';

  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used: ${problems.join('; ')}`, { details: { problems } });
  }
}

/** A Python environment cannot be built or does not work. */
export class PythonEnvironmentError extends AppError {
  readonly code = 'ml.bad_environment';

  constructor(problem: string, remedy: string) {
    super(`The environment was not created: ${problem}. ${remedy}`, { details: { remedy } });
  }
}

/** There is no such model or base model, or its files are damaged. */
export class UnusableModelError extends AppError {
  readonly code = 'ml.unusable_model';

  constructor(model: string, problem: string) {
    super(`Model "${model}" cannot be used: ${problem}`, { details: { model } });
  }
}

/** No engine can do a job on this machine, with the arithmetic. */
export class TrainingRefusedError extends AppError {
  readonly code = 'ml.refused';

  constructor(what: string, reasons: readonly string[]) {
    super(`${what} is not possible on this machine: ${reasons.join('; ')}`, {
      details: { reasons },
    });
  }
}

/** Another process executes the same job at this moment. */
export class JobRunningError extends AppError {
  readonly code = 'ml.job_running';
  override readonly retryable = true;

  constructor(key: string, processId: number) {
    super(`The same job (${key.slice(0, 12)}) is being executed by process ${processId}`, {
      details: { key, processId },
    });
  }
}

/** A comparison lacks what it needs, or a promotion does not meet its rule. */
export class NotPromotedError extends AppError {
  readonly code = 'ml.not_promoted';

  constructor(model: string, reason: string) {
    super(`${model} was not promoted: ${reason}`, { details: { model, reason } });
  }
}

/** The engine cannot do this job, here or at all. Nothing ran. */
export class JobRefusedError extends AppError {
  readonly code = 'ml.job_refused';

  constructor(engine: string, reasons: readonly string[]) {
    super(`The engine "${engine}" did not start the job: ${reasons.join('; ')}`, {
      details: { engine, reasons },
    });
  }
}

/** The trainer ended with a failure that it explained. `cause` is its own code. */
export class TrainingFailedError extends AppError {
  readonly code = 'ml.training_failed';
  /** What the trainer called it: `ml.bad_data`, `ml.loss_not_finite`, `ml.out_of_memory` … */
  readonly failure: string;

  constructor(
    engine: string,
    failure: { readonly code: string; readonly message: string; readonly log?: string },
  ) {
    super(`The engine "${engine}" failed: ${failure.message}`, {
      details: {
        engine,
        failure: failure.code,
        ...(failure.log !== undefined && { log: failure.log }),
      },
    });
    this.failure = failure.code;
  }
}

/** A file of a job is missing or has changed since it was hashed. */
export class InputChangedError extends AppError {
  readonly code = 'ml.input_changed';

  constructor(path: string, reason: string) {
    super(`The job was not started: "${path}" ${reason}`, { details: { path } });
  }
}

/** The folder of the run holds checkpoints of another job: resuming would mix two trainings. */
export class CheckpointOfOtherJobError extends AppError {
  readonly code = 'ml.checkpoint_of_other_job';

  constructor(folder: string) {
    super(
      `The job was not started: "${folder}" holds checkpoints of a job with other data, base or settings. Use another folder, or remove them`,
      { details: { folder } },
    );
  }
}
