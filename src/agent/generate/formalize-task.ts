import { z } from 'zod';
import {
  formalizedTaskSchema,
  type FormalizedTask,
  type Generation,
} from '../../contract/generation/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { askModel } from './ask-model.ts';
import { howToConnect, NoModelError } from './errors.ts';
import { hasModel, type GenerationContext } from './generation-context.ts';

const { formalized_description, requirements, steps, estimated_complexity } =
  formalizedTaskSchema.shape;
const answerSchema = z.object({
  formalized_description,
  requirements,
  steps,
  estimated_complexity,
});

/** An informal request as a task with requirements and steps. */
export async function formalizeTask(
  generation: GenerationContext,
  input: Parameters<Generation['formalizeTask']>[0],
  context: CallContext,
): Promise<FormalizedTask> {
  if (!(await hasModel(generation, context))) {
    if (!generation.scaffolds) throw new NoModelError('Formalizing a task');
    const task = await generation.scaffolds.formalize(input);
    const notice = `Made of the words of the request alone. ${howToConnect}`;
    return { ...task, origin: 'template', model: null, notice };
  }
  const { value, model } = await askModel(
    generation.models,
    {
      prompt: 'formalize-task',
      values: { ...input, context: input.context || '(none)' },
      name: 'formalized_task',
      schema: answerSchema,
    },
    { limits: generation.limits, context },
  );
  return { ...value, origin: 'model', model };
}
