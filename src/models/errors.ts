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

interface FailureKind {
  /** The start of the message; `MODEL` is the model's name. */
  readonly says: string;
  /** The same model may answer if it is asked again. */
  readonly retryable?: boolean;
  /** It will not answer for a while, so the next calls try other models first. */
  readonly isDown?: boolean;
  /** It refused before it did any work. After any other failure, the counted tokens may have been used. */
  readonly isUnpaid?: boolean;
}

const modelFailures = {
  'models.unreachable': {
    says: 'Model MODEL could not be reached:',
    retryable: true,
    isDown: true,
    isUnpaid: true,
  },
  'models.timeout': { says: 'Model MODEL did not answer in time:', isDown: true },
  'models.rate_limited': {
    says: 'Model MODEL takes no more requests at the moment:',
    retryable: true,
    isDown: true,
    isUnpaid: true,
  },
  'models.out_of_quota': {
    says: 'The account of model MODEL has no quota left:',
    isDown: true,
    isUnpaid: true,
  },
  'models.refused_key': {
    says: 'Model MODEL refused the API key:',
    isDown: true,
    isUnpaid: true,
  },
  // The server does not have the model, or nothing is at that address.
  'models.not_found': { says: 'Model MODEL is not there:', isDown: true, isUnpaid: true },
  'models.overloaded': {
    says: 'Model MODEL failed or has too much to do:',
    retryable: true,
    isDown: true,
    isUnpaid: true,
  },
  'models.refused_request': { says: 'Model MODEL refused the request:', isUnpaid: true },
  // Not an answer: an error page, broken JSON or events, a redirect.
  'models.bad_answer': { says: 'Model MODEL sent something that is no answer:', retryable: true },
  'models.cut_off': { says: 'The answer of model MODEL broke off:', retryable: true },
  'models.empty_answer': { says: 'Model MODEL answered without a word:', retryable: true },
  'models.too_long': { says: 'The request is too long for model MODEL:', isUnpaid: true },
  'models.endless_answer': { says: 'The answer of model MODEL does not end:' },
} satisfies Readonly<Record<string, FailureKind>>;

export type ModelFailureCode = keyof typeof modelFailures;

/** One model did not answer as it should. */
export class ModelCallError extends AppError {
  readonly code: ModelFailureCode;
  override readonly retryable: boolean;
  readonly isDown: boolean;
  readonly isUnpaid: boolean;
  readonly model: string;
  readonly retryAfterMs: number | null;

  /** `isLasting`: no such host, or nothing listens there, which a retry does not change. */
  constructor(code: ModelFailureCode, failure: ModelFailure & { readonly isLasting?: boolean }) {
    const { model, reason, retryAfterMs } = failure;
    const kind: FailureKind = modelFailures[code];
    super(`${kind.says.replace('MODEL', () => model)} ${reason}`, {
      details: { model, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      ...('cause' in failure ? { cause: failure.cause } : {}),
    });
    this.code = code;
    this.retryable = kind.retryable === true && failure.isLasting !== true;
    this.isDown = kind.isDown === true;
    this.isUnpaid = kind.isUnpaid === true;
    this.model = model;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** Whether an error is that failure of a model. */
export function isModelFailure(error: unknown, code: ModelFailureCode): error is ModelCallError {
  return error instanceof ModelCallError && error.code === code;
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
    const reasons = failures.map(({ error }) => error.message).join('. ');
    super(`None of the ${failures.length} models for the role "${role}" answered. ${reasons}`, {
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
