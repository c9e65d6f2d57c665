import { appendFile, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ServerLogLimits {
  /** Lines kept in memory. */
  readonly maxLines: number;
  /** Size at which the file is rotated to `NAME.log.1`. */
  readonly maxFileBytes: number;
  /** Size of the write queue; lines beyond it are dropped and counted. */
  readonly maxWaitingLength: number;
}

const defaultLimits: ServerLogLimits = {
  maxLines: 500,
  maxFileBytes: 1_000_000,
  maxWaitingLength: 1_000_000,
};

/** How much of the end of a file `readLogFile` reads. */
const maxTailBytes = 256 * 1024;

/**
 * Standard error of a server: the latest lines in memory, and a file of bounded size for other processes.
 * Write failures lose lines and have no other effect.
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

  /** The latest lines; from the file of earlier processes while this one has none. */
  async tail(maxLines: number): Promise<readonly string[]> {
    if (this.#lines.length > 0) return this.#lines.slice(-maxLines);
    return readLogFile(this.#path, maxLines);
  }

  /** Resolves when everything added is written or dropped. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Terminates: it drains the queue, which `add` bounds. */
  async #write(): Promise<void> {
    while (this.#waiting !== '') {
      const notice = this.#dropped === 0 ? '' : `(${this.#dropped} lines were not written)\n`;
      const text = this.#waiting + notice;
      this.#waiting = '';
      this.#dropped = 0;
      await this.#append(text).catch(() => {});
    }
    // In the same tick as the last check of the queue, so that no line added later is missed.
    this.#writing = undefined;
  }

  async #append(text: string): Promise<void> {
    if (this.#fileBytes === undefined) {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#fileBytes = await sizeOf(this.#path);
    }
    if (this.#fileBytes >= this.#limits.maxFileBytes) {
      this.#fileBytes = 0;
      // The file may have been removed; then there is nothing to rotate.
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
    // The first line is truncated.
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
