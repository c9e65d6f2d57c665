/** `1 tool`, `2 tools`; nouns that do not just take an s come with their plural: `2 fixes`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
