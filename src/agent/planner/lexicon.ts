import { editDistance, formsOf, plainForm } from '../../kernel/index.ts';
import data from './lexicon.json' with { type: 'json' };

/** What none of our tools does, with requests for what helps instead: FILE, FOLDER or PATH is what the message names. */
export interface Elsewhere {
  readonly answer: string;
  readonly offers?: readonly string[];
}

/** Questions about Tutti itself, which are answered without a plan. */
export type AboutTopic = keyof typeof data.phrases.topics;
type NameTable = keyof typeof data.names;

const values = data.values.map((pattern) => new RegExp(withParts(withParts(pattern)), 'dgiu'));

/** General knowledge of words, without the name of any tool. */
export const lexicon = {
  /** What an argument of a tool holds, by the names such arguments have. */
  fieldRoles: readTable(data.fieldRoles),
  /** The same by how the description of an argument begins, which goes before its name. */
  saidRoles: Object.entries(data.saidRoles).map(([to, by]) => [to, new RegExp(by, 'iu')] as const),
  /** What a result holds, by the names of its members. */
  outputs: readTable(data.outputs),
  /** Questions by what is missing, and refusals. */
  answers: data.answers,
  /** Regular expressions for values of arguments, in groups named after the roles of the arguments. */
  values,
  /** Those of names and texts, which are not read as words, whatever else they may mean. */
  literals: values.filter(({ source }) =>
    /<(?:either|name|find|replacement|setting|args|filter|message|content|addition)>/u.test(source),
  ),
  /** Words without which a few others are no request for harm. */
  signsOfHarm: new Set(readList(data.signsOfHarm)),
  /** A request to fix something without a verb for it: "make the tests pass". */
  asksToFix: new RegExp(data.asksToFix, 'iu'),
  numbers: readList(data.numbers),
  /** Example phrases for what is no tool's. */
  phrases: data.phrases,
  /** What other programs and servers do, with an answer that says which: a tool in the catalogue goes first. */
  elsewhere: new Map<string, Elsewhere & { readonly phrases: readonly string[] }>(
    Object.entries(data.elsewhere),
  ),
  /** Only a model does it. */
  explain: data.explain,
};

/** Parts in capitals stand for themselves or for others. */
function withParts(pattern: string): string {
  const parts = new Map(Object.entries(data.valueParts));
  return pattern.replaceAll(/[A-Z]{3,}/gu, (name) => parts.get(name) ?? name);
}

function readTable(table: Readonly<Record<string, string>>) {
  return new Map(Object.entries(table).map(([name, text]) => [name, readList(text)]));
}

function readList(text = ''): readonly string[] {
  return text.split(',').flatMap((word) => plainForm(word.trim()) || []);
}

/** All that one word or phrase may stand for. */
export interface Meaning {
  readonly verbs: readonly string[];
  readonly nouns: readonly string[];
  /** By what it does in a sentence, as `classes` in the data names it. */
  readonly classes: ReadonlySet<string>;
  /** Values of arguments, by the table that lists them. */
  readonly names: Readonly<Partial<Record<NameTable, string>>>;
}

const meanings = new Map<string, Meaning>();
const longestFrom = new Map<string, number>();

function learn(phrase: string, more: Partial<Meaning>): void {
  const known = meanings.get(phrase);
  meanings.set(phrase, {
    verbs: [...(known?.verbs ?? []), ...(more.verbs ?? [])],
    nouns: [...(known?.nouns ?? []), ...(more.nouns ?? [])],
    classes: new Set([...(known?.classes ?? []), ...(more.classes ?? [])]),
    names: { ...more.names, ...known?.names },
  });
  const [first = '', ...others] = phrase.split(' ');
  longestFrom.set(first, Math.max(maxPhraseWords(first), others.length + 1));
}

const concepts: Readonly<Record<string, { verbs?: string; nouns?: string }>> = data.concepts;
for (const [id, { verbs, nouns }] of Object.entries(concepts)) {
  for (const verb of readList(verbs)) learn(verb, { verbs: [id] });
  for (const noun of readList(nouns)) learn(noun, { nouns: [id] });
}
for (const [name, phrases] of readTable(data.classes))
  for (const phrase of phrases) learn(phrase, { classes: new Set([name]) });
const nounOf = readTable(data.nounOf);
for (const [table, entries] of Object.entries(data.names))
  for (const [name, spellings] of readTable(entries))
    // The name of a test framework speaks of tests.
    for (const spelling of spellings)
      learn(spelling, { names: { [table]: name }, nouns: nounOf.get(table) ?? [] });

/** How many words the longest phrase has that begins with a word. */
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

/** The language of a file, by the ending of its name. */
export function languageOf(path = ''): string | undefined {
  return lookUp(/\.\w+$/u.exec(path.toLowerCase())?.[0] ?? '')?.names.languages;
}

const minSpelledLetters = 6;

/** The known word that a misspelt one most likely is: one slip, and not in the first letter. */
export function correctSpelling(word: string): string | undefined {
  const forms = formsOf(word).filter(({ length }) => length >= minSpelledLetters);
  const isMeant = (known: string): boolean =>
    known.length >= minSpelledLetters &&
    forms.some((form) => form[0] === known[0] && editDistance(form, known) === 1);
  return forms.length === 0 ? undefined : [...meanings.keys()].find(isMeant);
}
