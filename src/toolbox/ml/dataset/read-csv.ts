import { DatasetError } from '../errors.ts';
import { maxColumns, maxRows, type RawTable, type Row } from './raw-table.ts';

const delimiters = [',', ';', '\t', '|'] as const;
const sampleLines = 20;

interface Csv {
  readonly source: string;
  readonly text: string;
  readonly delimiter?: string | undefined;
}

/** RFC 4180 with a header. Cells stay text; types are inferred later. A row of another length is an error. */
export function readCsv({ source, text, delimiter = guessDelimiter(text) }: Csv): RawTable {
  const rows: Row[] = [];
  const lines: number[] = [];
  let header: readonly string[] | undefined;
  for (const { cells, line } of recordsOf(source, text, delimiter)) {
    if (cells.length === 1 && cells[0] === '') continue;
    if (!header) {
      header = checkHeader(source, cells);
      continue;
    }
    const row = rows.length + 1;
    if (cells.length !== header.length) {
      const problem = `it has ${cells.length} cells, and the header has ${header.length} (delimiter ${JSON.stringify(delimiter)})`;
      throw new DatasetError(source, problem, { row, line });
    }
    if (row > maxRows) throw new DatasetError(source, `it has more than ${maxRows} rows`);
    rows.push(Object.fromEntries(header.map((name, at) => [name, cells[at] ?? null])));
    lines.push(line);
  }
  return { format: 'csv', rows, lines };
}

/** The one that splits the first lines into the same, largest number of cells. */
function guessDelimiter(text: string): string {
  const sample = text.slice(0, 100_000).split(/\r?\n/, sampleLines).filter(Boolean);
  const scored = delimiters.map((delimiter) => {
    const counts = sample.map((line) => line.split(delimiter).length);
    const first = counts[0] ?? 1;
    const same = counts.filter((count) => count === first).length / Math.max(1, counts.length);
    return { delimiter, score: first > 1 ? first * same : 0 };
  });
  const best = scored.toSorted((a, b) => b.score - a.score)[0];
  return best && best.score > 0 ? best.delimiter : ',';
}

function checkHeader(source: string, cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  if (names.length > maxColumns) {
    throw new DatasetError(source, `it has more than ${maxColumns} columns`, { line: 1 });
  }
  const empty = names.findIndex((name) => name === '');
  if (empty >= 0) throw new DatasetError(source, `column ${empty + 1} has no name`, { line: 1 });
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new DatasetError(source, 'the header names it twice', { line: 1, column: twice });
  }
  if (names.every((name) => name !== '' && Number.isFinite(Number(name)))) {
    const problem =
      'the header holds only numbers: the first line must have the names of the columns';
    throw new DatasetError(source, problem, { line: 1 });
  }
  return names;
}

function* recordsOf(
  source: string,
  text: string,
  delimiter: string,
): Generator<{ cells: string[]; line: number }> {
  let cells: string[] = [];
  let line = 1;
  let startLine = 1;
  let at = 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    if (cell === undefined) {
      const problem = 'a quoted cell begins here and does not end';
      throw new DatasetError(source, problem, { line });
    }
    cells.push(cell.value);
    line += cell.lines;
    at = cell.end;
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
      if (at < text.length) continue;
      cells.push('');
    }
    const isEnd = at >= text.length || text[at] === '\n' || text[at] === '\r';
    if (!isEnd) {
      throw new DatasetError(source, 'text follows a closing quotation mark', { line });
    }
    yield { cells, line: startLine };
    cells = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    startLine = line;
  }
  if (cells.length > 0) yield { cells, line: startLine };
}

interface Cell {
  readonly value: string;
  readonly end: number;
  readonly lines: number;
}

function quotedCell(text: string, start: number): Cell | undefined {
  let from = start + 1;
  const parts: string[] = [];
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') {
      const value = parts.join('"');
      return { value, end: quote + 1, lines: value.split('\n').length - 1 };
    }
    from = quote + 2;
  }
}

function plainCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') {
    end += 1;
  }
  return { value: text.slice(start, end), end, lines: 0 };
}
