import { z } from 'zod';
import { findJson, type FindOptions } from './find-json.ts';

export type Fitting<Value> =
  | { readonly kind: 'fits'; readonly value: Value }
  /** What is wrong, in words that the model can do something about. */
  | { readonly kind: 'unfit'; readonly problem: string };

const maxProblemLength = 1_500;
const maxMembers = 8;

/** The first value in the text that fits the schema, as it is or unwrapped from one layer around it. */
export function fitAnswer<Value>(
  text: string,
  schema: z.ZodType<Value>,
  options: FindOptions,
): Fitting<Value> {
  const found = findJson(text, options);
  let nearest: { readonly problem: string; readonly issues: number } | undefined;
  for (const candidate of found.flatMap(unwrapped)) {
    const fitted = check(schema, candidate);
    if (fitted.kind === 'fits') return { kind: 'fits', value: fitted.value };
    if (nearest === undefined || fitted.issues < nearest.issues) nearest = fitted;
  }
  if (nearest !== undefined) return { kind: 'unfit', problem: nearest.problem };
  const hasBegun = /[{[]/.test(text);
  const problem = hasBegun ? 'The JSON in it is broken or cut off.' : 'There is no JSON in it.';
  return { kind: 'unfit', problem };
}

function check<Value>(
  schema: z.ZodType<Value>,
  candidate: unknown,
): Fitting<Value> & { readonly issues: number } {
  try {
    const parsed = schema.safeParse(candidate);
    if (parsed.success) return { kind: 'fits', value: parsed.data, issues: 0 };
    const problem = z.prettifyError(parsed.error).slice(0, maxProblemLength);
    return { kind: 'unfit', problem, issues: parsed.error.issues.length };
  } catch (error) {
    // A schema that refers to itself goes as deep as the value does.
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'unfit', problem: 'It is nested too deeply.', issues: Infinity };
  }
}

/** The value, and what models like to wrap: `[value]`, `{"answer": value}`, a text with JSON in it. */
function unwrapped(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (members.length > maxMembers || (Array.isArray(value) && members.length > 1)) return [value];
  return [value, ...members.flatMap(asStructure)];
}

function asStructure(member: unknown): readonly unknown[] {
  if (typeof member === 'object' && member !== null) return [member];
  if (typeof member !== 'string' || !/^\s{0,9}[{[]/.test(member)) return [];
  return findJson(member, { mayClose: false });
}
