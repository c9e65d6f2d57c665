import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { logLevels, logLimits, type LogLevel } from './create-log.ts';

/** One line of the log; the other members are its fields. */
export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** All conditions given must hold. */
export interface LogQuery {
  /** The least important level. */
  readonly level?: LogLevel;
  /** The beginning of an id. */
  readonly run?: string;
  readonly trace?: string;
  /** The whole name. */
  readonly server?: string;
  readonly sinceMs?: number;
}

/** Up to where the log was read. */
interface LogPosition {
  readonly inode: number;
  readonly offset: number;
}

interface ReadLog {
  /** The latest ones that match, oldest first. */
  readonly lines: readonly LogLine[];
  /** Lines that were not written by Tutti, or torn. */
  readonly unreadable: number;
  readonly end: LogPosition | undefined;
}

const pollMs = 250;
const chunkBytes = 64 * 1024;

/** Reads the log and what was rotated away, newest file first, until enough lines match. Ends early when the signal aborts. */
export async function readLog(
  file: string,
  { query, limit, signal }: { query: LogQuery; limit: number; signal: AbortSignal },
): Promise<ReadLog> {
  let lines: readonly LogLine[] = [];
  let unreadable = 0;
  let end: LogPosition | undefined;
  const since = query.sinceMs ?? 0;
  for (const path of await filesOf(file)) {
    const there = await stat(path).catch(() => undefined);
    if (!there?.isFile()) continue;
    const found: LogLine[] = [];
    const split = new LineSplitter();
    // What is added from here on is for the follower: the end is where this look began.
    const range = { end: Math.max(0, there.size - 1), highWaterMark: chunkBytes };
    for await (const chunk of there.size === 0 ? [] : createReadStream(path, range)) {
      if (signal.aborted) break;
      for (const text of split.add(chunk)) {
        const line = parseLine(text);
        if (!line) unreadable += 1;
        else if (matches(line, query) && found.push(line) > 2 * limit) found.splice(0, limit);
      }
    }
    if (path === file) end = { inode: there.ino, offset: there.size - split.pendingBytes };
    lines = [...found, ...lines].slice(-limit);
    if (signal.aborted || lines.length >= limit || there.mtimeMs < since) break;
  }
  return { lines, unreadable, end };
}

/** Hands over each line that is added and matches, across rotations, until the signal aborts. */
export async function followLog(
  file: string,
  options: {
    readonly query: LogQuery;
    readonly from: LogPosition | undefined;
    readonly signal: AbortSignal;
    readonly onLine: (line: LogLine) => void;
  },
): Promise<void> {
  const { query, signal, onLine } = options;
  let tail: Tail | undefined;
  let { from } = options;
  try {
    while (!signal.aborted) {
      const there = await stat(file).catch(() => undefined);
      if (tail && there?.ino !== tail.inode) {
        // The rest of the file that was rotated away; its descriptor is still open.
        await tail.read(emit);
        await tail.close();
        tail = undefined;
      }
      if (there) {
        tail ??= await Tail.open(file, from).catch(() => undefined);
        from = undefined;
      }
      await tail?.read(emit);
      await pause(pollMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    await tail?.close();
  }

  function emit(text: string): void {
    const line = parseLine(text);
    if (line && matches(line, query)) onLine(line);
  }
}

/** An open log file that grows. */
class Tail {
  readonly inode: number;
  readonly #handle: FileHandle;
  #offset: number;
  #split = new LineSplitter();

  constructor(handle: FileHandle, { inode, offset }: LogPosition) {
    this.#handle = handle;
    this.inode = inode;
    this.#offset = offset;
  }

  static async open(file: string, from: LogPosition | undefined): Promise<Tail> {
    const handle = await open(file, 'r');
    const { ino: inode } = await handle.stat();
    return new Tail(handle, { inode, offset: from?.inode === inode ? from.offset : 0 });
  }

  async read(emit: (text: string) => void): Promise<void> {
    if ((await this.#handle.stat()).size < this.#offset) {
      this.#offset = 0;
      this.#split = new LineSplitter();
    }
    const buffer = Buffer.alloc(chunkBytes);
    for (;;) {
      const { bytesRead } = await this.#handle.read(buffer, 0, chunkBytes, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      for (const text of this.#split.add(buffer.subarray(0, bytesRead))) emit(text);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Whole lines of a byte stream. A line longer than any of ours is handed over in pieces, which are not readable. */
class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  get pendingBytes(): number {
    return Buffer.byteLength(this.#rest);
  }

  add(chunk: Buffer): readonly string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    const last = lines.pop() ?? '';
    const isTooLong = last.length > 2 * logLimits.maxLineLength;
    this.#rest = isTooLong ? '' : last;
    return (isTooLong ? [...lines, last] : lines).filter((line) => line !== '');
  }
}

/** The log, then `.1`, `.2` …: newest first. */
async function filesOf(file: string): Promise<readonly string[]> {
  const name = basename(file);
  const names = await readdir(dirname(file)).catch(() => []);
  const numbers = names
    .filter(
      (other) => other.startsWith(`${name}.`) && /^\d{1,4}$/.test(other.slice(name.length + 1)),
    )
    .map((other) => Number(other.slice(name.length + 1)))
    .toSorted((a, b) => a - b);
  return [file, ...numbers.map((number) => join(dirname(file), `${name}.${number}`))];
}

function parseLine(text: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLogLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isLogLine(value: unknown): value is LogLine {
  if (typeof value !== 'object' || value === null) return false;
  const has = (name: string): boolean => typeof Reflect.get(value, name) === 'string';
  return has('time') && has('level') && has('msg');
}

function matches(line: LogLine, { level, run, trace, server, sinceMs }: LogQuery): boolean {
  const rank = (name: string): number => logLevels.findIndex((known) => known === name);
  const begins = (value: unknown, start: string | undefined): boolean =>
    start === undefined || (typeof value === 'string' && value.startsWith(start));
  return (
    (level === undefined || rank(line.level) >= rank(level)) &&
    begins(line['runId'], run) &&
    begins(line['traceId'], trace?.toLowerCase()) &&
    (server === undefined || line['server'] === server) &&
    (sinceMs === undefined || Date.parse(line.time) >= sinceMs)
  );
}
