import { gunzipSync } from 'node:zlib';
import { DatasetError } from '../errors.ts';
import { maxSourceBytes } from './raw-table.ts';

export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

const marks = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;
const sampleBytes = 4_096;
/** ASCII in UTF-16 has a zero in every second byte. */
const zeroShare = 0.3;

/** Text of a file: by its byte order mark, as UTF-16 by its zeros, else as UTF-8, which is checked. */
export function decodeSource(source: string, given: Uint8Array, wanted?: string): DecodedText {
  const bytes = inflate(source, given);
  const mark = marks.find((one) => one.bytes.every((byte, at) => bytes[at] === byte));
  const encoding = wanted ?? mark?.encoding ?? guess(bytes);
  if (encoding === undefined) {
    throw new DatasetError(
      source,
      'it is a binary file, not text; datasets are csv, jsonl, json, parquet, text or folders of images',
    );
  }
  const decoder = decoderFor(source, encoding);
  try {
    const text = decoder.decode(bytes);
    return { text, encoding: decoder.encoding };
  } catch {
    throw badByte(source, bytes, decoder.encoding);
  }
}

function decoderFor(source: string, encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new DatasetError(source, `"${encoding}" is not a known encoding`);
  }
}

/** A small compressed file can be a large one: it is unpacked up to the limit only. */
function inflate(source: string, bytes: Uint8Array): Uint8Array {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4) {
    throw new DatasetError(source, 'it is a zip archive; unpack it first');
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxSourceBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    const problem = isTooLarge
      ? `it is ${bytes.length} bytes of gzip and more than ${maxSourceBytes} bytes unpacked`
      : 'it is damaged gzip data';
    throw new DatasetError(source, problem);
  }
}

function guess(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  const zeros = [0, 1].map(
    (odd) => sample.filter((byte, at) => byte === 0 && at % 2 === odd).length,
  );
  const [even = 0, odd = 0] = zeros;
  if (even + odd === 0) return 'utf-8';
  if (odd > sample.length * zeroShare && even < odd / 10) return 'utf-16le';
  if (even > sample.length * zeroShare && odd < even / 10) return 'utf-16be';
  return undefined;
}

/** Names the first line that cannot be read, and the likeliest encoding. */
function badByte(source: string, bytes: Uint8Array, encoding: string): DatasetError {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let good = 0;
  let end = bytes.length;
  // Halving finds the first bad byte; a character cut at the edge counts as good.
  while (end - good > 1) {
    const middle = Math.floor((good + end) / 2);
    if (decodes(decoder, bytes.subarray(0, middle))) good = middle;
    else end = middle;
  }
  let lead = good;
  while (lead > 0 && good - lead < 3 && ((bytes[lead - 1] ?? 0) & 0xc0) === 0x80) lead -= 1;
  // A character that begins here was cut by the bad byte.
  if (lead > 0 && (bytes[lead - 1] ?? 0) >= 0xc0) good = lead - 1;
  const line = bytes.subarray(0, good).filter((byte) => byte === 0x0a).length + 1;
  const value = (bytes[good] ?? 0).toString(16).padStart(2, '0');
  const advice = 'give encoding=windows-1252 (or what it is), or save it as UTF-8';
  return new DatasetError(
    source,
    `byte 0x${value} at offset ${good} is not ${encoding}: ${advice}`,
    { line },
  );
}

function decodes(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  } finally {
    try {
      decoder.decode();
    } catch {
      // Only resets it after a character that was cut.
    }
  }
}
