import type { Json } from '../../contract/plan/index.ts';
import type { CompiledPlan } from '../plan/index.ts';
import { inputType } from './plan-types.ts';
import { fitValue } from './schema/fit-value.ts';
import { show, showPath, Effort, isRecord, nodeOf } from './schema/schema-node.ts';
import { createPatternTest } from './schema/test-pattern.ts';
import { ownStep, type Checking } from './step-place.ts';

const typeNames = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** What a plan declares under `input`: schemas that can be read, and defaults that fit them. */
export function checkDeclarations({ plan }: CompiledPlan, checking: Checking): void {
  for (const [name, schema] of Object.entries(plan.input ?? {})) {
    const at = [...checking.at, 'input', name];
    const step = ownStep(checking);
    for (const { path, message } of badKeywords(schema)) {
      checking.report({
        step,
        at: [...at, ...path],
        code: 'plan.invalid_schema',
        message: `The schema of input "${name}" cannot be used: ${message}`,
      });
    }
    if (schema['default'] === undefined) continue;
    const fitting = { effort: new Effort(), testPattern: checking.testPattern };
    for (const mismatch of fitValue(schema['default'], nodeOf(schema, schema), fitting)) {
      const inner = mismatch.at.length > 0 ? ` ("${showPath(mismatch.at)}")` : '';
      checking.report({
        step,
        at: [...at, 'default', ...mismatch.at],
        code: 'plan.invalid_default',
        message: `The default of input "${name}"${inner} ${mismatch.message}`,
      });
    }
  }
}

interface BadKeyword {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const maxParts = 1_000;

/** Keywords whose values JSON Schema does not allow, as far as mistakes with them are common. */
function badKeywords(schema: unknown): BadKeyword[] {
  const found: BadKeyword[] = [];
  const left: { part: unknown; path: readonly (string | number)[] }[] = [
    { part: schema, path: [] },
  ];
  for (let next = left.pop(), parts = 0; next && parts < maxParts; next = left.pop(), parts += 1) {
    const { part, path } = next;
    if (!isRecord(part)) {
      if (typeof part !== 'boolean') found.push({ path, message: 'a schema is an object' });
      continue;
    }
    for (const type of [part['type'] ?? []].flat()) {
      if (typeof type === 'string' && typeNames.includes(type)) continue;
      found.push({
        path: [...path, 'type'],
        message: `there is no type ${show(type)}; there are ${typeNames.join(', ')}`,
      });
    }
    if (part['enum'] !== undefined && !Array.isArray(part['enum'])) {
      found.push({ path: [...path, 'enum'], message: '"enum" is a list of values' });
    }
    left.push(
      ...innerParts(part).map((inner) => ({ part: inner.part, path: [...path, ...inner.path] })),
    );
  }
  return found;
}

function innerParts(
  schema: Readonly<Record<string, unknown>>,
): { part: unknown; path: readonly (string | number)[] }[] {
  const { properties, items } = schema;
  return [
    ...(isRecord(properties) ? Object.entries(properties) : []).map(([name, part]) => ({
      part,
      path: ['properties', name],
    })),
    ...(items === undefined ? [] : [{ part: items, path: ['items'] }]),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
      const group = schema[keyword];
      return Array.isArray(group)
        ? group.map((part, index) => ({ part, path: [keyword, index] }))
        : [];
    }),
  ];
}

/** What is wrong with the values a run is to be given, as sentences. */
export function checkInput(
  plan: CompiledPlan,
  input: Readonly<Record<string, Json>>,
): readonly string[] {
  // Most plans declare none and are given none.
  if (plan.plan.input === undefined && Object.keys(input).length === 0) return [];
  const fitting = { effort: new Effort(), testPattern: createPatternTest() };
  return fitValue(input, inputType(plan), fitting).map(({ at, is, message }) => {
    const hint =
      is === 'missing' && at.length === 1 ? `; give it with --input ${String(at[0])}=…` : '';
    return `Input "${showPath(at)}" ${message}${hint}`;
  });
}
