/** English endings with what may stand instead; Spanish and Italian verbs carry the pronoun: "revisalo". */
const endings = { ies: 'y', es: ' e', s: '', ing: ' e', ied: 'y', ed: ' e', "'s": '' };
const pronounEndings = ['la', 'lo', 'las', 'los'];
/** Most words end otherwise and cost no more than this. */
const mayEnd = /(?:s|ing|ed|la|lo)$/u;

/** Of words seen before: thousands of example phrases share most of theirs. */
const knownForms = new Map<string, readonly string[]>();
const maxKnown = 20_000;

/** The word as it is, then without an ending. */
export function formsOf(word: string): readonly string[] {
  if (!mayEnd.test(word)) return [word];
  const known = knownForms.get(word) ?? cutEndings(word);
  if (knownForms.size < maxKnown) knownForms.set(word, known);
  return known;
}

function cutEndings(word: string): readonly string[] {
  const cut = (ending: string, replacements: string): readonly string[] => {
    if (!word.endsWith(ending) || word.length - ending.length < 3) return [];
    const base = word.slice(0, -ending.length);
    const isDoubled = /([b-df-hj-np-tv-z])\1$/.test(base) && ending !== 's';
    const bases = replacements.split(' ').map((one) => base + one);
    return isDoubled ? [...bases, base.slice(0, -1)] : bases;
  };
  const pronouns = word.length > 5 ? pronounEndings.flatMap((ending) => cut(ending, '')) : [];
  return [word, ...Object.entries(endings).flatMap(([one, other]) => cut(one, other)), ...pronouns];
}

/** Lower case, without accents, with plain apostrophes. */
export function plainForm(text: string): string {
  if (/^[a-z']*$/.test(text)) return text;
  const lower = text.toLowerCase().replaceAll('ß', 'ss').normalize('NFD');
  return lower.replaceAll(/\p{M}/gu, '').replaceAll(/[’‘`´]/g, "'");
}

/** One form for all of a word, to compare words that no concept stands for. */
export function stemOf(word: string): string {
  return formsOf(word).at(-1) ?? word;
}
