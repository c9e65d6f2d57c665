import { z } from 'zod';
import data from './lexicon.json' with { type: 'json' };

const words = z.string().transform((text) => text.split(',').map((word) => plainForm(word.trim())));
const wordsByName = z.record(z.string(), words);
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
    harm: z.strictObject({
      programs: words,
      acts: words,
      victims: words,
      defence: words,
      inspection: words,
    }),
    about: wordsByName,
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

/** The longest phrase has this many words. */
export const maxPhraseWords = 6;

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

/** The known word that a misspelt one most likely is. */
export function correctSpelling(word: string): string | undefined {
  if (word.length < 4 || !/^[a-z]+$/u.test(word)) return undefined;
  const forms = formsOf(word).filter((form) => form.length > 3);
  return spellable.find((known) => forms.some((form) => isOneSlip(form, known)));
}

/** One letter too many, missing or wrong, or two swapped; the first letter is right. */
function isOneSlip(a: string, b: string): boolean {
  const isSwappedStart = a[0] === b[1] && a[1] === b[0];
  if (Math.abs(a.length - b.length) > 1 || (a[0] !== b[0] && !isSwappedStart)) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (a.length > b.length) return restA.slice(1) === restB;
  if (a.length < b.length) return restB.slice(1) === restA;
  const isSwapped =
    restA[1] === restB[0] && restA[0] === restB[1] && restA.slice(2) === restB.slice(2);
  return isSwapped || (a.length > 4 && restA.slice(1) === restB.slice(1));
}

const endings: readonly (readonly [string, ...(readonly string[])])[] = [
  ['ies', 'y'],
  ['es', '', 'e'],
  ['s', ''],
  ['ing', '', 'e'],
  ['ied', 'y'],
  ['ed', '', 'e'],
  ["'s", ''],
];
/** Spanish and Italian verbs carry the pronoun: "revisalo", "testala". */
const pronounEndings = ['la', 'lo', 'las', 'los'] as const;

/** The word as it is, then without an ending. */
export function formsOf(word: string): readonly string[] {
  const cut = (ending: string, ...replacements: readonly string[]): readonly string[] => {
    if (!word.endsWith(ending) || word.length - ending.length < 3) return [];
    const base = word.slice(0, -ending.length);
    const isDoubled = /([b-df-hj-np-tv-z])\1$/.test(base) && ending !== 's';
    return [...replacements.map((one) => base + one), ...(isDoubled ? [base.slice(0, -1)] : [])];
  };
  const pronouns = word.length > 5 ? pronounEndings.flatMap((ending) => cut(ending, '')) : [];
  return [word, ...endings.flatMap(([ending, ...others]) => cut(ending, ...others)), ...pronouns];
}

/** Lower case, without accents, with plain apostrophes. */
export function plainForm(text: string): string {
  const lower = text.toLowerCase().replaceAll('ß', 'ss').normalize('NFD');
  return lower.replaceAll(/\p{M}/gu, '').replaceAll(/[’‘`´]/g, "'");
}

/** One form for all of a word, to compare words that no concept stands for. */
export function stemOf(word: string): string {
  return formsOf(word).at(-1) ?? word;
}
