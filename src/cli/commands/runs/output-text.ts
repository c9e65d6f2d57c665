import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../contract/plan/index.ts';
import type { RunView } from '../../../contract/run/index.ts';

/** The output of a run for people: what tools said of their results, and values as text. */
export async function outputText({ steps, output }: RunView): Promise<string> {
  if (output === undefined) return '';
  const results: Readonly<Record<string, Json>> = isObject(output) ? output : {};
  const parts = Object.entries(results).map(([name, result]) => {
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
    const said = isDeepStrictEqual(step?.output, result) ? step?.text?.trimEnd() : undefined;
    return { said, value: { [name]: result } };
  });
  if (parts.every(({ said }) => said === undefined)) return valueText(output);
  const texts = parts.map(async ({ said, value }) => said ?? (await valueText(value)));
  return (await Promise.all(texts)).join('\n\n');
}

/** A text as it is; all else as YAML, in which the lines of a text stay lines. */
export async function valueText(value: Json): Promise<string> {
  if (typeof value === 'string') return value;
  const { stringify } = await import('yaml');
  const layout = { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false } as const;
  return stringify(value, layout).trimEnd();
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
