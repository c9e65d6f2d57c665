import { AppError } from '../kernel/index.ts';

/** The caller has no artifact of this id. */
export class ArtifactNotFoundError extends AppError {
  readonly code = 'artifacts.not_found';

  constructor(id: string) {
    super(
      `There is no artifact "${shortened(id)}". Artifacts go with the runs that made them; ` +
        'ids look like sha256: and 64 hex digits, and the steps of a run name them',
      { details: { id: shortened(id) } },
    );
  }
}

/** The bytes on disk are not those that were kept. */
export class ArtifactDamagedError extends AppError {
  readonly code = 'artifacts.damaged';

  constructor(id: string, problem: { readonly path: string; readonly reason: string }) {
    super(
      `Artifact ${id} was not read: ${problem.reason} (${problem.path}). ` +
        'Restore the file from a backup, or run the step that made it again',
      { details: { id, ...problem } },
    );
  }
}

export class ArtifactTooLargeError extends AppError {
  readonly code = 'artifacts.too_large';

  constructor(size: { readonly bytes: number; readonly maxBytes: number }, what: string) {
    super(
      `The output of ${what} was not kept: it has ${size.bytes} bytes, and an artifact may have ${size.maxBytes}. ` +
        'Have the step give less, or write it to a file and give its path',
      { details: size },
    );
  }
}

/** The bytes could not be put on disk; nothing refers to them. */
export class ArtifactNotWrittenError extends AppError {
  readonly code = 'artifacts.not_written';
  override readonly retryable = true;

  constructor(id: string, path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Artifact ${id} was not written to ${path} (${reason}). Check that the disk has room and the folder is writable`,
      { details: { id, path }, cause },
    );
  }
}

const maxShownId = 100;

function shortened(id: string): string {
  return id.length <= maxShownId ? id : `${id.slice(0, maxShownId)}…`;
}

/** The store has no such model, version or alias. */
export class UnknownModelError extends AppError {
  readonly code = 'ml.unknown_model';

  constructor(reference: string, known: readonly string[]) {
    const list = known.length > 0 ? ` It has: ${known.join(', ')}` : ' It is empty.';
    super(`There is no model "${reference}" in the store.${list}`, {
      details: { reference, known },
    });
  }
}

/** A file of a model is not what its digest says. */
export class DamagedModelError extends AppError {
  readonly code = 'ml.damaged_model';

  constructor(model: string, file: string) {
    super(`File "${file}" of model "${model}" changed while it was stored; nothing was kept`, {
      details: { model, file },
    });
  }
}
