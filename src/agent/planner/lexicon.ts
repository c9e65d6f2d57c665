import { z } from 'zod';
import { editDistance, formsOf, plainForm } from '../../kernel/index.ts';
import data from './lexicon.json' with { type: 'json' };

const words = z.string().transform((text) => text.split(',').map((word) => plainForm(word.trim())));
const wordsByName = z.record(z.string(), words);
const phrases = z.array(z.string());
/** Questions about Tutti itself, which are answered without a plan. */
const topics = [
  'capabilities',
  'runs',
  'failure',
  'servers',
  'model',
  'addServer',
  'greeting',
  'key',
  'data',
  'version',
  'client',
] as const;
export type AboutTopic = (typeof topics)[number];
const nameTables = [
  'languages',
  'frameworks',
  'testFrameworks',
  'styleGuides',
  'focusAreas',
  'times',
] as const;

/** General knowledge of words, without the name of any tool. */
export const lexicon = z
  .strictObject({
    /** Meanings, each with the verbs and the nouns that stand for it. */
    concepts: z.record(
      z.string(),
      z.strictObject({ verbs: words.optional(), nouns: words.optional() }),
    ),
    /** Words by what they do in a sentence. */
    classes: wordsByName,
    /** Names that become values of arguments, with how people write them. */
    names: z.record(z.enum(nameTables), wordsByName),
    /** What an argument of a tool holds, by the names such arguments have. */
    fieldRoles: wordsByName,
    /** What a result holds, by the names of its members. */
    outputs: wordsByName,
    /** Regular expressions for lines of code. */
    codeLines: z.array(z.string()),
    /** Example phrases for what is no tool's. */
    phrases: z.strictObject({
      topics: z.record(z.enum(topics), phrases),
      work: phrases,
      explain: phrases,
      outside: phrases,
      vague: phrases,
      harmful: phrases,
      harmless: phrases,
    }),
  })
  .parse(data);

/** All that one word or phrase may stand for. */
export interface Meaning {
  readonly verbs: readonly string[];
  readonly nouns: readonly string[];
  /** By what it does in a sentence, as `classes` in the data names it. */
  readonly classes: ReadonlySet<string>;
  readonly names: Readonly<Partial<Record<(typeof nameTables)[number], string>>>;
}

const meanings = new Map<string, Meaning>();

function learn(phrase: string, more: Partial<Meaning>): void {
  const known = meanings.get(phrase);
  meanings.set(phrase, {
    verbs: [...(known?.verbs ?? []), ...(more.verbs ?? [])],
    nouns: [...(known?.nouns ?? []), ...(more.nouns ?? [])],
    classes: new Set([...(known?.classes ?? []), ...(more.classes ?? [])]),
    names: { ...more.names, ...known?.names },
  });
}

for (const [id, { verbs = [], nouns = [] }] of Object.entries(lexicon.concepts)) {
  for (const verb of verbs) learn(verb, { verbs: [id] });
  for (const noun of nouns) learn(noun, { nouns: [id] });
}
for (const [name, phrases] of Object.entries(lexicon.classes))
  for (const phrase of phrases) learn(phrase, { classes: new Set([name]) });
for (const table of nameTables) {
  // Who names a test framework speaks of tests.
  const nouns = table === 'testFrameworks' ? ['tests'] : [];
  for (const [name, spellings] of Object.entries(lexicon.names[table]))
    for (const spelling of spellings) learn(spelling, { names: { [table]: name }, nouns });
}

/** How many words the longest phrase has that begins with a word. */
const longestFrom = new Map<string, number>();
for (const phrase of meanings.keys()) {
  const [first = '', ...others] = phrase.split(' ');
  longestFrom.set(first, Math.max(longestFrom.get(first) ?? 1, others.length + 1));
}

export function maxPhraseWords(first: string): number {
  return longestFrom.get(first) ?? 1;
}

/** What a phrase means, with English endings taken off where the whole word stands for no deed and no object. */
export function lookUp(phrase: string): Meaning | undefined {
  const [found, ...others] = formsOf(phrase).flatMap((form) => meanings.get(form) ?? []);
  const isConcept = ({ verbs, nouns }: Meaning): boolean => verbs.length + nouns.length > 0;
  if (!found || isConcept(found)) return found;
  const { verbs, nouns } = others.find(isConcept) ?? found;
  return { ...found, verbs, nouns };
}

/** Words that say what is wanted; others are not worth a guess. */
const spellable = [...meanings]
  .filter(([word, { verbs, nouns }]) => /^[a-z]{4,}$/.test(word) && verbs.length + nouns.length > 0)
  .map(([word]) => word);

/** The known word that a misspelt one most likely is: one slip, and not in the first letter. */
export function correctSpelling(word: string): string | undefined {
  const forms = formsOf(word).filter((form) => /^[a-z]{4,}$/u.test(form));
  const isMeant = (form: string, known: string): boolean =>
    form[0] === known[0] &&
    Math.abs(form.length - known.length) < 2 &&
    editDistance(form, known) === 1;
  return spellable.find((known) => forms.some((form) => isMeant(form, known)));
}
