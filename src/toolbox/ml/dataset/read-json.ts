import { DatasetError } from '../errors.ts';
import { maxRows, type RawTable, type Row } from './raw-table.ts';

const maxShownLine = 60;

/** One object a line. Empty lines are skipped. */
export function readJsonLines(source: string, text: string): RawTable {
  const rows: Row[] = [];
  const lines: number[] = [];
  for (const [at, part] of text.split('\n').entries()) {
    const line = at + 1;
    if (part.trim() === '') continue;
    const row = rows.length + 1;
    if (row > maxRows) throw new DatasetError(source, `it has more than ${maxRows} rows`);
    rows.push(rowOf(source, parseLine(source, part, { row, line }), { row, line }));
    lines.push(line);
  }
  return { format: 'jsonl', rows, lines };
}

function parseLine(source: string, text: string, at: { row: number; line: number }): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatasetError(
      source,
      `no JSON: ${reason.slice(0, 120)}: ${text.trim().slice(0, maxShownLine)}`,
      at,
    );
  }
}

function rowOf(source: string, value: unknown, at: { row: number; line?: number }): Row {
  if (isObject(value)) return value;
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  throw new DatasetError(source, `it is ${kind}, and each row must be an object`, at);
}

/** A list of objects, `{"data": […]}`, columns as lists, or SQuAD. */
export function readJson(source: string, text: string): RawTable {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatasetError(source, `it is no JSON: ${reason.slice(0, 160)}`);
  }
  const list = isObject(value) && Array.isArray(value['data']) ? value['data'] : value;
  if (Array.isArray(list)) {
    if (isSquad(list)) return { format: 'squad', rows: readSquad(source, list) };
    if (list.length > maxRows) throw new DatasetError(source, `it has more than ${maxRows} rows`);
    return { format: 'json', rows: list.map((one, at) => rowOf(source, one, { row: at + 1 })) };
  }
  throw new DatasetError(source, 'it must be a list of objects, {"data": […]} or SQuAD');
}

function isSquad(list: readonly unknown[]): boolean {
  const [first] = list;
  return isObject(first) && Array.isArray(first['paragraphs']);
}

/** One row a question: context, question, the first answer; unanswerable questions have none. */
function readSquad(source: string, articles: readonly unknown[]): readonly Row[] {
  const rows: Row[] = [];
  for (const [at, article] of articles.entries()) {
    const title = isObject(article) ? article['title'] : undefined;
    const column = `data[${at}].paragraphs`;
    const paragraphs = isObject(article) ? article['paragraphs'] : undefined;
    if (!Array.isArray(paragraphs)) throw new DatasetError(source, 'it is no list', { column });
    for (const [index, paragraph] of paragraphs.entries()) {
      const where = { column: `${column}[${index}]` };
      if (!isObject(paragraph) || typeof paragraph['context'] !== 'string') {
        throw new DatasetError(source, 'it has no text "context"', where);
      }
      if (!Array.isArray(paragraph['qas']))
        throw new DatasetError(source, 'it has no list "qas"', where);
      for (const qa of paragraph['qas'])
        rows.push(squadRow(source, { qa, context: paragraph['context'], title }, where));
    }
  }
  return rows;
}

function squadRow(
  source: string,
  { qa, context, title }: { qa: unknown; context: string; title: unknown },
  where: { column: string },
): Row {
  if (!isObject(qa) || typeof qa['question'] !== 'string') {
    throw new DatasetError(source, 'one of its "qas" has no text "question"', where);
  }
  const answers: readonly unknown[] = Array.isArray(qa['answers']) ? qa['answers'] : [];
  const [first] = answers;
  const answer = isObject(first) && typeof first['text'] === 'string' ? first['text'] : '';
  if (answer !== '' && !context.includes(answer)) {
    const problem = `the answer ${JSON.stringify(answer.slice(0, maxShownLine))} of question ${JSON.stringify(qa['id'] ?? qa['question'])} is not in its context`;
    throw new DatasetError(source, problem, where);
  }
  return { id: qa['id'] ?? null, title: title ?? null, context, question: qa['question'], answer };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
