import { expect, it } from 'vitest';
import { aCallContext } from '../../testing/call-context.ts';
import { aCodeContext } from '../../testing/code-context.ts';
import { formatCodeTool } from './format-code-tool.ts';
import { hidePlaceholders } from './sql-placeholders.ts';

it.each([':name', '%s', '%(name)s', '?', '$1', '@p'])(
  'formats SQL with the placeholder %s and keeps it',
  async (placeholder) => {
    const code = `select * from t where a = ${placeholder} and b in (${placeholder})`;
    const result = await formatCodeTool(aCodeContext()).call(
      { code, language: 'sql' },
      aCallContext(),
    );
    expect(result.structuredContent).toMatchObject({
      formatted_code: `select\n  *\nfrom\n  t\nwhere\n  a = ${placeholder}\n  and b in (${placeholder})\n`,
    });
  },
);

it.each([
  'select a::int',
  "select '= :x', b[1:2]",
  'select 5 %s',
  'select c % s',
  '-- :a\nselect 1',
])('sees no placeholder in %j', (text) => {
  expect(hidePlaceholders(text, true)).toBeUndefined();
});

it('hides placeholders behind names of the same length, so that places stay', () => {
  const text = 'select :a, %(b)s from t where c = @d';
  const hidden = hidePlaceholders(text, true);
  expect(hidden?.text).toHaveLength(text.length);
  expect(hidden?.text).not.toMatch(/[:%@]/);
  expect(hidden?.restore(hidden.text)).toBe(text);
});
