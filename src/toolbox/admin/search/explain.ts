import type { CatalogueEntry } from '../../../contract/catalogue/index.ts';
import type { Ranked } from './fuse.ts';
import { splitWords } from './split-words.ts';
import { textOf } from './tool-text.ts';

const maxWordsShown = 5;

/** Why a tool was found: the words it has in common with the query, as it writes them, and how close it is. */
export function explain(entry: CatalogueEntry, { words, closeness }: Ranked): string {
  const written = new Map<string, string>();
  for (const word of textOf(entry)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)) {
    const [known] = splitWords(word);
    if (known !== undefined && !written.has(known)) written.set(known, word);
  }
  const shown = words.slice(0, maxWordsShown).map((word) => written.get(word) ?? word);
  return [
    ...(shown.length > 0 ? [`has ${shown.join(', ')}`] : []),
    ...(closeness === undefined ? [] : [`meaning ${closeness.toFixed(2)}`]),
  ].join('; ');
}
