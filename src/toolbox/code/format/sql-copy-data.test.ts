import { expect, it } from 'vitest';
import { formatSqlText } from '../../../../testkit/toolbox/code/format/format-sql-text.ts';
import { findCopyData } from './sql-script.ts';

function dataIn(text: string): string[] {
  return findCopyData(text).map(({ start, end }) => text.slice(start, end));
}

const data = "1\tit's; (a\n2\t/* $$\n\\.\n";

it.each([
  'COPY t (a, b) FROM stdin;',
  'copy t\n  (a, b)\nfrom\n  stdin;',
  "COPY t (a, b) FROM STDIN WITH (FORMAT csv, DELIMITER ';');",
  "COPY t -- it's\nFROM /* ; */ stdin;",
  "select e'it\\'s; ', $$;'$$; COPY t FROM stdin;",
])('formats %j and keeps the data behind it, again and again', async (statement) => {
  const once = await formatSqlText(`${statement}\n${data}select  1;\n`);
  expect(once).toContain(`;\n${data}`);
  expect(once).toMatch(/select\n {2}1;\n$/);
  expect(await formatSqlText(once)).toBe(once);
});

it('keeps data that other parsers than that of PostgreSQL understand', async () => {
  const code = 'copy t from stdin;\n1\tx\n\\.\n';
  expect(await formatSqlText(code)).toBe('copy t\nfrom\n  stdin;\n1\tx\n\\.\n');
});

it('finds the data of each statement, up to the end of the text where it is not ended', () => {
  expect(dataIn(`copy a from stdin;\n${data}copy b\nfrom stdin;\n3\n`)).toEqual([data, '3\n']);
});

it.each([
  `copy (select a from stdin) to stdout;\n${data}`,
  `copy t from 'stdin';\n${data}`,
  `select 1 from stdin;\n${data}`,
  `select 'x\ncopy t from stdin;\n';\n`,
  `$f$\ncopy t from stdin;\n$f$\n;\n`,
  `\\echo copy t from stdin;\n1\n`,
  // A formatter would put the comment between the statement and its data.
  `copy t from stdin; -- a\n${data}`,
])('sees no data in %j', (text) => {
  expect(dataIn(text)).toEqual([]);
});

it.each(["'", '"', '/*', '$a$', "e'", 'e\\', "e'\\", '(', '$a$$b$', 'copy from stdin;'])(
  'takes little time for a hundred thousand %j',
  (piece) => {
    const startedAt = performance.now();
    findCopyData(piece.repeat(100_000));
    expect(performance.now() - startedAt).toBeLessThan(2000);
  },
);
