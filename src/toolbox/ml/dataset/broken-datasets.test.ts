import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';

const lines = (...rows: readonly unknown[]): string =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
const qa = (count: number): unknown[] =>
  Array.from({ length: count }, (_, at) => ({
    prompt: `question ${at}`,
    completion: `answer ${at}`,
  }));
const table = (rows: readonly string[], header = 'size,colour,label'): string =>
  [header, ...rows].join('\n');
const many = (count: number, row: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => row(at));
const nested = (): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'parts', data: many(30, String).map((part) => ({ part })), type: 'JSON' },
        { name: 'label', data: many(30, (at) => (at % 2 === 0 ? 'a' : 'b')), type: 'STRING' },
      ],
    }),
  );

interface Broken {
  readonly what: string;
  readonly file: string;
  readonly content: string | Uint8Array;
  readonly args?: object;
  readonly says: RegExp;
}

const broken: readonly Broken[] = [
  {
    what: 'a ragged csv',
    file: 'a.csv',
    content: table(['1,red,x', '2,blue', '3,red,y']),
    says: /row 2, line 3: it has 2 cells, and the header has 3/,
  },
  {
    what: 'a csv with a cell too many',
    file: 'a.csv',
    content: table(['1,red,x', '2,blue,y,z']),
    says: /row 2, line 3: it has 4 cells/,
  },
  {
    what: 'a quotation that does not end',
    file: 'a.csv',
    content: table(['1,"red,x', '2,blue,y']),
    says: /line 2: a quoted cell begins here/,
  },
  {
    what: 'text after a quotation',
    file: 'a.csv',
    content: table(['1,"red"x,y']),
    says: /line 2: text follows a closing quotation mark/,
  },
  {
    what: 'a header with the same name twice',
    file: 'a.csv',
    content: table(['1,2,x'], 'size,size,label'),
    says: /line 1, column "size": the header names it twice/,
  },
  {
    what: 'a header without a name',
    file: 'a.csv',
    content: table(['1,2,x'], 'size,,label'),
    says: /column 2 has no name/,
  },
  {
    what: 'a csv without a header',
    file: 'a.csv',
    content: '1,2,3\n4,5,6',
    says: /header holds only numbers/,
  },
  { what: 'a header alone', file: 'a.csv', content: 'size,label\n', says: /has no rows/ },
  { what: 'an empty file', file: 'a.csv', content: '', says: /it is empty/ },
  {
    what: 'a number that is none',
    file: 'a.csv',
    content: table(
      many(20, (at) => (at === 6 ? 'big,red,x' : `${at},red,${at % 3 === 0 ? 'x' : 'y'}`)),
    ),
    says: /row 7, line 8, column "size": "big" is text, and 19 of 20 values are integer/,
  },
  {
    what: 'a JSON column of two types',
    file: 'a.jsonl',
    content: lines(
      ...many(9, (at) => JSON.stringify({ size: at, label: at % 2 === 0 ? 'x' : 'y' })),
      { size: 'huge', label: 'x' },
    ),
    says: /row 10, line 10, column "size": "huge" is text/,
  },
  {
    what: 'the same id twice',
    file: 'a.jsonl',
    content: lines({ id: 7, text: 'one' }, { id: 8, text: 'two' }, { id: 7, text: 'three' }),
    says: /row 3, line 3, column "id": the id 7 is also that of row 1/,
  },
  {
    what: 'a line that is no JSON',
    file: 'a.jsonl',
    content: lines({ text: 'one' }, '{"text": "two"'),
    says: /row 2, line 2: no JSON/,
  },
  {
    what: 'a line that is a list',
    file: 'a.jsonl',
    content: lines({ text: 'one' }, [1]),
    says: /row 2, line 2: it is a list, and each row must be an object/,
  },
  {
    what: 'JSON that ends too early',
    file: 'a.json',
    content: '[{"text": "one"}',
    says: /it is no JSON/,
  },
  {
    what: 'JSON that is no list',
    file: 'a.json',
    content: '{"text": "one"}',
    says: /must be a list of objects/,
  },
  {
    what: 'an empty split',
    file: 'a.jsonl',
    content: lines(...qa(3)),
    args: { test_share: 0.01 },
    says: /the split "test" is empty: 1 % of 3 rows/,
  },
  {
    what: 'an empty prompt',
    file: 'a.jsonl',
    content: lines(...qa(3), { prompt: ' ', completion: 'x' }),
    says: /row 4, column "prompt"/,
  },
  {
    what: 'a missing label',
    file: 'a.csv',
    content: table(['1,red,x', '2,blue,', '3,red,y']),
    says: /row 2, column "label": the label is missing/,
  },
  {
    what: 'one label for all',
    file: 'a.csv',
    content: table(many(30, (at) => `${at},red,x`)),
    says: /column "label": every row has the same label/,
  },
  {
    what: 'a column that gives the label away',
    file: 'a.csv',
    content: table(
      many(60, (at) => `${at % 7},${at % 2 === 0 ? 'red' : 'blue'},${at % 2 === 0 ? 'x' : 'y'}`),
    ),
    says: /column "colour": each of its values belongs to one value of the label/,
  },
  {
    what: 'a column that is not there',
    file: 'a.csv',
    content: table(['1,red,x', '2,blue,y']),
    args: { columns: { label: 'color' } },
    says: /column "color": there is no such column; did you mean "colour"/,
  },
  {
    what: 'no column that can be told',
    file: 'a.csv',
    content: table(['1,2', '3,4'], 'size,weight'),
    says: /which column is to be predicted.*size, weight/,
  },
  {
    what: 'Latin-1 as UTF-8',
    file: 'a.csv',
    content: Buffer.concat([Buffer.from('size,label\n1,x\n2,caf'), Buffer.from([0xe9, 0x0a])]),
    says: /line 3: byte 0xe9 at offset \d+ is not utf-8: give encoding=windows-1252/,
  },
  {
    what: 'an encoding that is none',
    file: 'a.csv',
    content: table(['1,red,x']),
    args: { encoding: 'klingon' },
    says: /"klingon" is not a known encoding/,
  },
  {
    what: 'a binary file',
    file: 'a.csv',
    content: Buffer.from([1, 0, 0, 7, 0, 0, 0, 9, 200]),
    says: /binary file/,
  },
  {
    what: 'a zip archive',
    file: 'a.zip',
    content: Buffer.from('PK\u0003\u0004rest'),
    says: /zip archive; unpack it first/,
  },
  {
    what: 'damaged gzip',
    file: 'a.csv.gz',
    content: gzipSync('size,label\n1,x').subarray(0, 20),
    says: /damaged gzip/,
  },
  {
    what: 'a gzip bomb',
    file: 'a.csv.gz',
    content: gzipSync(Buffer.alloc(537_000_000), { level: 1 }),
    says: /more than 536870912 bytes unpacked/,
  },
  {
    what: 'parquet that is cut off',
    file: 'a.parquet',
    content: nested().subarray(0, 200),
    says: /no readable parquet file/,
  },
  {
    what: 'nested parquet',
    file: 'a.parquet',
    content: nested(),
    says: /column "parts": it is nested \(object\)/,
  },
  {
    what: 'SQuAD without contexts',
    file: 'a.json',
    content: JSON.stringify({ data: [{ title: 't', paragraphs: [{ qas: [] }] }] }),
    says: /column "data\[0\]\.paragraphs\[0\]": it has no text "context"/,
  },
  {
    what: 'a SQuAD answer that is not in its context',
    file: 'a.json',
    content: JSON.stringify({
      data: [
        {
          paragraphs: [
            {
              context: 'Paris is big.',
              qas: [{ id: 'q1', question: 'Which?', answers: [{ text: 'London' }] }],
            },
          ],
        },
      ],
    }),
    says: /answer "London" of question "q1" is not in its context/,
  },
  {
    what: 'a conversation without an answer',
    file: 'a.jsonl',
    content: lines({ conversations: [{ from: 'human', value: 'hi' }] }),
    says: /row 1, column "conversations": no answer/,
  },
  {
    what: 'an image that is none',
    file: 'pictures/cat/one.png',
    content: 'not an image',
    args: { source: 'pictures' },
    says: /column "cat\/one\.png": it is no image/,
  },
  {
    what: 'a path out of the project',
    file: 'a.csv',
    content: 'x',
    args: { source: '../../../../etc/passwd' },
    says: /Dataset/,
  },
];

describe('a broken dataset', () => {
  it.each(broken)(
    'with $what is refused by name, and nothing of it is stored',
    async ({ file, content, args, says }) => {
      const { write, call, artifacts } = anMlServer();
      const source = write(file, content);
      const result = await call('load_dataset', { source, ...args });
      expect(result).toMatchObject({ error: { code: 'ml.bad_dataset' } });
      expect(JSON.stringify(result)).toMatch(
        new RegExp(says.source.replaceAll('"', String.raw`(?:\\+)?"`)),
      );
      const { localCaller } = await import('../../../contract/caller/index.ts');
      expect(await artifacts.list(localCaller, { limit: 10 })).toEqual([]);
    },
  );
});
