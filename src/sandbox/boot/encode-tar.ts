import type { JobFile } from './encode-job.ts';

const blockBytes = 512;
/** Longer names come in an entry of their own before the file, as GNU tar does it. */
const maxNameBytes = 100;

/** An archive of regular files; folders come into being with them. */
export function encodeTar(files: readonly JobFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { path, bytes, mode } of files) {
    const name = Buffer.from(path);
    if (name.length > maxNameBytes) {
      const longName = Buffer.concat([name, Buffer.alloc(1)]);
      parts.push(header(Buffer.from('././@LongLink'), longName.length, { mode, type: 'L' }));
      parts.push(...padded(longName));
    }
    parts.push(header(name.subarray(0, maxNameBytes), bytes.length, { mode, type: '0' }));
    parts.push(...padded(bytes));
  }
  parts.push(Buffer.alloc(2 * blockBytes));
  return Buffer.concat(parts);
}

interface EntryKind {
  readonly mode: number;
  readonly type: '0' | 'L';
}

function header(name: Uint8Array, size: number, { mode, type }: EntryKind): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  block.set(name, 0);
  block.write(octal(mode, 7), 100, 'latin1');
  block.write(octal(0, 7), 108, 'latin1');
  block.write(octal(0, 7), 116, 'latin1');
  block.write(octal(size, 11), 124, 'latin1');
  block.write(octal(Math.floor(Date.now() / 1000), 11), 136, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar  ', 257, 'latin1');
  // The sum is taken with spaces in the place of the sum itself.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padded(bytes: Uint8Array): Uint8Array[] {
  const rest = bytes.length % blockBytes;
  return rest === 0 ? [bytes] : [bytes, Buffer.alloc(blockBytes - rest)];
}
