import { z } from 'zod';
import { formalizedTaskSchema, type Generation } from '../../../contract/generation/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { generatingAnnotations, maxDescription } from './generating.ts';

/** `formalize_task`: an informal request as a task with requirements and steps. */
export function formalizeTaskTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    name: 'formalize_task',
    title: 'Formalize a task',
    description:
      'Turns an informal request into a task for a programmer: one description, checkable requirements, steps in order and an ' +
      'estimate of its complexity. Written by a model; without one, made of the words of the request and labelled so.',
    input: z.object({
      informal_request: z.string().trim().min(1).max(maxDescription).describe('In your own words.'),
      context: z
        .string()
        .max(maxDescription)
        .default('')
        .describe('What else matters: constraints, what exists already.'),
    }),
    output: formalizedTaskSchema,
    annotations: generatingAnnotations,
    examples: [
      'turn this idea into a proper specification',
      'formalize this task: users should be able to reset their password',
      'what exactly are the requirements of this request?',
      'break this feature request down into requirements and steps',
      'write a spec for a booking form',
      'specify a login page',
      'write requirements with acceptance criteria',
      'write user stories for this feature',
      'draft the specification',
      'define the requirements',
      'turn these notes into requirements',
    ],
    run: async (input, call) => (await generation()).formalizeTask(input, call),
    summarize: ({ formalized_description, requirements, steps, estimated_complexity, notice }) =>
      [
        ...(notice === undefined ? [] : [notice, '']),
        formalized_description,
        '',
        ...requirements.map((requirement) => `- ${requirement}`),
        '',
        ...steps.map((step, index) => `${index + 1}. ${step}`),
        '',
        `Complexity: ${estimated_complexity}`,
      ].join('\n'),
  });
}
