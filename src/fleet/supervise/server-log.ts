import { appendFile, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ServerLogLimits {
  /** Lines kept in memory. */
  readonly maxLines: number;
  /** Size at which the file is put aside as `NAME.log.1`, in place of the one before. */
  readonly maxFileBytes: number;
  /** Text that may wait to be written; more than that is dropped and counted. */
  readonly maxWaitingLength: number;
}

const defaultLimits: ServerLogLimits = {
  maxLines: 500,
  maxFileBytes: 1_000_000,
  maxWaitingLength: 1_000_000,
};

/** How much of the end of a file `readLogFile` looks at. */
const maxTailBytes = 256 * 1024;

/**
 * What a server writes to standard error: the latest lines in memory, and a file of bounded size for
 * other processes to read. A file that cannot be written loses lines and disturbs nobody.
 */
export class ServerLog {
  readonly #path: string;
  readonly #limits: ServerLogLimits;
  readonly #lines: string[] = [];
  #waiting = '';
  #dropped = 0;
  #fileBytes: number | undefined;
  #writing: Promise<void> | undefined;

  constructor(path: string, limits: Partial<ServerLogLimits> = {}) {
    this.#path = path;
    this.#limits = { ...defaultLimits, ...limits };
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > this.#limits.maxLines) this.#lines.shift();
    if (this.#waiting.length + line.length > this.#limits.maxWaitingLength) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += `${line}\n`;
    this.#writing ??= this.#write();
  }

  /** The latest lines: of this process, or of one before it where this one has none. */
  async tail(maxLines: number): Promise<readonly string[]> {
    if (this.#lines.length > 0) return this.#lines.slice(-maxLines);
    return readLogFile(this.#path, maxLines);
  }

  /** Resolves when everything added is in the file or given up on. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Ends: it takes what waits, and `add` bounds that. */
  async #write(): Promise<void> {
    while (this.#waiting !== '') {
      const notice = this.#dropped === 0 ? '' : `(${this.#dropped} lines were not written)\n`;
      const text = this.#waiting + notice;
      this.#waiting = '';
      this.#dropped = 0;
      await this.#append(text).catch(() => {});
    }
    // In the same turn as the last look at what waits: what is added from here on is written anew.
    this.#writing = undefined;
  }

  async #append(text: string): Promise<void> {
    if (this.#fileBytes === undefined) {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#fileBytes = await sizeOf(this.#path);
    }
    if (this.#fileBytes >= this.#limits.maxFileBytes) {
      this.#fileBytes = 0;
      // Somebody may have taken it away; then there is nothing to put aside.
      await rename(this.#path, `${this.#path}.1`).catch(() => {});
    }
    await appendFile(this.#path, text, { mode: 0o600 });
    this.#fileBytes += Buffer.byteLength(text);
  }
}

/** The latest lines of a log file; none where there is no file. */
export async function readLogFile(path: string, maxLines: number): Promise<readonly string[]> {
  let file;
  try {
    file = await open(path, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxTailBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').split('\n');
    // Cut in its middle, the first line says nothing.
    if (size > length) lines.shift();
    if (lines.at(-1) === '') lines.pop();
    return lines.slice(-maxLines);
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path, 'a', 0o600);
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
