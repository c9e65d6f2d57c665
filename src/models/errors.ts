import { AppError } from '../kernel/index.ts';

/** The embedding model could not be loaded, ended, or has too much to do. */
export class EmbeddingFailedError extends AppError {
  readonly code = 'models.embedding_failed';
  override readonly retryable = true;

  constructor(reason: string) {
    super(`Texts were not embedded: ${reason}`, { details: { reason } });
  }
}

/** What every failure of a model says of itself; `reason` never holds a key. */
export interface ModelFailure {
  /** The model as `tutti models` names it. */
  readonly model: string;
  readonly reason: string;
  /** How long the model wants to be left alone. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * One model did not answer as it should. `retryable`: the same model may answer if it is asked again.
 * `isDown`: it will not for a while, so that the next calls ask others first.
 */
export abstract class ModelCallError extends AppError {
  readonly isDown: boolean = false;
  readonly model: string;
  readonly retryAfterMs: number | null;

  constructor(what: string, failure: ModelFailure) {
    super(`${what} ${failure.reason}`, {
      details: {
        model: failure.model,
        ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
      },
      ...('cause' in failure ? { cause: failure.cause } : {}),
    });
    this.model = failure.model;
    this.retryAfterMs = failure.retryAfterMs ?? null;
  }
}

/** `isLasting`: there is no such host or nothing listens, which a second does not change. */
export class ModelUnreachableError extends ModelCallError {
  readonly code = 'models.unreachable';
  override readonly retryable: boolean;
  override readonly isDown = true;

  constructor(failure: ModelFailure & { readonly isLasting?: boolean }) {
    super(`Model ${failure.model} could not be reached:`, failure);
    this.retryable = failure.isLasting !== true;
  }
}

export class ModelTimeoutError extends ModelCallError {
  readonly code = 'models.timeout';
  override readonly isDown = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} did not answer in time:`, failure);
  }
}

export class ModelRateLimitedError extends ModelCallError {
  readonly code = 'models.rate_limited';
  override readonly retryable = true;
  override readonly isDown = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} takes no more requests at the moment:`, failure);
  }
}

/** Its quota or credit is used up: waiting a few seconds does not help. */
export class ModelQuotaError extends ModelCallError {
  readonly code = 'models.out_of_quota';
  override readonly isDown = true;

  constructor(failure: ModelFailure) {
    super(`The account of model ${failure.model} has no quota left:`, failure);
  }
}

export class ModelRefusedKeyError extends ModelCallError {
  readonly code = 'models.refused_key';
  override readonly isDown = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} refused the API key:`, failure);
  }
}

/** The server does not have the model, or has nothing at that address. */
export class ModelNotFoundError extends ModelCallError {
  readonly code = 'models.not_found';
  override readonly isDown = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} is not there:`, failure);
  }
}

export class ModelOverloadedError extends ModelCallError {
  readonly code = 'models.overloaded';
  override readonly retryable = true;
  override readonly isDown = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} failed or has too much to do:`, failure);
  }
}

/** It does not take the request, for a reason that asking again does not change. */
export class ModelRefusedRequestError extends ModelCallError {
  readonly code = 'models.refused_request';

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} refused the request:`, failure);
  }
}

/** What came is no answer: an error page, broken JSON or events, a redirect. */
export class ModelBadAnswerError extends ModelCallError {
  readonly code = 'models.bad_answer';
  override readonly retryable = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} sent something that is no answer:`, failure);
  }
}

export class ModelCutOffError extends ModelCallError {
  readonly code = 'models.cut_off';
  override readonly retryable = true;

  constructor(failure: ModelFailure) {
    super(`The answer of model ${failure.model} broke off:`, failure);
  }
}

export class ModelEmptyAnswerError extends ModelCallError {
  readonly code = 'models.empty_answer';
  override readonly retryable = true;

  constructor(failure: ModelFailure) {
    super(`Model ${failure.model} answered without a word:`, failure);
  }
}

/** The request does not fit into the model's context. */
export class ModelTooLongError extends ModelCallError {
  readonly code = 'models.too_long';

  constructor(failure: ModelFailure) {
    super(`The request is too long for model ${failure.model}:`, failure);
  }
}

export class ModelEndlessAnswerError extends ModelCallError {
  readonly code = 'models.endless_answer';

  constructor(failure: ModelFailure) {
    super(`The answer of model ${failure.model} does not end:`, failure);
  }
}

export interface FailedModel {
  readonly model: string;
  readonly error: AppError;
}

/** Every model of a role was asked and none answered; each says why. */
export class AllModelsFailedError extends AppError {
  readonly code = 'models.all_failed';
  override readonly retryable: boolean;

  constructor(role: string, failures: readonly FailedModel[]) {
    const told = failures.map(({ error }) => error.message).join('. ');
    super(`None of the ${failures.length} models for the role "${role}" answered. ${told}`, {
      details: {
        role,
        failures: failures.map(({ model, error: { code, message } }) => ({ model, code, message })),
      },
    });
    this.retryable = failures.some(({ error }) => error.retryable);
  }
}

/** A run or session used up what it may. */
export class BudgetExceededError extends AppError {
  readonly code = 'models.budget_exceeded';

  constructor(used: {
    readonly scope: string;
    readonly unit: 'tokens' | 'US dollars';
    readonly limit: number;
    readonly spent: number;
    readonly setting: string;
  }) {
    const { scope, unit, limit, spent, setting } = used;
    super(
      `The model was stopped: ${scope} may use ${limit} ${unit} and this request would bring it to ${spent}. ` +
        `Raise the setting ${setting}, or go on in a new one`,
      { details: { ...used } },
    );
  }
}

/** Nothing is configured, found on this machine or offered by the client. */
export class NoModelError extends AppError {
  readonly code = 'models.none_connected';

  /** `names`: those that the role asks and no others. */
  constructor(role: string, names: readonly string[]) {
    const wanted = names.map((name) => `"${name}"`).join(', ');
    super(
      names.length === 0
        ? `No model is connected for the role "${role}". Set OPENAI_API_KEY or ANTHROPIC_API_KEY, start a local ` +
            'one (Ollama, llama-server), or name one in models.providers'
        : `No model is connected for the role "${role}": models.roles.${role} asks only ${wanted}, and there is ` +
            'none of that name. "tutti models" lists those there are',
      { details: { role, names } },
    );
  }
}

/** Two answers of the model did not fit what was asked for. */
export class UnusableAnswerError extends AppError {
  readonly code = 'models.unusable_answer';

  constructor(answer: {
    readonly name: string;
    readonly model: string;
    readonly problem: string;
    readonly artifact: string | null;
    readonly attempts: number;
  }) {
    const kept =
      answer.artifact === null ? '' : `. What it said is kept as artifact ${answer.artifact}`;
    super(
      `Model ${answer.model} gave no usable "${answer.name}" in ${answer.attempts} attempts: ${answer.problem.replace(/\.$/, '')}${kept}`,
      { details: { ...answer } },
    );
  }
}
