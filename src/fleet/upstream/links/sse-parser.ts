export interface SseEvent {
  /** `message` by default. */
  readonly type: string;
  /** Valid only until the call returns. */
  readonly data: Buffer;
}

export interface SseParserOptions {
  readonly maxEventBytes: number;
  readonly onEvent: (event: SseEvent) => void;
  /** An event was larger than allowed and is skipped; called once for it. */
  readonly onLongEvent: () => void;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const lineFeed = Buffer.from([newline]);
const maxIdLength = 1_000;
/** Overhead per buffered line, so that many empty lines count. */
const lineCostBytes = 64;
const maxRetryMs = 60_000;

/**
 * Parses an event stream (WHATWG HTML, "server-sent events") incrementally, in linear time, buffering at most one
 * event of `maxEventBytes`. An incomplete event at the end is dropped.
 */
export class SseParser {
  readonly #options: SseParserOptions;
  /** The id to resume after; undefined while no event had one. */
  lastEventId: string | undefined;
  /** The reconnection delay requested by the server. */
  retryMs: number | undefined;
  #line: Buffer[] = [];
  #lineLength = 0;
  #data: Buffer[] = [];
  #eventLength = 0;
  #type = '';
  #id: string | undefined;
  #isFirstLine = true;
  #isSkipping = false;
  #mayFollowLineFeed = false;

  constructor(options: SseParserOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    let start = this.#mayFollowLineFeed && chunk[0] === newline ? 1 : 0;
    this.#mayFollowLineFeed = false;
    // Each is searched once per position, so that a stream with only one kind stays linear.
    let nextReturn = chunk.indexOf(carriageReturn, start);
    let nextFeed = chunk.indexOf(newline, start);
    for (;;) {
      if (nextReturn !== -1 && nextReturn < start) {
        nextReturn = chunk.indexOf(carriageReturn, start);
      }
      if (nextFeed !== -1 && nextFeed < start) nextFeed = chunk.indexOf(newline, start);
      const isReturn = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed);
      const end = isReturn ? nextReturn : nextFeed;
      if (end === -1) break;
      this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
      if (!isReturn) continue;
      if (start === chunk.length) this.#mayFollowLineFeed = true;
      else if (chunk[start] === newline) start += 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  #hold(part: Buffer): void {
    this.#lineLength += part.length;
    if (this.#isSkipping) return;
    if (this.#eventLength + this.#lineLength > this.#options.maxEventBytes) {
      this.#skipEvent();
      return;
    }
    this.#line.push(part);
  }

  #skipEvent(): void {
    this.#isSkipping = true;
    this.#line = [];
    this.#data = [];
    this.#options.onLongEvent();
  }

  #finishLine(last: Buffer): void {
    this.#hold(last);
    const isEmpty = this.#lineLength === 0;
    const parts = this.#line;
    this.#line = [];
    this.#lineLength = 0;
    if (isEmpty) this.#finishEvent();
    else if (!this.#isSkipping) this.#readField(this.#withoutMark(joined(parts)));
  }

  #withoutMark(line: Buffer): Buffer {
    const hasMark = this.#isFirstLine && line.subarray(0, 3).equals(byteOrderMark);
    this.#isFirstLine = false;
    return hasMark ? line.subarray(3) : line;
  }

  #readField(line: Buffer): void {
    const end = line.indexOf(colon);
    if (end === 0) return;
    const name = line.toString('latin1', 0, end === -1 ? line.length : end);
    const from = end === -1 ? line.length : end + (line[end + 1] === space ? 2 : 1);
    if (name === 'data') {
      if (this.#data.length > 0) this.#data.push(lineFeed);
      this.#data.push(line.subarray(from));
      this.#eventLength += line.length + lineCostBytes;
      return;
    }
    if (name === 'event') this.#type = line.toString('utf8', from);
    else if (name === 'id') this.#id = readId(line.toString('utf8', from)) ?? this.#id;
    else if (name === 'retry') this.#readRetry(line.toString('latin1', from));
  }

  #readRetry(text: string): void {
    if (/^\d+$/.test(text)) this.retryMs = Math.min(Number(text), maxRetryMs);
  }

  #finishEvent(): void {
    const data = this.#data;
    const type = this.#type === '' ? 'message' : this.#type;
    const wasSkipped = this.#isSkipping;
    this.lastEventId = this.#id;
    this.#data = [];
    this.#eventLength = 0;
    this.#type = '';
    this.#isSkipping = false;
    this.#isFirstLine = false;
    if (!wasSkipped && data.length > 0) this.#options.onEvent({ type, data: joined(data) });
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

/** Only ids that fit into a header are accepted. */
function readId(text: string): string | undefined {
  return text.length <= maxIdLength && /^[\x20-\x7e]*$/.test(text) ? text : undefined;
}
