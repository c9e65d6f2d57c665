import { readFileSync } from 'node:fs';
import { corpusFiles } from './corpus.ts';

const written = [
  'select a, count(*) from t where a = 1 and b in (2, 3) and c between 4 and 5 group by a having count(*) > 6 limit 7 offset 8;',
  'insert into t (a, b) values (1, 2), (3, 4) returning id;',
  'update t set a = 1, b = 2 where c = 3;',
  "delete from t where a like 'x' or b is not null;",
  'with x as (select 1 as a union all select a + 1 from x where a < 10) select * from x join y using (a) where exists (select 1 from w where w.a = 5);',
  'select case when a = 1 then 2 else 3 end, coalesce(b, 4), (select max(c) from (select c from d where e = 5) q) from t;',
  `select a::int, b->>'x', c @> '{"a":1}', d || 'e', f % 2, g[1:2], e'it\\'s', $$a;b$$, -1, a - -1, b*-2 from t;`,
  "create table t (a int primary key, b text not null default 'x', c numeric(10, 2) check (c > 0));",
  'SELECT TOP 10 [a] FROM [dbo].[t] WHERE [b] = @p;',
  'select `a` from `t` where `b` = 1 limit 1, 2;',
  'create function f() returns int as $f$ begin return 1; end $f$ language plpgsql;',
  'copy t (a, b) from stdin;\n1\tx\n\\.\n',
  '\\echo hi\n',
  'GO\n',
  'PRAGMA foreign_keys = ON;\n',
  '-- c\n',
  '/* d */',
];
const values = [':name', '%s', '%(name)s', '?', '$1', '@p', ':a::int', '-:x', '-- k\n 1', '-3'];
const spaces = ['\n', '  ', '\t', '\n\n', ' /* x */ ', ' -- y\n', ' '.repeat(30)];
const maxStatements = 4;
const maxLevels = 7;
const longestStatement = 3000;

/** Statements of our own and of real files. */
export function sqlStatements(): readonly string[] {
  const real = corpusFiles('sql')
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .replaceAll('\r\n', '\n')
        .split(/;\s*\n/),
    )
    .map((statement) => `${statement.trim()};`)
    .filter((statement) => statement.length > 1 && statement.length < longestStatement);
  // As many of each, for the real ones are much alike.
  const copies = Math.max(1, Math.ceil(real.length / written.length));
  return [...real, ...Array.from({ length: copies }, () => written).flat()];
}

/** A few statements one after the other: laid out, nested and with values filled in at random. */
export function randomSql(statements: readonly string[], random: () => number): string {
  const pick = (items: readonly string[]): string =>
    items[Math.floor(random() * items.length)] ?? '';
  const isLikely = (share: number): boolean => random() < share;
  let text = '';
  for (let left = 1 + Math.floor(random() * maxStatements); left > 0; left -= 1) {
    text += pick(statements) + pick(['\n', ' ', '\n\n']);
  }
  if (isLikely(0.5)) {
    text = text.replace(/\b\d+\b/g, (number) => (isLikely(0.3) ? pick(values) : number));
  }
  if (isLikely(0.4)) text = text.replace(/ /g, () => (isLikely(0.2) ? pick(spaces) : ' '));
  return isLikely(0.2) ? nest(text, 1 + Math.floor(random() * maxLevels)) : text;
}

function nest(text: string, levels: number): string {
  const [open, close] = ['select * from ('.repeat(levels), ') q'.repeat(levels)];
  return text.replace(/\bselect\b[^;]*(?=;)/i, (query) => `${open}${query}${close}`);
}
