import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { ArtifactDamagedError } from './errors.ts';
import { isMissing } from './content-files.ts';

const chunkBytes = 1024 * 1024;
/** Files whose digest need not be computed again as long as they look the same. */
const maxKnown = 1_000;

/** What one full read of a file tells of it. */
export interface CheckedContent {
  readonly bytes: number;
  readonly isUtf8: boolean;
}

interface Known extends CheckedContent {
  /** Changes whenever the file does, or is another one. */
  readonly look: string;
}

/** A place and what must be there. */
export interface Expected {
  readonly id: string;
  readonly path: string;
}

/** Reads files whose names are their digests. What it gives is what was kept, or it throws. */
export class ContentReader {
  readonly #known = new Map<string, Known>();

  /** All of it, always checked. */
  async readAll(expected: Expected): Promise<Uint8Array> {
    return this.#with(expected, async (file) => {
      const content = await file.readFile();
      const digest = createHash('sha256').update(content).digest('hex');
      if (`sha256:${digest}` !== expected.id) throw changed(expected);
      return content;
    });
  }

  /** Runs `work` on an open file that was checked, by its digest or because nothing touched it since. */
  async read<Result>(
    expected: Expected,
    work: (file: FileHandle, content: CheckedContent) => Promise<Result>,
  ): Promise<Result> {
    return this.#with(expected, async (file) => work(file, await this.#check(file, expected)));
  }

  async #check(file: FileHandle, expected: Expected): Promise<CheckedContent> {
    const { ino, size, mtimeMs, ctimeMs } = await file.stat();
    const look = [ino, size, mtimeMs, ctimeMs].join(' ');
    const known = this.#known.get(expected.id);
    if (known?.look === look) return known;
    const { digest, isUtf8 } = await digestOf(file);
    if (`sha256:${digest}` !== expected.id) throw changed(expected);
    if (this.#known.size >= maxKnown) this.#known.clear();
    const checked = { bytes: size, isUtf8, look };
    this.#known.set(expected.id, checked);
    return checked;
  }

  async #with<Result>(
    expected: Expected,
    work: (file: FileHandle) => Promise<Result>,
  ): Promise<Result> {
    const file = await open(expected.path, 'r').catch((error: unknown) => {
      const reason = isMissing(error)
        ? 'its file is gone'
        : `its file cannot be opened: ${String(error)}`;
      throw new ArtifactDamagedError(expected.id, { path: expected.path, reason });
    });
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }
}

async function digestOf(file: FileHandle): Promise<{ digest: string; isUtf8: boolean }> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let isUtf8 = true;
  const decode = (bytes?: Uint8Array): void => {
    try {
      if (isUtf8) decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      isUtf8 = false;
    }
  };
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    decode(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  decode();
  return { digest: hash.digest('hex'), isUtf8 };
}

function changed({ id, path }: Expected): ArtifactDamagedError {
  return new ArtifactDamagedError(id, { path, reason: 'its bytes are not those that were kept' });
}
