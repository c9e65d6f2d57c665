import { describe, expect, it } from 'vitest';
import type { Context } from '../../contract/context/index.ts';
import { countTokens } from '../../kernel/index.ts';
import { packContext } from './pack-context.ts';

const id = `ctx-${'a'.repeat(64)}`;
const title = '# Context notes (ctx-aaaaaaaaaaaa)';
const hideSecrets = (text: string) => ({
  text: text.replaceAll('hunter2', '[hidden password]'),
  count: text.split('hunter2').length - 1,
});

function aContext(...texts: readonly string[]): Context {
  const items = texts.map((text, index) => ({ kind: 'text', title: `t${index}`, text }) as const);
  return { version: 1, name: 'notes', parent: null, items };
}

const pack = (context: Context, maxTokens: number) =>
  packContext(context, { id, maxTokens, hideSecrets });

describe('packing a context', () => {
  it('gives all of it where it fits, in order', () => {
    const { text, leftOut, packed } = pack(aContext('first', 'second'), 1_000);
    expect(text).toBe(`${title}\n\n## 1. text: t0\n\nfirst\n\n## 2. text: t1\n\nsecond`);
    expect([packed.length, leftOut]).toEqual([2, []]);
  });

  it.each([0, 20, 70, 100, 150, 333, 1_000, 5_000])(
    'never has more than %i tokens, and says what was cut or left out',
    (maxTokens) => {
      const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
      const context = aContext(words, 'short', words, 'a 👋👋👋'.repeat(50), 'end');
      const result = pack(context, maxTokens);
      const overhead = countTokens(title);
      expect(countTokens(result.text)).toBeLessThanOrEqual(Math.max(maxTokens, overhead));
      expect(result.packed.length + result.leftOut.length).toBe(5);
      expect(result.packed.filter(({ isCut }) => isCut).length).toBeLessThanOrEqual(1);
      expect(result.text.isWellFormed()).toBe(true);
      expect(pack(context, maxTokens)).toEqual(result);
    },
  );

  it('hides secrets, in titles too', () => {
    const context = aContext('the password is hunter2');
    const titled = { ...context, items: [{ ...context.items[0]!, title: 'hunter2' }] };
    const { text, hiddenSecrets } = pack(titled, 1_000);
    expect(text).not.toContain('hunter2');
    expect(hiddenSecrets).toBe(1);
  });
});
