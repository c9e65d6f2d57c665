import { describe, expect, it } from 'vitest';
import { examplePhrases } from './index.ts';

describe('example phrases', () => {
  it('are never listed for two tools', () => {
    const all = Object.values(examplePhrases).flat();
    expect(all.filter((phrase, at) => all.indexOf(phrase) !== at)).toEqual([]);
  });

  it('are enough to tell the tools apart', () => {
    const few = Object.entries(examplePhrases).filter(([, phrases]) => phrases.length < 15);
    expect(few.map(([name]) => name)).toEqual([]);
  });
});
