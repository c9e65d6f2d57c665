import { stemOf } from '../../kernel/index.ts';
import type { Word } from './read-words.ts';

/** Words, pairs of words, the concepts they stand for, and what is named that is no word. */
export function featuresOf(words: readonly Word[]): readonly string[] {
  const features = new Set<string>();
  let before = '';
  for (const { kind, meaning, path, plain, text } of words) {
    const isName = kind === 'path' || (path !== undefined && path.path !== '.');
    if (path || kind === 'path')
      features.add(`path:${path?.path === '.' ? 'project' : (path?.kind ?? 'file')}`);
    if (!isName) {
      for (const verb of meaning.verbs) features.add(`verb:${verb}`);
      for (const noun of meaning.nouns) features.add(`noun:${noun}`);
      for (const name of meaning.classes) features.add(`class:${name}`);
    }
    for (const table of Object.keys(meaning.names)) features.add(`name:${table}`);
    if (kind === 'mark' && text !== '?') continue;
    if (kind === 'word' && !isName) {
      for (const stem of plain.split(' ').map(stemOf)) {
        features.add(stem).add(`${before}_${stem}`);
        before = stem;
      }
    } else {
      features.add(`kind:${kind === 'mark' ? '?' : isName ? 'path' : kind}`);
      before = '…';
    }
  }
  return [...features];
}
