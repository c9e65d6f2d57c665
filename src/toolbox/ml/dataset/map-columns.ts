import type { DatasetCard, DatasetColumn } from '../../../contract/ml/index.ts';
import { nearest } from '../../../kernel/index.ts';
import { DatasetError } from '../errors.ts';
import type { Row } from './raw-table.ts';
import { isObject } from './read-json.ts';
import type { TypedTable } from './infer-columns.ts';

/** Columns that the user names for a purpose. */
export interface WantedColumns {
  readonly text?: string | undefined;
  readonly prompt?: string | undefined;
  readonly completion?: string | undefined;
  readonly label?: string | undefined;
}

export interface MappedTable {
  readonly kind: DatasetCard['kind'];
  readonly label: string | null;
  readonly mapping: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

const labelNames =
  /^(?:label|labels|target|class|category|species|y|outcome|sentiment|is_spam|spam)$/i;
const completionNames = [
  ['prompt', 'completion'],
  ['prompt', 'response'],
  ['question', 'answer'],
  ['input', 'output'],
  ['source', 'target'],
  ['instruction', 'response'],
] as const;

/** Rows in the shape that engines take. The usual shapes of the field are recognised by their columns. */
export function mapColumns(source: string, table: TypedTable, wanted: WantedColumns): MappedTable {
  const names = table.columns.map(({ name }) => name);
  for (const name of Object.values(wanted)) {
    if (name === undefined || names.includes(name)) continue;
    const close = nearest(name, names);
    const hint = close === undefined ? '' : `; did you mean "${close}"?`;
    throw new DatasetError(source, `there is no such column${hint} It has ${names.join(', ')}`, {
      column: name,
    });
  }
  const { text, prompt, completion, label } = wanted;
  if (prompt !== undefined && completion !== undefined)
    return pairs(source, table, [prompt, completion]);
  if (label !== undefined) return labelled(source, table, label);
  if (text !== undefined) return texts(source, table, text);
  return recognise(source, table, names);
}

function recognise(source: string, table: TypedTable, names: readonly string[]): MappedTable {
  const has = (...wanted: readonly string[]): boolean => wanted.every((one) => names.includes(one));
  if (has('conversations')) return conversations(source, table, 'conversations');
  if (has('messages')) return conversations(source, table, 'messages');
  if (has('instruction', 'output')) return alpaca(source, table);
  if (has('context', 'question') && (has('answer') || has('answers'))) return squad(source, table);
  const pair = completionNames.find(
    (two) => has(...two) && two.every((one) => isTextual(table, one)),
  );
  if (pair) return pairs(source, table, pair);
  const label = names.find((name) => labelNames.test(name));
  if (label !== undefined && names.length > 1) return labelled(source, table, label);
  if (has('text')) return texts(source, table, 'text');
  const [only] = table.columns;
  if (table.columns.length === 1 && only?.type === 'text') return texts(source, table, only.name);
  throw new DatasetError(
    source,
    `which column is to be predicted? Give columns={"label": …}, {"text": …} or {"prompt": …, "completion": …}; it has ${names.join(', ')}`,
  );
}

const isTextual = ({ columns }: TypedTable, name: string): boolean =>
  columns.some((one) => one.name === name && one.type === 'text');

function textAt(
  source: string,
  { row, at, column }: { row: Row; at: number; column: string },
): string {
  const value = row[column];
  if (typeof value === 'string' && value.trim() !== '') return value;
  const shown =
    value === null || value === ''
      ? 'it is empty'
      : `it is not text: ${JSON.stringify(value)?.slice(0, 60)}`;
  throw new DatasetError(source, shown, { row: at + 1, column });
}

function texts(source: string, { rows }: TypedTable, column: string): MappedTable {
  const mapped = rows.map((row, at) => ({ text: textAt(source, { row, at, column }) }));
  return { kind: 'text', label: null, mapping: { text: column }, rows: mapped };
}

function pairs(
  source: string,
  { rows }: TypedTable,
  [prompt, completion]: readonly [string, string],
): MappedTable {
  const mapped = rows.map((row, at) => ({
    prompt: textAt(source, { row, at, column: prompt }),
    completion: textAt(source, { row, at, column: completion }),
  }));
  return completions(mapped, { prompt, completion });
}

const completions = (rows: readonly Row[], mapping: Record<string, string>): MappedTable => ({
  kind: 'completion',
  label: null,
  mapping,
  rows,
});

function alpaca(source: string, { rows }: TypedTable): MappedTable {
  const mapped = rows.map((row, at) => {
    const input = typeof row['input'] === 'string' ? row['input'].trim() : '';
    const instruction = textAt(source, { row, at, column: 'instruction' });
    return {
      prompt: input === '' ? instruction : `${instruction}\n\n${input}`,
      completion: textAt(source, { row, at, column: 'output' }),
    };
  });
  return completions(mapped, { prompt: 'instruction, input', completion: 'output' });
}

/** Questions without an answer teach nothing here and are left out. */
function squad(source: string, { rows }: TypedTable): MappedTable {
  const mapped = rows.flatMap((row, at) => {
    const { answers } = row;
    const listed =
      isObject(answers) && Array.isArray(answers['text']) ? answers['text'][0] : undefined;
    const answer = listed ?? row['answer'];
    if (typeof answer !== 'string' || answer === '') return [];
    const context = textAt(source, { row, at, column: 'context' });
    const question = textAt(source, { row, at, column: 'question' });
    return { prompt: `${context}\n\nQuestion: ${question}\nAnswer:`, completion: ` ${answer}` };
  });
  return completions(mapped, { prompt: 'context, question', completion: 'answer' });
}

/** The last answer, with everything said before as its prompt. */
function conversations(source: string, { rows }: TypedTable, column: string): MappedTable {
  const mapped = rows.map((row, at) => {
    const said = (Array.isArray(row[column]) ? row[column] : []).map(
      (turn: unknown, index: number) => {
        const who = isObject(turn) ? (turn['from'] ?? turn['role']) : undefined;
        const what = isObject(turn) ? (turn['value'] ?? turn['content']) : undefined;
        if (typeof who === 'string' && typeof what === 'string') return { who, what };
        throw new DatasetError(
          source,
          `turn ${index + 1} needs "from" and "value", or "role" and "content"`,
          { row: at + 1, column },
        );
      },
    );
    const last = said.findLastIndex(({ who }) => /^(?:gpt|assistant|model|bot)$/i.test(who));
    if (last < 1)
      throw new DatasetError(source, 'no answer of the assistant follows a question', {
        row: at + 1,
        column,
      });
    const prompt = said
      .slice(0, last)
      .map(({ what }) => what)
      .join('\n\n');
    return { prompt, completion: said[last]?.what ?? '' };
  });
  return completions(mapped, { prompt: column, completion: column });
}

function labelled(source: string, table: TypedTable, label: string): MappedTable {
  const nested = table.columns.find(({ type }) => type === 'object' || type === 'list');
  if (nested) {
    throw new DatasetError(source, `it is nested (${nested.type}); a table has flat columns only`, {
      column: nested.name,
    });
  }
  const at = table.rows.findIndex((row) => row[label] === null);
  if (at >= 0)
    throw new DatasetError(source, 'the label is missing', { row: at + 1, column: label });
  const found = table.columns.find(({ name }) => name === label);
  if (found && found.distinct < 2) {
    throw new DatasetError(source, 'every row has the same label: there is nothing to learn', {
      column: label,
    });
  }
  const features = table.columns.filter((one) => isFeature(one, label)).map(({ name }) => name);
  if (features.length === 0) {
    throw new DatasetError(source, 'no column is left to learn from', { column: label });
  }
  const kept = new Set([...features, label]);
  const rows = table.rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => kept.has(name))),
  );
  return { kind: 'table', label, mapping: { label, features: features.join(', ') }, rows };
}

/** Ids say nothing about what is to be predicted; an empty column neither. */
function isFeature({ name, least }: DatasetColumn, label: string): boolean {
  return (
    name !== label && least !== null && !/^(?:id|_id|uuid|guid|.*_id|index|unnamed: 0)$/i.test(name)
  );
}
