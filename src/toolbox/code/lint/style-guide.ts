import { z } from 'zod';
import { languages, type Language } from '../language.ts';
import guides from './style-guides.json' with { type: 'json' };

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
  /** The case SQL keywords have; without it only a mixture is reported. */
  keywordCase: z.enum(['upper', 'lower']).optional(),
});

/** A named selection of rules for one language. */
export type StyleGuide = Readonly<z.infer<typeof styleGuideSchema>>;

/** The guides of each language; the first is its default. */
export const styleGuides: Readonly<Record<Language, readonly StyleGuide[]>> = z
  .record(z.enum(languages), z.array(styleGuideSchema))
  .parse(guides);

/** Every name some language knows. */
export const styleGuideNames: readonly string[] = [
  ...new Set(Object.values(styleGuides).flatMap((guides) => guides.map(({ name }) => name))),
];

/** The guide to use: the named one, or the language's default where it has none of that name. */
export function chooseStyleGuide(language: Language, name: string | undefined): StyleGuide {
  const guides = styleGuides[language];
  const chosen = guides.find((guide) => guide.name === name) ?? guides[0];
  if (!chosen) throw new Error(`no style guide for ${language}`);
  return chosen;
}
