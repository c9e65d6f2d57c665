import type { Json } from '../../../contract/plan/index.ts';
import { nearest } from '../../../kernel/index.ts';
import { UsageError } from '../../errors.ts';
import { type Invocation, textOption } from '../../invocation.ts';
import type { Io } from '../../io.ts';
import { parseJsonObject, readInput } from '../../read-input.ts';
import { type Pair, parsePairs, toolArguments } from '../../tool-arguments.ts';

/** What the options `--input` and `--inputs-file` give. */
export interface GivenInputs {
  readonly pairs: readonly Pair[];
  readonly values: Readonly<Record<string, Json>>;
}

export async function readGivenInputs(invocation: Invocation): Promise<GivenInputs> {
  const { io, options } = invocation;
  const words: unknown = options['input'];
  const pairs = await parsePairs(Array.isArray(words) ? words.map(String) : [], io);
  const file = textOption(invocation, 'inputsFile');
  const values =
    file === undefined ? {} : parseJsonObject('--inputs-file', await readInput(file, io));
  return { pairs, values };
}

/** Inputs as what their schemas say they are; `--input` beats the file. */
export function typedInputs(
  { pairs, values }: GivenInputs,
  schemas: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Json>> {
  for (const { name } of pairs) {
    if (Object.hasOwn(schemas, name)) continue;
    const known = Object.keys(schemas);
    const meant = nearest(name, known);
    const hint =
      meant === undefined
        ? known.length === 0
          ? 'It takes none'
          : `It has ${known.join(', ')}`
        : `Did you mean "${meant}"?`;
    throw new UsageError(`The plan has no input "${name}". ${hint}`);
  }
  const typed = toolArguments({ type: 'object', properties: schemas }, pairs);
  // Made of texts and what `JSON.parse` gave.
  return { ...values, ...(typed as Readonly<Record<string, Json>>) };
}

/** Schemas inferred from the input values of an earlier run. */
export function schemasOf(
  values: Readonly<Record<string, Json>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { enum: [value] }]),
  );
}

/** A word that is JSON, else a text; `-` and `@FILE` take it from standard input or a file. */
export async function looseJson(word: string, io: Io): Promise<Json> {
  const isRead = word === '-' || word.startsWith('@');
  const text = isRead ? await readInput(word.replace(/^@/, ''), io) : word;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
