import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { UnreadableInputError } from './errors.ts';
import type { Io } from './io.ts';

/** Arguments larger than this do not belong on a command line, not even in a file. */
const maxInputBytes = 67_108_864;

/** The text of a file, or of standard input when the name is `-`. */
export async function readInput(name: string, io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await openInput(name, io)) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxInputBytes) {
      throw new UnreadableInputError(name, `it is longer than ${maxInputBytes} bytes`);
    }
    chunks.push(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UnreadableInputError(name, 'it is not UTF-8 text');
  }
}

/** A stream that ends with an error when the user cancels, even while it waits for more. */
async function openInput(name: string, io: Io): Promise<Readable> {
  if (name === '-') return addAbortSignal(io.signal, io.stdin);
  try {
    const handle = await open(resolve(io.cwd, name));
    if (!(await handle.stat()).isDirectory()) {
      return addAbortSignal(io.signal, handle.createReadStream());
    }
    await handle.close();
  } catch (error) {
    throw new UnreadableInputError(name, reasonOf(error), { cause: error });
  }
  throw new UnreadableInputError(name, 'it is a folder');
}

function reasonOf(error: unknown): string {
  const { code, message }: Partial<NodeJS.ErrnoException> = Object(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'you have no permission to read it';
  return message ?? String(error);
}
