import { AppError } from '../kernel/index.ts';

/** The embedding model could not be loaded, ended, or has too much to do. */
export class EmbeddingFailedError extends AppError {
  readonly code = 'models.embedding_failed';
  override readonly retryable = true;

  constructor(reason: string) {
    super(`Texts were not embedded: ${reason}`, { details: { reason } });
  }
}
