import type { JsonSchema } from '../contract/tool/index.ts';

/** A part of a JSON Schema, of which nothing is certain. */
export type SchemaPart = Readonly<Record<string, unknown>>;

/** Anything as an object whose members may be asked for. */
export function recordOf(value: unknown): SchemaPart {
  return Object(value);
}

/** `#/$defs/Name` inside the same document; nothing else is followed. */
export function resolveReference(reference: string, root: JsonSchema): unknown {
  const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  return steps.reduce<unknown>((node, step) => recordOf(node)[step], steps.length > 0 ? root : {});
}
