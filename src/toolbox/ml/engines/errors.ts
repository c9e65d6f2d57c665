import { AppError } from '../../../kernel/index.ts';

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
