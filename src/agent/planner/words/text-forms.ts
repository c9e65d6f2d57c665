/** A word as the lexicon holds it: lower case, no accents, plain apostrophes. */
export function plainForm(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[’`´]/gu, "'");
}

/** What an English word may be an inflection of, likeliest first, and how it was inflected. */
export function baseForms(
  word: string,
): readonly { readonly base: string; readonly ending: Ending }[] {
  const forms: { base: string; ending: Ending }[] = [];
  const cut = (suffix: string, ending: Ending, ...replacements: readonly string[]): void => {
    if (!word.endsWith(suffix) || word.length - suffix.length < 2) return;
    const stem = word.slice(0, -suffix.length);
    forms.push(...replacements.map((replacement) => ({ base: stem + replacement, ending })));
    if (suffix.startsWith('i') || suffix.startsWith('e')) {
      const undoubled = /([b-df-hj-np-tv-z])\1$/u.exec(stem);
      if (undoubled) forms.push({ base: stem.slice(0, -1), ending });
    }
  };
  cut('ies', 's', 'y');
  cut('es', 's', '', 'e');
  cut('s', 's', '');
  cut('ing', 'ing', '', 'e');
  cut('ied', 'ed', 'y');
  cut('ed', 'ed', '', 'e');
  // French: corrige-le.
  for (const pronoun of ['-le', '-la', '-les', '-moi', '-nous']) cut(pronoun, 'ed', '');
  // Spanish, Portuguese and Italian hang the pronoun on the verb: revísala.
  for (const pronoun of ['lo', 'la', 'los', 'las', 'li', 'le']) cut(pronoun, 'ed', '');
  return forms;
}

export type Ending = 's' | 'ing' | 'ed';

/** Whether one letter added, dropped, changed or swapped with its neighbour makes one word the other. */
export function isSlip(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || one === other) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  return (
    short[at] === long[at + 1] &&
    short[at + 1] === long[at] &&
    short.slice(at + 2) === long.slice(at + 2)
  );
}
