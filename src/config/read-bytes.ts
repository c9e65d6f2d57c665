import { readFileStart, UnusableFileError } from '../kernel/index.ts';

/** The first `maxBytes` of a file; undefined when there is none. */
export async function readBytes(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await readFileStart(path, { maxBytes });
  } catch (error) {
    if (error instanceof UnusableFileError && error.reason === 'missing') return undefined;
    throw error;
  }
}

/** Bytes as UTF-8 text; undefined when they are not. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
