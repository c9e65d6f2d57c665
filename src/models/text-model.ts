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
  /** What the model says to itself, where it tells: tokens that count and are not shown. */
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
