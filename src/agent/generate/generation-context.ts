import { AppError } from '../../kernel/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import type { CodeModels, ModelLimits } from './ask-model.ts';
import type { Scaffolds } from './scaffolds.ts';
import type { Checks } from './verify/verify-code.ts';

/** What the four ways of generating share. */
export interface GenerationContext extends Checks {
  readonly models: CodeModels;
  readonly limits: ModelLimits;
  /** How often failures go back to the model. */
  readonly maxRepairs: number;
  readonly scaffolds: Scaffolds | undefined;
}

/** Whether a model is there to be asked. */
export async function hasModel(
  { models }: GenerationContext,
  { client }: CallContext,
): Promise<boolean> {
  return (await models.find('code', client)) !== null;
}

/**
 * What another attempt gave. A model that cannot be asked again ends the attempts, not the call: what it gave
 * before is still worth having, with a note.
 */
export async function tryAgain<Value>(
  ask: () => Promise<Value>,
  { signal }: CallContext,
): Promise<{ readonly value: Value } | { readonly problem: string }> {
  try {
    return { value: await ask() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { problem: `It was not repaired further: ${error.message}` };
  }
}
