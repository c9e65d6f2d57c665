import { expect, it } from 'vitest';
import { formatSqlText } from '../../../../testkit/toolbox/code/format/format-sql-text.ts';
import { hidePlaceholders } from './sql-script.ts';

it.each([':name', '%s', '%(name)s', '?', '$1', '@p'])(
  'formats SQL with the placeholder %s and keeps it',
  async (placeholder) => {
    const code = `select * from t where a = ${placeholder} and b in (${placeholder})`;
    expect(await formatSqlText(code)).toBe(
      `select\n  *\nfrom\n  t\nwhere\n  a = ${placeholder}\n  and b in (${placeholder})\n`,
    );
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

it('knows a placeholder behind any indentation', async () => {
  const code = `${'select * from ('.repeat(8)}select a from t limit %s${') q'.repeat(8)}`;
  const once = await formatSqlText(code);
  expect(once).toMatch(/ {32}limit\n {34}%s\n/);
  expect(await formatSqlText(once)).toBe(once);
});

it.each([' ', ' %', '= ', '%s '])('takes little time for a hundred thousand %j', (piece) => {
  const startedAt = performance.now();
  hidePlaceholders(piece.repeat(100_000), true);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
