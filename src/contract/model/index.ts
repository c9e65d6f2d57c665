import type { z } from 'zod';
import type { Caller } from '../caller/index.ts';
import type { ClientPort } from '../server/index.ts';
import type { JsonSchema } from '../tool/index.ts';

/** What a model is asked for: `code` writes programs and tests, `agent` understands, plans and answers. */
export type ModelRole = 'code' | 'agent';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxOutputTokens?: number;
  /** The setting decides when not given. */
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
}

/** A request for JSON of a shape; the name describes it to the model. */
export interface StructuredRequest<Value> extends ModelRequest {
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /** As it goes to the model; made of `schema` when not given. */
  readonly jsonSchema?: JsonSchema;
}

/** On whose behalf, and within which limits, a model is asked. */
export interface ModelCall {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** The client whose own model is asked where none is configured (MCP sampling). */
  readonly client?: ClientPort;
  /** What the tokens are counted against: `run:ID`, `session:ID`, `task:ID`. A used-up budget ends the call. */
  readonly budgets?: readonly string[];
  /** What the tokens are counted against besides, each with its own limit. */
  readonly limits?: readonly ModelLimit[];
  /** Pieces of the answer as they arrive; a retry starts anew and calls `onRestart`. */
  readonly onText?: (piece: string) => void;
  readonly onRestart?: () => void;
}

/** A scope of its own with what all calls that name it may use; a missing limit is none. */
export interface ModelLimit {
  readonly scope: string;
  readonly tokens?: number;
  readonly usd?: number;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The model did not say, so they were estimated. */
  readonly isEstimated: boolean;
  /** US dollars; null where the price is not known. */
  readonly costUsd: number | null;
}

export interface ModelText {
  readonly text: string;
  /** `length`: it was cut off at the limit. */
  readonly finish: 'stop' | 'length' | 'filtered' | 'other';
  /** Which model answered, as `tutti models` names it. */
  readonly model: string;
  readonly usage: ModelUsage;
}

export interface ModelValue<Value> {
  readonly value: Value;
  readonly model: string;
  readonly usage: ModelUsage;
  /** 2 when the first answer had to be repaired. */
  readonly attempts: number;
}

/** Language models. Errors have codes `models.…`. */
export interface Models {
  /** The model that would be asked first; null when there is none: say so, and do without. */
  find(role: ModelRole, client?: ClientPort): Promise<ModelDescription | null>;
  /** Retries, changes over to the next model, and ends within its time limit. */
  text(role: ModelRole, request: ModelRequest, call: ModelCall): Promise<ModelText>;
  /**
   * A value that fits the schema, from whatever the model wrapped it in, with one repair round. Throws
   * `models.unusable_answer`, which names the artifact that holds what the model said.
   */
  structured<Value>(
    role: ModelRole,
    request: StructuredRequest<Value>,
    call: ModelCall,
  ): Promise<ModelValue<Value>>;
  /** About how many tokens a text is; never less than most tokenizers make of it. */
  countTokens(text: string): number;
  /** Every model that is configured or was found on this machine, and how it does. */
  list(): Promise<readonly ModelDescription[]>;
  /** Counts what `child` uses against `parent`, too: a run of a session. */
  linkBudgets(caller: Caller, child: string, parent: string): Promise<void>;
  close(): Promise<void>;
}

/** How a model is asked. */
export type ModelProvider =
  | 'openai'
  | 'anthropic'
  | 'ollama'
  | 'llama-server'
  | 'chat'
  | 'gguf'
  | 'client';

export interface ModelDescription {
  /** `ollama/qwen2.5-coder:7b`; the name in the settings and the model's own. */
  readonly name: string;
  /** Null where the settings ask for a model that is nowhere. */
  readonly provider: ModelProvider | null;
  readonly model: string | null;
  readonly url: string | null;
  readonly source: 'configured' | 'detected' | 'client';
  /** The roles it serves, and its place in each: 1 is asked first. */
  readonly roles: Readonly<Partial<Record<ModelRole, number>>>;
  readonly contextTokens: number | null;
  readonly isReachable: boolean;
  /** Why it is not, and what to do. */
  readonly problem?: string;
}

/** A program on this machine that serves models, found on one of their usual ports. */
export interface LocalModel {
  /** `ollama`: what usually listens there. */
  readonly name: string;
  readonly url: string;
  /** The user account that runs it, for programs: `uid:1000`, `unknown`. */
  readonly owner: string;
  /** The same for people. */
  readonly ownerText: string;
  /** Names of its models, which it chose itself. */
  readonly models: readonly string[];
  /** Null before the user decided, and again once another user of the machine runs it. */
  readonly isAccepted: boolean | null;
}

/** Found models are not asked before the user accepts them: anyone on the machine may listen on those ports. */
export interface LocalModels {
  /** Whether one is looked for: no model is configured, and looking is not switched off. */
  readonly isNeeded: boolean;
  find(): Promise<readonly LocalModel[]>;
  decide(model: LocalModel, isAccepted: boolean): Promise<void>;
}

/** Where a call carries what its tokens count against: `_meta[budgetsMetaKey]: string[]`. */
export const budgetsMetaKey = 'tutti/budgets';
