import { rustNumberMeaning } from '../../src/toolbox/code/format/same-meaning.ts';

const rustWord = new RegExp(
  [
    /(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)/,
    /(?:br|cr|r)(?<hashes>#*)"[^]*?"\k<hashes>/,
    /[bc]?"(?:[^"\\]|\\[^])*"/,
    // Not a lifetime: one character or one escape, and an end.
    /b?'(?:[^'\\\n]|[\ud800-\udbff][\udc00-\udfff]|\\u\{\w+\}|\\x\w\w|\\[^\n])'/,
    /(?<number>\d\w*(?:\.(?![.\w])|\.\d\w*)?(?:(?<=[eE])[+-]\d\w*)?)/,
    /[\w\u0080-\uffff]+/,
    /[^\s\w]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Brackets, separators and the default of `extern`: rustfmt adds and drops redundant ones. */
const redundant = new Set(['(', ')', '{', '}', '[', ']', ',', ';', '|', '"C"']);

/**
 * The words of a Rust program, sorted, because rustfmt sorts imports and modules; numbers by their
 * value, because the engine that stands in for rustfmt spells them anew; comments without space.
 */
export function rustWords(text: string): string {
  const words: string[] = [];
  for (const { 0: word, groups } of text.matchAll(rustWord)) {
    if (groups?.['comment'] !== undefined) words.push(word.replace(/\s+/g, ''));
    else if (groups?.['number'] !== undefined) words.push(rustNumberMeaning(word));
    else if (!redundant.has(word)) words.push(word);
  }
  return words.sort().join('\n');
}
