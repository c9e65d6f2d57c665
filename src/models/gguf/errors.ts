import { AppError } from '../../kernel/index.ts';

/** The package that runs GGUF files is not installed. */
export class AddonMissingError extends AppError {
  readonly code = 'models.addon_missing';

  constructor(cause: unknown) {
    super(
      'The model was not loaded: a GGUF file in this process needs the package node-llama-cpp. ' +
        'Install it beside Tutti: npm install -g node-llama-cpp',
      { cause },
    );
  }
}

/** A GGUF file could not be loaded, or the model in it failed. */
export class GgufFailedError extends AppError {
  readonly code = 'models.gguf_failed';

  constructor(path: string, attempt: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${attempt} of "${path}" failed: ${reason}`, { cause, details: { path, reason } });
  }
}
