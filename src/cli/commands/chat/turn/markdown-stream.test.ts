import { describe, expect, it } from 'vitest';
import type { Paint } from '../../../output.ts';
import { createColours } from '../../../../../testkit/cli/no-colours.ts';
import { createMarkdownStream } from './markdown-stream.ts';

/** Colours that can be read. */
const named: Paint = {
  bold: (text) => `<b>${text}</b>`,
  dim: (text) => `<d>${text}</d>`,
  red: (text) => `<r>${text}</r>`,
  green: (text) => `<g>${text}</g>`,
  yellow: (text) => `<y>${text}</y>`,
};

function render(text: string, size = text.length, paint = named): string {
  const stream = createMarkdownStream(paint);
  let shown = '';
  for (let at = 0; at < text.length; at += Math.max(size, 1)) {
    shown += stream.push(text.slice(at, at + Math.max(size, 1)), 'markdown');
  }
  return shown + stream.end();
}

const document = [
  '# Three things',
  '',
  'Use **two words** and `a**b` here, see [the docs](https://example.com/a_b).',
  '- one **x**',
  '  * two',
  '1. first',
  '> said',
  '---',
  '| a | b |',
  '```diff',
  '+new **x**',
  '-old',
  ' same',
  '```',
  'globs **/*.ts and **/*.js, __init__ and a * b * c',
].join('\n');

describe('Markdown at a terminal', () => {
  it('is painted', () => {
    expect(render(document).split('\n')).toEqual([
      '<b>Three things</b>',
      '',
      'Use <b>two words</b> and <y>a**b</y> here, see the docs (https://example.com/a_b).',
      '• one <b>x</b>',
      '  • two',
      '1. first',
      '<d>│ said</d>',
      `<d>${'─'.repeat(40)}</d>`,
      '| a | b |',
      '<d>```diff</d>',
      '<g>+new **x**</g>',
      '<r>-old</r>',
      ' same',
      '<d>```</d>',
      'globs **/*.ts and **/*.js, __init__ and a * b * c',
    ]);
  });

  it('is the same in whatever pieces it comes', () => {
    for (let size = 1; size < 20; size += 1) expect(render(document, size)).toBe(render(document));
  });

  it('does not hold back words of a plain line', () => {
    const stream = createMarkdownStream(named);
    expect(stream.push('It is a long', 'markdown')).toBe('It is a ');
    expect(stream.push(' line with **bo', 'markdown')).toBe('long line with ');
    expect(stream.push('ld** words', 'markdown')).toBe('');
    expect(stream.push('.\n', 'markdown')).toBe('<b>bold</b> words.\n');
  });

  it('keeps every character within fences', () => {
    const lines = ['```diff', '-  x: `1`', '+  **x**', '   - y', '# z', '```'];
    const shown = render(lines.join('\n'));
    expect(shown.replaceAll(/<\/?\w>/g, '').split('\n')).toEqual(lines);
    expect(shown).toContain('<r>-  x: `1`</r>\n<g>+  **x**</g>\n   - y\n# z');
  });

  it('leaves what no model wrote as it is, also between Markdown', () => {
    const stream = createMarkdownStream(named);
    const diff = '--- a/x.md\n+++ b/x.md\n-  * one `a`\n+  - **two**\n# three\n---\n';
    expect(stream.push('**Done', 'markdown') + stream.push(diff, 'verbatim')).toBe(`**Done${diff}`);
    expect(stream.push('# More\n', 'markdown')).toBe('<b>More</b>\n');
  });

  it('stays as it is without colours', () => {
    expect(render(document, 7, createColours())).toBe(document);
  });
});
