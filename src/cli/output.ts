import type { Io } from './io.ts';

/** Where a command's words go: results to stdout, all else to stderr. */
export interface Output {
  readonly isJson: boolean;
  readonly paint: Paint;
  /** The command's one result: as a JSON document with `--json`, else as the text. */
  result(json: unknown, text: () => string): void;
  /** A line for the person at the terminal. */
  note(line: string): void;
  /** Waits for the work; when it takes longer than a second, standard error says what is waited for. */
  during<Result>(what: Waiting, work: Promise<Result>): Promise<Result>;
}

/** What is waited for; found out when it takes long where that costs something. */
export type Waiting = string | (() => Promise<string>);

/** Colours, or nothing where colours are off. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Who waits longer without a word begins to wonder. */
const maxSilenceMs = 1_000;

export async function createOutput(io: Io, isJson: boolean): Promise<Output> {
  const paint = await createPaint(io);
  return {
    isJson,
    paint,
    result: (json, text) => {
      const shown = isJson ? JSON.stringify(json, null, io.stdout.isTTY === true ? 2 : 0) : text();
      io.stdout.write(shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`);
    },
    note: (line) => io.stderr.write(`${line}\n`),
    during: async (what, work) => {
      let isOver = false;
      const tell = async (): Promise<void> => {
        const text = typeof what === 'string' ? what : await what();
        if (!isOver) io.stderr.write(`${text} …\n`);
      };
      const silence = setTimeout(() => void tell().catch(() => {}), maxSilenceMs);
      return work.finally(() => {
        isOver = true;
        clearTimeout(silence);
      });
    },
  };
}

async function createPaint({ stdout, env }: Io): Promise<Paint> {
  const isOff = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb' || stdout.isTTY !== true;
  const { default: picocolors } = await import('picocolors');
  return picocolors.createColors(!isOff);
}

/** A cell longer than this pushes its own row to the right, and not all the others. */
const maxColumnWidth = 48;

/** Rows as columns, each but the last as wide as its widest cell. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) {
      const width = cell.length > maxColumnWidth ? 0 : cell.length;
      widths[column] = Math.max(widths[column] ?? 0, width);
    }
  }
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Others' words with a sign in place of what moves the cursor or turns the writing around. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/**
 * The same over several lines, which stay lines. Takes each character by itself, so text may come in pieces
 * cut anywhere.
 */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/(?![\n\t])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** The first `maxLength` characters, with a sign where there were more. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

/** The first sentence, or the first `maxLength` characters of it. */
export function firstSentence(text: string, maxLength: number): string {
  const [line = ''] = text.trim().split('\n', 1);
  const end = line.indexOf('. ');
  const sentence = end < 0 ? line : line.slice(0, end + 1);
  return sentence.length <= maxLength ? sentence : `${sentence.slice(0, maxLength - 1)}…`;
}
