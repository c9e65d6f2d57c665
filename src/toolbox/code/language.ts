import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { languages, type Language } from '../../contract/language/index.ts';
import { ownFile } from '../../kernel/index.ts';

export { languages, type Language } from '../../contract/language/index.ts';

const words = z.array(z.string()).readonly();

const styleGuideSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  /** Replaces the configured line length. */
  lineLength: z.int().optional(),
  /** Opt-in rules it turns on (for Python: Ruff codes or prefixes). */
  adds: words.optional(),
  /** Rules it turns off. */
  drops: words.optional(),
  docstrings: z.enum(['google', 'numpy', 'pep257']).optional(),
  /** The case of SQL keywords; without it only a mixture is reported. */
  keywordCase: z.enum(['upper', 'lower']).optional(),
});

/** A named selection of rules for one language. */
export type StyleGuide = Readonly<z.infer<typeof styleGuideSchema>>;

const profileSchema = z.strictObject({
  /** Endings of file names. */
  endings: words,
  /** Pattern of the programs that a first line such as `#!/usr/bin/env python3` names. */
  interpreter: z.string().optional(),
  /** The package that lints it; `tutti` runs the queries or patterns of its `lint.yaml`. */
  linter: z.enum(['ruff', 'eslint', 'stylelint', 'html-validate', 'tutti']),
  /** False where the linter counts columns itself, or no guide sets a limit. */
  lineLength: z.literal(false).optional(),
  /** The first is the default. */
  styleGuides: z.tuple([styleGuideSchema], styleGuideSchema),
});

export type LanguageProfile = Readonly<z.infer<typeof profileSchema>>;

/** Data files do not change while the program runs: each is parsed once. */
const parsed = new Map<string, unknown>();

/** A data file of a language, from its folder in `languages/`. */
export function readLanguageData<Schema extends z.ZodType>(
  language: Language,
  file: string,
  schema: Schema,
): z.output<Schema> {
  const path = `toolbox/code/languages/${language}/${file}`;
  if (!parsed.has(path)) {
    const text = readFileSync(ownFile(path), 'utf8');
    const content: unknown = file.endsWith('.json')
      ? JSON.parse(text)
      : parse(text, { merge: true });
    parsed.set(path, schema.parse(content));
  }
  // One file is always read with one schema.
  return parsed.get(path) as z.output<Schema>;
}

export function profileOf(language: Language): LanguageProfile {
  return readLanguageData(language, 'language.json', profileSchema);
}

/** The language of a file by its ending, if it is one of ours. */
export function languageOfPath(path: string): Language | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return languages.find((language) => profileOf(language).endings.includes(ending));
}

const otherKindsSchema = z.strictObject({
  code: z.record(z.string(), words),
  text: z.record(z.string(), words),
});

const maxEndingLength = 6;

let otherKinds: z.infer<typeof otherKindsSchema> | undefined;

/** What a file of none of our languages is by its name; `isCode`: a review of its folder would be expected to read it. */
export function otherKindOf(
  path: string,
): { readonly name: string; readonly isCode: boolean } | undefined {
  otherKinds ??= otherKindsSchema.parse(
    JSON.parse(readFileSync(ownFile('toolbox/code/other-kinds.json'), 'utf8')),
  );
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const [first = '', ...others] = file.split('.');
  // A long name says it with any ending: Dockerfile.dev.
  const parts = [others.at(-1) ?? first, first.length > maxEndingLength ? first : ''];
  for (const [group, kinds] of Object.entries(otherKinds)) {
    const name = Object.keys(kinds).find((kind) =>
      parts.some((part) => kinds[kind]?.includes(part)),
    );
    if (name !== undefined) return { name, isCode: group === 'code' };
  }
  return undefined;
}

/** Endings of the files a folder is searched for when it is given as a whole. */
export function knownEndings(): readonly string[] {
  return languages.flatMap((language) => profileOf(language).endings);
}

/** The names of the style guides of all languages. */
export function styleGuideNames(): readonly string[] {
  const guides = languages.flatMap((language) => profileOf(language).styleGuides);
  return [...new Set(guides.map(({ name }) => name))];
}

/** The guide to use: the named one, or the language's default where it has none of that name. */
export function chooseStyleGuide(language: Language, name: string | undefined): StyleGuide {
  const { styleGuides } = profileOf(language);
  return styleGuides.find((guide) => guide.name === name) ?? styleGuides[0];
}
