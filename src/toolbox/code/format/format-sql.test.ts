import { expect, it } from 'vitest';
import { formatSqlText } from '../../../../testkit/toolbox/code/format/format-sql-text.ts';

it('is done at once with comments between statements', async () => {
  const once = await formatSqlText('select 1; /* a */ /* b */ select 2; /* c */');
  expect(once).toBe('select\n  1;\n\n/* a */\n/* b */\nselect\n  2;\n\n/* c */\n');
  expect(await formatSqlText(once)).toBe(once);
});

it.each([
  [
    'alter operator family f using gist add operator 5 pg_catalog.~ (text, text);',
    'sql-formatter does not know some construct in it',
  ],
  [
    'SELECT TOP 1 [a] FROM [t];\nupdate t set a = (b || c)::pg_catalog.regprocedure;',
    'the result of sql-formatter would not mean the same',
  ],
])('says why it refuses %j', async (code, reason) => {
  await expect(formatSqlText(code)).rejects.toThrow(reason);
});
