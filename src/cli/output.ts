import type { System } from '../compose/index.ts';
import type { ContentBlock } from '../contract/tool/index.ts';
import { pluralize } from '../kernel/index.ts';
import { UsageError } from './errors.ts';
import type { Invocation } from './invocation.ts';
import type { Io, TextStream } from './io.ts';
import { ownEscape, singleLine } from './printable.ts';

/** Where a command's words go: results to stdout, all else to stderr. */
export interface Output {
  readonly isJson: boolean;
  readonly paint: Paint;
  /** The command's one result: as a JSON document with `--json`, else as the text. */
  result(json: unknown, text: () => string): void;
  /** The same for what a tool or run gave: the text goes into a pipe as it is, for the program behind it. */
  data(json: unknown, text: () => string): void;
  /** A line for the person at the terminal. */
  note(line: string): void;
  /** Waits for the work; when it takes longer than a second, standard error says what is waited for. */
  during<Result>(what: Waiting, work: Promise<Result>): Promise<Result>;
}

/** What is waited for; found out when it takes long where that costs something. */
type Waiting = string | (() => Promise<string>);

/** Colours, or nothing where colours are off. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** After this long without output, the user is shown what is pending. */
const maxSilenceMs = 1_000;

export function createOutput(io: Io, isJson: boolean): Output {
  const isTerminal = io.stdout.isTTY === true;
  const show = (stream: TextStream, json: unknown, text: () => string): void => {
    const shown = isJson ? JSON.stringify(json, null, isTerminal ? 2 : 0) : text();
    stream.write(shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`);
  };
  return {
    isJson,
    paint: createPaint(io),
    result: (json, text) => show(io.stdout, json, text),
    data: (json, text) => show(isTerminal || isJson ? io.stdout : io.rawStdout, json, text),
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

function createPaint({ stdout, env }: Io): Paint {
  const isOff = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb' || stdout.isTTY !== true;
  const painter = (begin: number, end: number) => (text: string) =>
    isOff ? text : `${ownEscape}[${begin}m${text}${ownEscape}[${end}m`;
  return {
    bold: painter(1, 22),
    dim: painter(2, 22),
    red: painter(31, 39),
    green: painter(32, 39),
    yellow: painter(33, 39),
  };
}

/** A cell longer than this pushes its own row to the right, and not all the others. */
const maxColumnWidth = 48;

/** Rows as columns, each but the last as wide as its widest cell. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(singleLine));
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

/** Content as text for a terminal; what is no text is named. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join('\n');
}

function blockText(block: ContentBlock): string {
  const { type, text, mimeType, data, uri, resource } = block;
  if (type === 'text') return String(text);
  if (type === 'resource_link') return String(uri);
  if (type === 'resource') {
    const { text: inner, uri: address } = Object(resource);
    return String(inner ?? address);
  }
  const size = typeof data === 'string' ? `, ${data.length} base64 characters` : '';
  return `[${type}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}${size}: use --json]`;
}

/** An ISO time as this output shows it. */
export type ShowTime = (iso: string) => string;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "2 min ago" at a terminal; in a pipe the local date and minute, which sort. */
export function timeShower({ stdout }: Pick<Io, 'stdout'>, nowMs = Date.now()): ShowTime {
  return (iso) => {
    const ms = Date.parse(iso);
    if (Number.isNaN(ms)) return iso;
    return stdout.isTTY === true ? agoText(nowMs - ms, ms) : localMinute(ms);
  };
}

function agoText(agoMs: number, ms: number): string {
  if (agoMs < 0) return localMinute(ms);
  if (agoMs < minuteMs) return 'just now';
  if (agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min ago`;
  if (agoMs < dayMs) return `${Math.floor(agoMs / hourMs)} h ago`;
  if (agoMs < 2 * dayMs) return 'yesterday';
  return agoMs < 7 * dayMs ? `${Math.floor(agoMs / dayMs)} days ago` : localMinute(ms).slice(0, 10);
}

/** `2026-11-17 19:05`, by the clock on the wall. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Text of a tool or run for a terminal: secrets are hidden. Programs, in a pipe or with `--json`, get it as it is. */
export async function hideOnScreen(
  text: string,
  { io, output }: Pick<Invocation, 'io' | 'output'>,
  { hideSecrets }: Pick<System, 'hideSecrets'>,
): Promise<string> {
  if (output.isJson || io.stdout.isTTY !== true) return text;
  const hide = await hideSecrets();
  const hidden = hide(text);
  if (hidden.count > 0) {
    const are = hidden.count === 1 ? 'is' : 'are';
    output.note(`${pluralize(hidden.count, 'secret')} ${are} hidden; --json prints all of it`);
  }
  return hidden.text;
}

const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** A number alone is milliseconds. */
export function durationMs(option: string, text: string): number {
  const [, digits = '', unit = 'ms'] = /^(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === '') {
    throw new UsageError(`--${option} wants a duration such as 500ms, 2s or 1h, and got "${text}"`);
  }
  return Number(digits) * (unitMs.get(unit) ?? 1);
}
