import { describe, expect, it } from 'vitest';
import { createCodeLabeller, labelCode, unverifiedLabel } from './label-code.ts';

const text = [
  'Here it is, `inline` stays:',
  '```python',
  'x = "```"',
  '```',
  'and',
  '  ~~~~',
  '```',
  'not the end',
  '  ~~~~',
  'Done.',
].join('\n');

describe('code in the words of a model', () => {
  it('has a label above each block, and none inside', () => {
    const lines = labelCode(text).split('\n');
    expect(lines.filter((line) => line === unverifiedLabel)).toHaveLength(2);
    expect(lines[1]).toBe(unverifiedLabel);
    expect(lines.indexOf('  ~~~~')).toBe(lines.lastIndexOf(unverifiedLabel) + 1);
    expect(lines.filter((line) => line !== unverifiedLabel).join('\n')).toBe(text);
  });

  it('is labelled the same in whatever pieces it comes', () => {
    for (let size = 1; size < 12; size += 1) {
      const labeller = createCodeLabeller();
      let shown = '';
      for (let at = 0; at < text.length; at += size)
        shown += labeller.push(text.slice(at, at + size));
      expect(shown + labeller.end()).toBe(labelCode(text));
    }
  });

  it('does not hold back plain words', () => {
    const labeller = createCodeLabeller();
    expect(labeller.push('Hel')).toBe('Hel');
    expect(labeller.push('lo\n``')).toBe('lo\n');
    expect(labeller.push('`js\n')).toBe(`${unverifiedLabel}\n\`\`\`js\n`);
  });

  it('is labelled though its block is never closed', () => {
    expect(labelCode('```')).toBe(`${unverifiedLabel}\n\`\`\``);
  });
});
