/** `1 tool`, `2 tools`: for nouns that take an s. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
