import { describe, expect, it } from 'vitest';
import type { Step } from '../../contract/plan/index.ts';
import { escapeLiterals } from './proposed-plan.ts';

function escaped(text: string, more: Partial<Step> = {}): unknown {
  const step = { id: 'write', tool: 'x', args: { changes: [{ content: text }] }, ...more };
  return Object(escapeLiterals(step, ['read', 'write']).args?.['changes'])[0].content;
}

describe('a text of several lines in the arguments of a plan', () => {
  it.each([
    '${total(items)}',
    '${item.name}',
    '${input.value}',
    '${write.x}',
    '${readers}',
    '${a}',
  ])('keeps %s as it is written', (text) => {
    expect(escaped(`\`Sum: ${text}\`\n`)).toBe(`\`Sum: $${text}\`\n`);
  });

  it('keeps references, and what is escaped already', () => {
    const text = '${read.content} ${input.file_1} ${input.last_code} ${run.id} $${x}\n';
    expect(escaped(text)).toBe(text);
    expect(escaped('${item}\n', { forEach: '${read.files}' })).toBe('${item}\n');
  });

  it('is told from a short one, where a wrong reference is a mistake', () => {
    expect(escaped('${total.sum}')).toBe('${total.sum}');
  });
});
