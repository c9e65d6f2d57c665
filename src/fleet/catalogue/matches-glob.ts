/** Whether `text` fits `pattern`, in which `*` stands for anything and `?` for one character. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, textAt] = [0, 0];
  // Backtracking position: the latest `*` takes one more character.
  let [starAt, starTextAt] = [-1, 0];
  while (textAt < text.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      [starAt, starTextAt] = [at, textAt];
      at += 1;
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[textAt])) {
      at += 1;
      textAt += 1;
    } else if (starAt === -1) {
      return false;
    } else {
      starTextAt += 1;
      [at, textAt] = [starAt + 1, starTextAt];
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** Whether an address may come from an RFC 6570 template: each expression stands for anything. */
export function fitsTemplate(template: string, uri: string): boolean {
  return matchesGlob(template.replaceAll('*', '?').replaceAll(/\{[^{}]*\}/g, '*'), uri);
}
