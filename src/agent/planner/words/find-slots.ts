import { numberWords } from './lexicon/slot-words.ts';
import type { Term } from './read-terms.ts';

/** Values that a message names for arguments. */
export interface Slots {
  /** In the order they were named. */
  readonly languages: readonly string[];
  readonly framework?: string;
  readonly testFramework?: string;
  readonly styleGuide?: string;
  readonly coverage?: number;
  readonly lineLength?: number;
  readonly focus: readonly string[];
  readonly emails: readonly string[];
  readonly channels: readonly string[];
  readonly label?: string;
  readonly quotes: readonly string[];
}

const coverageWords =
  /^(?:coverage|cover|percent|prozent|abdeckung|testabdeckung|couverture|cobertura|copertura|per ?cent|covered|line coverage|code coverage|test coverage)$/u;
const widthWords =
  /^(?:columns?|cols?|chars?|characters?|width|wide|zeichen|spalten|caracteres|caratteri|colonnes)$/u;
const lineWords =
  /^(?:line|lines|zeile|zeilen|ligne|lignes|linea|lineas|righe|linhas|long|length)$/u;
const goBefore = new Set([
  'in',
  'to',
  'into',
  'using',
  'with',
  'for',
  'as',
  'and',
  'or',
  'a',
  'the',
  'nach',
  'auf',
  'en',
  'em',
  'su',
  'pour',
  'zu',
  ',',
  'also',
  'again',
]);
const goAfter = new Set([
  'ahead',
  'on',
  'over',
  'from',
  'through',
  'back',
  'ahead and',
  'wrong',
  'to',
  'go ahead',
  'deeper',
  'further',
  'for',
]);

export function findSlots(terms: readonly Term[]): Slots {
  const first = (name: 'framework' | 'testFramework' | 'styleGuide'): string | undefined =>
    terms.find((term, at) => term.slots[name] !== undefined && !isRejected(terms, at))?.slots[name];
  const framework = first('framework');
  const testFramework = first('testFramework');
  const styleGuide = first('styleGuide');
  const coverage = findCoverage(terms);
  const lineLength = findLineLength(terms);
  const label = findLabel(terms);
  return {
    languages: [...new Set(terms.flatMap((_, at) => languageAt(terms, at) ?? []))],
    ...(framework !== undefined && { framework }),
    ...(testFramework !== undefined && { testFramework }),
    ...(styleGuide !== undefined && { styleGuide }),
    ...(coverage !== undefined && { coverage }),
    ...(lineLength !== undefined && { lineLength }),
    ...(label !== undefined && { label }),
    focus: [...new Set(terms.flatMap(({ slots }) => slots.focus ?? []))],
    emails: terms.filter(({ kind }) => kind === 'email').map(({ text }) => text),
    channels: terms.filter(({ kind }) => kind === 'channel').map(({ text }) => text),
    quotes: terms.filter(({ kind }) => kind === 'quote').map(({ text }) => text.slice(1, -1)),
  };
}

/** `Vitest instead of Jest`, `unittest (not pytest)`: what is not to be used. */
function isRejected(terms: readonly Term[], at: number): boolean {
  return terms
    .slice(Math.max(0, at - 2), at)
    .some(({ word }) =>
      [
        'instead of',
        'not',
        'no',
        'rather than',
        'without',
        'than',
        'from',
        'statt',
        'au lieu de',
        'of',
      ].includes(word),
    );
}

/** The language a term names. Names that are also words count only where a language would stand. */
export function languageAt(terms: readonly Term[], at: number): string | undefined {
  const term = terms[at];
  if (!term) return undefined;
  const before = terms[at - 1]?.word ?? '';
  const after = terms[at + 1]?.word ?? '';
  if (term.word === 'go') {
    if (goAfter.has(after) && !(after === 'for' && before === 'in')) return undefined;
    if (goBefore.has(before)) return before === 'to' && term.text === 'go' ? undefined : 'go';
    return term.text === 'Go' &&
      (at > 0 ||
        /^(?:function|program|service|server|worker|code|module|struct|cli|http|package|tool|library)$/u.test(
          after,
        ))
      ? 'go'
      : undefined;
  }
  if (term.word === 'c' || term.word === 'r') {
    const stands =
      /^(?:in|to|plain|for|into|ansi|using|pure)$/u.test(before) ||
      /^(?:function|program|code|library|struct|script)$/u.test(after);
    return stands && term.text === term.text.toUpperCase() ? term.word : undefined;
  }
  return isRejected(terms, at) && before === 'not' ? undefined : term.slots.language;
}

function findCoverage(terms: readonly Term[]): number | undefined {
  const speaks = terms.some(({ word }) => coverageWords.test(word) || word.includes('coverage'));
  for (const [at, term] of terms.entries()) {
    const value = numberOf(term);
    if (value === undefined || value > 100 || value < 1) continue;
    const next = terms[at + 1]?.word ?? '';
    const isPercent =
      term.word.includes('%') ||
      next === '%' ||
      /^(?:percent|prozent|per ?cent|pourcent)$/u.test(next);
    if (isPercent || (speaks && coverageWords.test(next))) return value;
    if (
      speaks &&
      terms.slice(Math.max(0, at - 3), at).some(({ word }) => word.includes('coverage'))
    )
      return value;
  }
  return terms.some(({ word }) => word === 'full coverage' || word === 'full test coverage')
    ? 100
    : undefined;
}

function findLineLength(terms: readonly Term[]): number | undefined {
  for (const [at, term] of terms.entries()) {
    const value = numberOf(term);
    if (value === undefined || value < 40 || value > 400 || term.word.includes('%')) continue;
    const near = terms.slice(Math.max(0, at - 7), at + 3);
    const isWidth = near.slice(-2).some(({ word }) => widthWords.test(word));
    const isLine = near.some(({ word }) => lineWords.test(word) || word.includes('line'));
    const isPercent = terms[at + 1]?.word === 'percent' || terms[at + 1]?.word === '%';
    if (!isPercent && (isWidth || isLine)) return value;
  }
  return undefined;
}

function numberOf(term: Term): number | undefined {
  if (Object.hasOwn(numberWords, term.word)) return numberWords[term.word];
  const digits = /^(\d{1,3})\s?%?$/u.exec(term.word)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function findLabel(terms: readonly Term[]): string | undefined {
  const at = terms.findIndex(({ word }) => /^(?:labelled|labeled|label|tagged|tag)$/u.test(word));
  const next = terms
    .slice(at + 1)
    .find(({ kind, tags }) => (kind === 'word' || kind === 'quote') && !tags.has('f.det'));
  return at < 0 ? undefined : next?.text.replaceAll(/^["“]|["”]$/gu, '');
}
