import type { CollectedFile, CollectRequest } from '../../contract/sandbox/index.ts';
import { type Collected, Refusals } from './collect-files.ts';

const blockBytes = 512;
/** Entries that are looked at, whatever they are: a program may have made millions. */
const maxEntries = 50_000;
const maxNameBytes = 4096;

interface TarHeader {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly type: string;
}

/**
 * The regular files of an archive that an untrusted program may have influenced. Links, devices and
 * names that lead outside are reported, not followed; an archive that breaks off yields what came before.
 */
export function readTar(archive: Uint8Array, request: CollectRequest): Collected {
  const refusals = new Refusals();
  const files = new Map<string, CollectedFile>();
  let bytesLeft = request.maxBytes;
  for (const { path, header, bytes } of entriesOf(Buffer.from(archive), refusals)) {
    if (header.type === '5') continue;
    const problem = refusalOf(path, header, bytes);
    if (problem !== null) refusals.add(path, problem);
    else if (files.size >= request.maxFiles) {
      refusals.add(path, `${request.maxFiles} files were collected already`);
    } else if (header.size > bytesLeft) {
      const limit = `${request.maxBytes} bytes of all files together`;
      refusals.add(path, `its ${header.size} bytes would exceed ${limit}`);
    } else if (bytes && !files.has(path)) {
      bytesLeft -= bytes.length;
      files.set(path, { path, bytes, isExecutable: (header.mode & 0o111) !== 0 });
    }
  }
  return { files: [...files.values()], observations: refusals.observations() };
}

interface TarEntry {
  readonly path: string;
  readonly header: TarHeader;
  /** Null when the archive ends before the content does. */
  readonly bytes: Buffer | null;
}

function* entriesOf(archive: Buffer, refusals: Refusals): Generator<TarEntry> {
  let at = 0;
  let longName: string | null = null;
  for (let count = 0; at + blockBytes <= archive.length; count += 1) {
    const header = readHeader(archive.subarray(at, at + blockBytes));
    if (!header) return;
    if (count >= maxEntries) {
      return refusals.add('.', `only the first ${maxEntries} names were looked at`);
    }
    const start = at + blockBytes;
    const end = start + header.size;
    const bytes = end <= archive.length ? archive.subarray(start, end) : null;
    at = start + Math.ceil(header.size / blockBytes) * blockBytes;
    if (header.type === 'L' || header.type === 'x') {
      longName = longNameOf(header, bytes) ?? longName;
    } else if (header.type !== 'g' && header.type !== 'K') {
      yield { path: tidy(longName ?? header.name), header, bytes };
      longName = null;
    }
  }
}

/** Null at the two empty blocks that end an archive, and at what is no header. */
function readHeader(block: Buffer): TarHeader | null {
  const size = readNumber(block.subarray(124, 136));
  if (block[0] === 0 || size === null) return null;
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? text(block, 345, 500) : '';
  const name = text(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size,
    mode: readNumber(block.subarray(100, 108)) ?? 0,
    type: block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0x30),
  };
}

function text(block: Buffer, start: number, end: number): string {
  const stop = block.indexOf(0, start);
  return block.toString('utf8', start, stop === -1 || stop > end ? end : stop);
}

/** Octal digits, or binary with the first bit set for what octal cannot hold. */
function readNumber(field: Buffer): number | null {
  const first = field[0] ?? 0;
  if (first === 0x80) {
    const value = field.readBigUInt64BE(field.length - 8);
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
  }
  const digits = /^[ ]*([0-7]{1,21})[ \0]*$/.exec(field.toString('latin1'))?.[1];
  const value = digits === undefined ? null : Number.parseInt(digits, 8);
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

/** The name of the next entry, as GNU tar (`L`) or POSIX (`x`: `LENGTH path=NAME\n`) tell long ones. */
function longNameOf({ type }: TarHeader, bytes: Buffer | null): string | null {
  if (!bytes || bytes.length > maxNameBytes * 2) return null;
  const content = bytes.toString('utf8');
  if (type === 'L') return content.replace(/\0.*$/s, '');
  return /^\d{1,7} path=([^\n]*)$/m.exec(content)?.[1] ?? null;
}

function tidy(name: string): string {
  return name.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
}

function refusalOf(path: string, { type }: TarHeader, bytes: Buffer | null): string | null {
  const steps = path.split('/');
  if (path === '' || path.startsWith('/') || steps.includes('..') || path.includes('\0')) {
    return 'it leaves the work folder';
  }
  if (path.includes('\uFFFD')) return 'its name is not UTF-8';
  if (path.length > maxNameBytes) return 'its name is too long';
  if (type !== '0' && type !== '7') return 'it is no regular file';
  return bytes ? null : 'the archive broke off';
}
