import { describe, expect, it } from 'vitest';
import { splitMarkdown } from './split-markdown.ts';
import { docsLimits } from '../library.ts';

describe('splitting prose', () => {
  it('gives each section its line and the headings that lead to it', () => {
    const passages = splitMarkdown('Intro\n\n# Top\ntext\n\n## Inner *one*\nmore\n# Next\nend\n');
    expect(passages.map(({ heading, line }) => [heading, line])).toEqual([
      ['', 1],
      ['Top', 3],
      ['Top > Inner one', 6],
      ['Next', 8],
    ]);
    expect(passages[2]?.text).toBe('## Inner *one*\nmore');
  });

  it('takes no comment in code for a heading', () => {
    const passages = splitMarkdown(
      '# A\n```sh\n# not a heading\n```\n~~~\n# nor this\n~~~\n## B\nx',
    );
    expect(passages.map(({ heading }) => heading)).toEqual(['A', 'A > B']);
  });

  it('reads the underlined headings of reStructuredText and Markdown, and those in HTML', () => {
    const text = 'Title\n=====\n\nx\n\nPart\n----\n\ny\n\n<h2 align="center">Third</h2>\n\nz';
    expect(splitMarkdown(text).map(({ heading }) => heading)).toEqual([
      'Title',
      'Title > Part',
      'Title > Third',
    ]);
  });

  it('makes each item of a long list about code a passage of its own', () => {
    const item = (name: string): string =>
      `* \`${name}(a, b)\` - does it.\n\n  ${'word '.repeat(300)}`;
    const passages = splitMarkdown(`# API\n\n${['one', 'two', 'three'].map(item).join('\n')}`);
    const headings = new Set(passages.map(({ heading }) => heading));
    expect([...headings]).toEqual([
      'API',
      'API > one(a, b)',
      'API > two(a, b)',
      'API > three(a, b)',
    ]);
  });

  it('cuts long sections at empty lines, none longer than a passage may be', () => {
    const paragraphs = Array.from(
      { length: 40 },
      (_, index) => `Paragraph ${index} ${'x'.repeat(300)}`,
    );
    const passages = splitMarkdown(`# Long\n\n${paragraphs.join('\n\n')}`);
    expect(passages.length).toBeGreaterThan(3);
    expect(Math.max(...passages.map(({ text }) => text.length))).toBeLessThanOrEqual(
      docsLimits.maxPassageChars,
    );
    expect(passages.every(({ text }) => /^(?:#|Paragraph)/.test(text))).toBe(true);
    expect(passages.map(({ text }) => text).join('\n\n')).toContain('Paragraph 39');
  });

  it('stays fast on hostile texts', { timeout: 20_000 }, () => {
    for (const text of [
      '#'.repeat(500_000),
      '# a\n'.repeat(100_000),
      `# ${'['.repeat(200_000)}`,
      `<h1 ${'<'.repeat(300_000)}`,
      `${'='.repeat(300_000)}!`,
      `* \`${'a'.repeat(500_000)}`,
      'x'.repeat(1_000_000),
    ]) {
      expect(splitMarkdown(text).length).toBeLessThanOrEqual(100_001);
    }
  });
});
