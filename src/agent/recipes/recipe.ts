import { z } from 'zod';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const json: z.ZodType<Json> = z.json();
const args = z.record(z.string(), json);

/**
 * A plan for one kind of request. In arguments `{name}` stands for the value that was found in the message, `{name#}` for
 * it as a number; an argument whose value was not found is left out.
 */
const recipeSchema = z.strictObject({
  id: z.string().regex(/^[a-z]+\.[a-z]+$/),
  title: z.string(),
  /** What a message says that asks for it. */
  asks: z.string(),
  /** Said of nothing else, so that missing values are asked for; else one of them must be there. */
  about: z.string(),
  /** Patterns with the group `value`, the first that matches counts. */
  values: z.record(z.string(), z.array(z.string()).min(1)),
  translations: z.record(z.string(), z.record(z.string(), z.string())),
  defaults: z.record(z.string(), z.string()),
  /** Values that are needed, with the question for each. */
  questions: z.record(z.string(), z.string()),
  /** A call that says before what the plan would take, and whether it is possible. */
  preview: z
    .strictObject({
      tool: z.string(),
      args,
      /** Fields of its result: reasons against the plan, and lines to show. */
      refusals: z.string().exactOptional(),
      facts: z.string().exactOptional(),
      /** Where this field has this value, something is missing. */
      absent: z
        .strictObject({ field: z.string(), value: z.string(), question: z.string() })
        .exactOptional(),
      questionsByError: z.record(z.string(), z.string()),
    })
    .exactOptional(),
  steps: z.array(
    z.strictObject({
      id: z.string(),
      tool: z.string(),
      args,
      when: z.string().exactOptional(),
      /** Only with, only without a value. */
      if: z.string().exactOptional(),
      unless: z.string().exactOptional(),
    }),
  ),
});

export type Recipe = Readonly<z.output<typeof recipeSchema>>;
export type RecipeJson = Json;

export const recipesSchema = z.array(recipeSchema);
