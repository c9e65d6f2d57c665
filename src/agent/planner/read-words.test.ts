import { describe, expect, it } from 'vitest';
import { readWords } from './read-words.ts';

const kinds = (message: string): string[] =>
  readWords(message).map(({ kind, text }) => `${kind}:${text}`);

describe('words of a message', () => {
  it('tells paths, symbols, addresses and numbers from words', () => {
    expect(kinds('fix src/a.py, see parse_date() or #qa, mail a@b.io, 80 %')).toEqual([
      'word:fix',
      'path:src/a.py',
      'mark:,',
      'word:see',
      'symbol:parse_date()',
      'word:or',
      'channel:#qa',
      'mark:,',
      'word:mail',
      'email:a@b.io',
      'mark:,',
      'number:80 %',
    ]);
  });

  it('takes a mention, a hidden file and a quote as one', () => {
    expect(kinds('@docs/setup.md .env "two words" `x`')).toEqual([
      'path:docs/setup.md',
      'path:.env',
      'quote:two words',
      'quote:x',
    ]);
  });

  it('knows names with dots and signs', () => {
    expect(kinds('node.js and c++')).toEqual(['word:node.js', 'word:and', 'word:c++']);
  });

  it('joins words that mean something together', () => {
    const [phrase] = readWords('unit tests please');
    expect(phrase).toMatchObject({ text: 'unit tests', meaning: { nouns: ['tests'] } });
  });
});
