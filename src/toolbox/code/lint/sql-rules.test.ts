import { describe, expect, it } from 'vitest';
import { readLintData } from './lint-data.ts';
import { aLintSetup, aLinter } from '../../../../testkit/toolbox/code/lint/lint-text.ts';
import { lintSql } from './lint-sql.ts';

const cases: readonly (readonly [rule: string, broken: string, kept: string])[] = [
  ['select-star', 'SELECT * FROM a', 'SELECT count(*) FROM a'],
  ['select-star', 'SELECT a.* FROM a', 'SELECT a.b FROM a'],
  ['implicit-join', 'SELECT b FROM a, c', 'SELECT b, c FROM a'],
  ['update-without-where', 'UPDATE a SET b = 1', 'UPDATE a SET b = 1 WHERE c = 2'],
  ['delete-without-where', 'DELETE FROM a', 'DELETE FROM a WHERE c = 2'],
  [
    'not-in-subquery',
    'SELECT b FROM a WHERE b NOT IN (SELECT c FROM d)',
    'SELECT b FROM a WHERE b NOT IN (1, 2)',
  ],
  ['null-comparison', 'SELECT b FROM a WHERE b = NULL', 'UPDATE a SET b = NULL WHERE c = 1'],
  [
    'join-without-condition',
    'SELECT b FROM a LEFT JOIN c ON true JOIN d ON true INNER JOIN e USING (f), g CROSS JOIN h',
    'SELECT b FROM a JOIN c ON a.x = c.x',
  ],
  ['leading-wildcard', "SELECT b FROM a WHERE b LIKE '%x'", "SELECT b FROM a WHERE b LIKE 'x%'"],
  [
    'function-on-column',
    "SELECT b FROM a WHERE upper(b) = 'X'",
    "SELECT upper(b) FROM a WHERE b = 'X'",
  ],
  ['order-by-ordinal', 'SELECT b FROM a ORDER BY 1', 'SELECT b FROM a ORDER BY b LIMIT 1'],
  ['union-without-all', 'SELECT 1 UNION SELECT 2', 'SELECT 1 UNION ALL SELECT 2'],
  ['insert-without-columns', 'INSERT INTO a VALUES (1)', 'INSERT INTO a (b) VALUES (1)'],
  ['natural-join', 'SELECT b FROM a NATURAL JOIN c', 'SELECT b FROM a JOIN c USING (b)'],
  ['limit-without-order', 'SELECT b FROM a LIMIT 1', 'SELECT b FROM a ORDER BY b LIMIT 1'],
  [
    'having-without-group',
    'SELECT count(*) FROM a HAVING count(*) > 1',
    'SELECT b FROM a GROUP BY b HAVING count(*) > 1',
  ],
  ['table-without-key', 'CREATE TABLE a (b int)', 'CREATE TABLE a (b int PRIMARY KEY)'],
  ['drop-without-if-exists', 'DROP TABLE a', 'DROP TABLE IF EXISTS a'],
  ['count-for-existence', 'SELECT (SELECT count(*) > 0 FROM a)', 'SELECT EXISTS (SELECT 1 FROM a)'],
  ['not-equal-operator', 'SELECT b FROM a WHERE b != 1', 'SELECT b FROM a WHERE b <> 1'],
];

describe('the SQL rules', () => {
  const sql = aLinter('sql', 'sample.sql');
  // The parser of PostgreSQL wants every join to have a condition; MySQL's does not.
  const testable = cases.filter(([rule]) => rule !== 'join-without-condition');

  it('has a case for every rule', () => {
    expect([...new Set(cases.map(([rule]) => rule))].sort()).toEqual(
      readLintData('sql')
        .rules.flatMap(({ name, pattern }) => (pattern ? name : []))
        .sort(),
    );
  });

  it.each(testable)('%s reports what breaks it and nothing near it', async (rule, broken, kept) => {
    expect(await sql.rules(`${broken};\n`)).toContain(`sql/${rule}`);
    expect(await sql.rules(`${kept};\n`)).not.toContain(`sql/${rule}`);
  });

  it('reports a join without a condition in the dialects that allow one', async () => {
    expect(await sql.rules('SELECT `b` FROM a JOIN c WHERE b = 1;\n')).toContain(
      'sql/join-without-condition',
    );
    expect(await sql.rules('SELECT b FROM a JOIN c ON a.x = c.x CROSS JOIN d;\n')).not.toContain(
      'sql/join-without-condition',
    );
  });

  it('puts keywords into the case of the style guide and leaves names and strings alone', async () => {
    const file = {
      path: 'x.sql',
      text: 'select "from", \'where\' from a;\n',
      language: 'sql',
    } as const;
    const [upper] = await lintSql(file, aLintSetup('sql', 'sqlstyle'));
    expect(upper?.safeFix?.map(({ text }) => text)).toEqual(['SELECT', 'FROM']);
    expect(await lintSql(file, aLintSetup('sql', 'dbt'))).toEqual([]);
  });

  it('reports words, quotes, numbers and comments at their own place', async () => {
    const found = await sql.lint(
      '-- SELECT *\n/* SELECT * */ SELECT $$*$$, 1.5e3, `x`.* FROM x;\n',
    );
    expect(found.map(({ rule, line }) => [rule, line])).toEqual([['sql/select-star', 2]]);
  });

  it('refuses text that no dialect accepts', async () => {
    await expect(sql.lint('SELEC 1;\n')).rejects.toMatchObject({ code: 'code.syntax_error' });
  });
});
