import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';

const rows = Array.from({ length: 60 }, (_, at) => ({
  question: `What is ${at} + ${at}?`,
  answer: String(2 * at),
}));

describe('load_dataset', () => {
  it('reads the same rows from csv, jsonl, json and parquet into the same dataset', async () => {
    const { write, call } = anMlServer();
    const column = (name: 'question' | 'answer') => rows.map((row) => row[name]);
    const files = [
      write('a.jsonl', rows.map((row) => JSON.stringify(row)).join('\n')),
      write('a.json', JSON.stringify(rows)),
      write(
        'a.parquet',
        new Uint8Array(
          parquetWriteBuffer({
            columnData: [
              { name: 'question', data: column('question'), type: 'STRING' },
              { name: 'answer', data: column('answer'), type: 'STRING' },
            ],
          }),
        ),
      ),
    ];
    const hashes = await Promise.all(
      files.map(async (source) => (await call('load_dataset', { source }))['hash']),
    );
    expect(new Set(hashes).size).toBe(1);
  });

  it('keeps every row in the split it was in when rows are added', async () => {
    const { write, call, artifacts } = anMlServer();
    const { localCaller } = await import('../../../contract/caller/index.ts');
    const testRows = async (count: number): Promise<string[]> => {
      const source = write(
        `${count}.jsonl`,
        rows
          .slice(0, count)
          .map((row) => JSON.stringify(row))
          .join('\n'),
      );
      const { splits } = (await call('load_dataset', { source })) as {
        splits: { test: { sha256: string } };
      };
      const bytes = await artifacts.get(localCaller, `sha256:${splits.test.sha256}`);
      return Buffer.from(bytes).toString('utf8').trim().split('\n');
    };
    const [few, all] = [await testRows(40), await testRows(60)];
    expect(few.length).toBeGreaterThan(2);
    expect(all.slice(0, few.length)).toEqual(few);
  });

  it.each([
    [
      'alpaca',
      { instruction: 'Add', input: '1 and 2', output: '3' },
      { prompt: 'Add\n\n1 and 2', completion: '3' },
    ],
    [
      'sharegpt',
      {
        conversations: [
          { from: 'human', value: 'hi' },
          { from: 'gpt', value: 'hello' },
        ],
      },
      { prompt: 'hi', completion: 'hello' },
    ],
    [
      'chat',
      {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'hello' },
        ],
      },
      { prompt: 'hi', completion: 'hello' },
    ],
    ['text', { text: 'once upon a time' }, { text: 'once upon a time' }],
  ])('recognises the shape of %s', async (_shape, row, mapped) => {
    const { write, call } = anMlServer();
    const source = write('a.jsonl', [row, row].map((one) => JSON.stringify(one)).join('\n'));
    expect(await call('load_dataset', { source, test_share: 0 })).toMatchObject({
      preview: [mapped, mapped],
    });
  });

  it('reads SQuAD, and leaves out questions without an answer', async () => {
    const { write, call } = anMlServer();
    const qas = [
      { id: '1', question: 'Where?', answers: [{ text: 'in Paris', answer_start: 3 }] },
      { id: '2', question: 'Why?', answers: [], is_impossible: true },
    ];
    const source = write(
      'squad.json',
      JSON.stringify({ data: [{ paragraphs: [{ context: 'It is in Paris.', qas }] }] }),
    );
    expect(await call('load_dataset', { source, test_share: 0 })).toMatchObject({
      format: 'squad',
      preview: [
        { prompt: 'It is in Paris.\n\nQuestion: Where?\nAnswer:', completion: ' in Paris' },
      ],
    });
  });

  it('infers types, reports personal data, duplicates and rare labels, and reads UTF-16', async () => {
    const { write, call } = anMlServer();
    const csv = [
      'id;note;size;is_spam',
      ...rows.map(
        (_, at) => `${at};${at === 4 ? 'ask a@b.org' : `note ${at % 29}`};${at / 2};${at === 8}`,
      ),
    ].join('\r\n');
    const text = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv, 'utf16le')]);
    const loaded = await call('load_dataset', { source: write('a.csv', text) });
    expect(loaded).toMatchObject({ encoding: 'utf-16le', kind: 'table', label: 'is_spam' });
    expect(loaded['columns']).toMatchObject([
      { type: 'integer' },
      { type: 'text' },
      { type: 'number' },
      { type: 'boolean' },
    ]);
    const hints = JSON.stringify(loaded['hints']);
    expect(hints).toContain('e-mail addresses in column \\"note\\" of 1 row, first in row 5');
    expect(hints).toContain('label true has 1 of 60 rows');
  });

  it('says that a name of the hub cannot be fetched where nothing may be fetched', async () => {
    const { call } = anMlServer();
    expect(JSON.stringify(await call('load_dataset', { source: 'squad' }))).toContain(
      'nothing is fetched',
    );
  });

  it('fetches the training split of a dataset of the hub', async () => {
    const bytes = new Uint8Array(
      parquetWriteBuffer({ columnData: [{ name: 'text', data: ['one', 'two'], type: 'STRING' }] }),
    );
    const urls: string[] = [];
    const { call } = anMlServer({
      fetchDocument: async (url) => {
        urls.push(url);
        const listing = {
          parquet_files: [
            { url: 'https://hub.example/train.parquet', split: 'train', config: 'plain', size: 9 },
          ],
        };
        return urls.length === 1 ? Buffer.from(JSON.stringify(listing)) : bytes;
      },
    });
    expect(await call('load_dataset', { source: 'squad', test_share: 0 })).toMatchObject({
      preview: [{ text: 'one' }, { text: 'two' }],
    });
    expect(urls[0]).toContain('rajpurkar%2Fsquad');
  });
});
