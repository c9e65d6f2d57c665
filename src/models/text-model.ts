import type {
  ModelProvider,
  ModelRequest,
  ModelText,
  ModelUsage,
} from '../contract/model/index.ts';
import type { JsonSchema } from '../contract/tool/index.ts';

/** A request as one model gets it; `json` asks for JSON of a shape, by the model's own means where it has any. */
export interface TextModelRequest extends ModelRequest {
  readonly json?: { readonly name: string; readonly schema: JsonSchema };
}

export interface TextModelAnswer {
  readonly text: string;
  readonly finish: ModelText['finish'];
  /** Null where the model does not count. */
  readonly usage: Pick<ModelUsage, 'inputTokens' | 'outputTokens'> | null;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Pieces of the answer, as they arrive. */
  readonly onText?: (piece: string) => void;
  /** The model's reasoning, where it is sent: tokens that count and are not shown. */
  readonly onThought?: (piece: string) => void;
}

/**
 * One model that can be asked, once: retries, fail-over, time limits and budgets are around it. Throws
 * `ModelCallError`s, which say whether it is worth another try, or the signal's reason.
 */
export interface TextModel {
  readonly name: string;
  readonly provider: ModelProvider;
  readonly model: string | null;
  readonly url: string | null;
  readonly contextTokens: number | null;
  ask(request: TextModelRequest, options: AskOptions): Promise<TextModelAnswer>;
  /** Whether it answers at all, at little cost; `problem` says what to do when it does not. */
  probe(signal: AbortSignal): Promise<{ readonly problem: string | null }>;
  close(): Promise<void>;
}

/** How long and how much a model may do; every one of them ends something. */
export interface ModelLimits {
  /** One call to one model, its retries included. */
  readonly callMs: number;
  /** Between two pieces of a streamed answer. */
  readonly idleMs: number;
  /** Text of an answer. */
  readonly maxAnswerBytes: number;
  /** What goes over the wire for it; each piece of a stream is wrapped in a few hundred bytes. */
  readonly maxWireBytes: number;
  /** Tries of one model, the first included. */
  readonly attempts: number;
  /** Before the second try; each further wait is twice as long. */
  readonly retryDelayMs: number;
  /** A model that wants to be left alone for longer than this is not waited for. */
  readonly maxRetryDelayMs: number;
  /** A model that is down is asked after all others for this long. */
  readonly coolDownMs: number;
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  /** Whether a model is there is found out within this time. */
  readonly probeMs: number;
  /** What was found on this machine is believed for this long. */
  readonly detectionMs: number;
}

export const defaultModelLimits: ModelLimits = {
  callMs: 60_000,
  idleMs: 30_000,
  maxAnswerBytes: 4_194_304,
  maxWireBytes: 268_435_456,
  attempts: 3,
  retryDelayMs: 500,
  maxRetryDelayMs: 20_000,
  coolDownMs: 30_000,
  maxConcurrent: 4,
  maxWaiting: 1_000,
  probeMs: 3_000,
  detectionMs: 60_000,
};
