import { z } from 'zod';
import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { Resolved } from '../engine/activity-data.ts';
import type { RunOutcome } from '../interpret/index.ts';

const place = z.array(z.union([z.string(), z.number()]));
const held = z.union([
  // A part of a text may be a list or an object that has holes itself.
  z.strictObject({
    value: z.json(),
    get holes() {
      return z.array(hole).exactOptional();
    },
  }),
  z.strictObject({
    artifact: z.object({ id: z.string(), bytes: z.number(), mediaType: z.string() }),
    path: place,
  }),
]);
const hole = z.strictObject({ at: place, parts: z.array(z.union([z.string(), held])) });

const storedOutcome = z.union([
  z.object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
  z.object({
    output: z.object({ value: z.json(), holes: z.array(hole).exactOptional() }),
  }),
]);

/** What the store keeps of what a run came to: big parts of the output stay in their artifacts. */
export type StoredOutcome = { readonly output: Resolved } | { readonly error: ErrorReport };

export function toStoredOutcome(outcome: RunOutcome): {
  readonly status: 'succeeded' | 'failed';
  readonly outcome: Json;
} {
  const stored: StoredOutcome =
    outcome.kind === 'succeeded' ? { output: outcome.output } : { error: outcome.error };
  // Values of a run came out of JSON, so they go into it again.
  return { status: outcome.kind, outcome: JSON.parse(JSON.stringify(stored)) as Json };
}

/** Undefined where there is none, or none that is understood. */
export function readStoredOutcome(outcome: Json | undefined): StoredOutcome | undefined {
  if (outcome === undefined) return undefined;
  const plain = plainOutput(outcome);
  if (plain) return plain;
  const parsed = storedOutcome.safeParse(outcome);
  return parsed.success ? parsed.data : undefined;
}

/** An output that is all there may be large, and came out of JSON: there is nothing in it to be checked. */
function plainOutput(outcome: Json): StoredOutcome | undefined {
  const output = member(outcome, 'output');
  const value = member(output, 'value');
  const isPlain = value !== undefined && member(output, 'holes') === undefined;
  return isPlain && member(outcome, 'error') === undefined ? { output: { value } } : undefined;
}

function member(value: Json | undefined, name: string): Json | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? value[name] : undefined;
}
