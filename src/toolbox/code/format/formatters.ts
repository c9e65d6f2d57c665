import { z } from 'zod';
import { lookupTable } from '../../../kernel/index.ts';
import { languages, type Language } from '../language.ts';
import formatters from './formatters.json' with { type: 'json' };

const tableSchema = z.record(z.string(), z.string()).transform((table) => lookupTable(table));
const data = z
  .strictObject({
    names: z.record(z.enum(languages), z.array(z.string())),
    differences: tableSchema,
    spellings: tableSchema,
  })
  .parse(formatters);

/**
 * The names users know, per language, the default first. A name whose program is not aboard is
 * carried out by the language's engine; what then differs is said in the result.
 */
export const formatterNames: Readonly<Record<Language, readonly string[]>> = data.names;

export type FormatterChoice =
  | { readonly kind: 'chosen'; readonly formatter: string; readonly note: string | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unfit'; readonly canDo: readonly Language[] };

/** The formatter for a language: the one named, in any spelling of it, or the language's default. */
export function chooseFormatter(name: string | undefined, language: Language): FormatterChoice {
  const names = formatterNames[language];
  const formatter = name === undefined ? (names[0] ?? '') : normalise(name);
  if (names.includes(formatter)) {
    return { kind: 'chosen', formatter, note: data.differences[formatter] };
  }
  const canDo = languages.filter((other) => formatterNames[other].includes(formatter));
  return canDo.length === 0 ? { kind: 'unknown' } : { kind: 'unfit', canDo };
}

function normalise(name: string): string {
  const lower = name.trim().toLowerCase();
  const dashed = lower.replaceAll('_', '-');
  return data.spellings[lower] ?? data.spellings[dashed] ?? dashed;
}
