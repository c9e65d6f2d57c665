import type { Log, LogFields } from '../../kernel/index.ts';
import { redactText } from '../redact/redact-text.ts';
import { redactValue } from '../redact/redact-value.ts';
import type { SpanIds } from '../trace/span.ts';
import { RotatingFile } from './rotating-file.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** The least important level that is written. */
  readonly level: LogLevel;
  /** The file lines go to; without it they go to `stream`. */
  readonly file?: string;
  /** Standard error when not given. Also takes the lines that the file did not. */
  readonly stream?: LineStream;
  readonly maxBytes?: number;
  readonly backupCount?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** The span that the running code belongs to. */
  readonly activeSpan?: () => SpanIds | undefined;
}

interface LineStream {
  write(text: string): unknown;
}

export interface RunningLog extends Log {
  /** The least important level that is written from here on, by its children too. */
  setLevel(level: LogLevel): void;
  isWritten(level: LogLevel): boolean;
  close(): void;
}

type WriteLine = (level: LogLevel, message: string, fields: LogFields) => void;

/**
 * A log of JSON lines without secrets. A line is in the file when the call returns, so a crash
 * loses none; what cannot be written to the file goes to the stream. Logging never throws.
 */
export function createLog(options: LogOptions): RunningLog {
  const stream = options.stream ?? process.stderr;
  const file = options.file === undefined ? undefined : openFile(options.file, options);
  let least = logLevels.indexOf(options.level);
  const write: WriteLine = (level, message, fields) => {
    if (logLevels.indexOf(level) < least) return;
    const line = formatLine({
      ...base(options, level),
      ...activeIds(options, fields),
      msg: redactText(message, logLimits.maxMessageLength),
      fields,
    });
    if (!file?.append(line)) writeSafely(stream, line);
  };
  return {
    ...logWith(write, {}),
    setLevel: (level) => {
      least = logLevels.indexOf(level);
    },
    isWritten: (level) => logLevels.indexOf(level) >= least,
    close: () => file?.close(),
  };
}

function openFile(path: string, options: LogOptions): RotatingFile {
  return new RotatingFile({
    path,
    maxBytes: options.maxBytes ?? logLimits.maxFileBytes,
    backupCount: options.backupCount ?? logLimits.backupCount,
  });
}

function logWith(write: WriteLine, bound: LogFields): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      write(level, message, { ...bound, ...fields });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => logWith(write, { ...bound, ...fields }),
  };
}

interface LineStart {
  readonly time: string;
  readonly level: LogLevel;
  readonly pid: number;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly runId?: string;
}

function base(options: LogOptions, level: LogLevel): LineStart {
  const time = new Date(options.now?.() ?? Date.now()).toISOString();
  return { time, level, pid: process.pid };
}

/** Ids that the fields give are meant: the event may be of another span than the one that is active. */
function activeIds(options: LogOptions, fields: LogFields): Partial<SpanIds> {
  if (fields['traceId'] !== undefined) return {};
  const { runId, ...ids } = options.activeSpan?.() ?? {};
  return runId === undefined || fields['runId'] !== undefined ? ids : { ...ids, runId };
}

function formatLine(
  line: LineStart & { readonly msg: string; readonly fields: LogFields },
): string {
  const { fields, ...start } = line;
  const shown = redactValue(fields, logLimits);
  const entries = Object.entries(
    typeof shown === 'object' && shown !== null ? shown : { fields: shown },
  );
  // A field never replaces a part of the line that every reader relies on.
  const named = entries.map(([key, value]) => [key in start ? `${key}_` : key, value]);
  const text = JSON.stringify({ ...start, ...Object.fromEntries(named) });
  if (text.length <= logLimits.maxLineLength) return `${text}\n`;
  return `${JSON.stringify({ ...start, cut: `the fields took ${text.length} characters` })}\n`;
}

function writeSafely(stream: LineStream, line: string): void {
  try {
    stream.write(line);
  } catch {
    // There is nowhere left to say so.
  }
}

/** Every limit of the log, with its unit. */
export const logLimits = {
  /** Size at which the file is put aside and a new one begun. */
  maxFileBytes: 100 * 1024 * 1024,
  /** Files put aside that are kept: `tutti.log.1` is the youngest. */
  backupCount: 5,
  /** A longer line keeps its message and loses its fields. */
  maxLineLength: 64 * 1024,
  maxMessageLength: 8 * 1024,
  maxDepth: 8,
  maxEntries: 100,
  maxValues: 1_000,
  maxStringLength: 8 * 1024,
  /** A rotation takes milliseconds; a lock this old was left by a process that died. */
  staleLockMs: 10_000,
} as const;
