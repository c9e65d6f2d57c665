import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fail } from './channel.mjs';

const maxHeaderBytes = 100 * 1024 * 1024;
const widths = { F32: 4, F16: 2, BF16: 2 };

/** `{ name: { shape, values } }` with values as float32. Every offset is checked against the file. */
export function readTensors(path, isWanted = () => true) {
  const file = openSync(path);
  try {
    const size = fstatSync(file).size;
    const damaged = (why) =>
      fail('ml.damaged_model', `"${path.split('/').at(-1)}" is no usable safetensors file: ${why}`);
    if (size < 8) damaged(`it has ${size} bytes`);
    const headerBytes = Number(take(file, 0, 8).readBigUInt64LE());
    if (headerBytes > Math.min(maxHeaderBytes, size - 8))
      damaged(`its header would have ${headerBytes} bytes, and the file has ${size}`);
    let header;
    try {
      header = JSON.parse(take(file, 8, headerBytes).toString());
    } catch {
      damaged('its header is not JSON');
    }
    const tensors = {};
    for (const [name, { dtype, shape, data_offsets: range }] of Object.entries(header)) {
      if (name === '__metadata__' || !isWanted(name)) continue;
      const width =
        widths[dtype] ??
        fail(
          'ml.unsupported_model',
          `the tensor "${name}" has the type ${dtype}; F32, F16 and BF16 can be read`,
        );
      const count = shape.reduce((product, length) => product * length, 1);
      const [start, end] = range;
      if (!(start >= 0 && end - start === count * width && 8 + headerBytes + end <= size))
        damaged(`the tensor "${name}" (${shape.join(' × ')}) does not fit into it`);
      tensors[name] = {
        shape,
        values: toFloats(take(file, 8 + headerBytes + start, end - start), dtype, count),
      };
    }
    return tensors;
  } finally {
    closeSync(file);
  }
}

function take(file, position, length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const count = readSync(file, bytes, at, Math.min(length - at, 2 ** 26), position + at);
    if (count === 0) break;
    at += count;
  }
  return bytes;
}

function toFloats(bytes, dtype, count) {
  if (dtype === 'F32') return new Float32Array(bytes.buffer, bytes.byteOffset, count);
  const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, count);
  if (dtype === 'F16')
    return Float32Array.from(new Float16Array(halves.buffer, halves.byteOffset, count));
  const words = Uint32Array.from(halves, (half) => half << 16);
  return new Float32Array(words.buffer);
}

/** The bytes of a file with these tensors, float32, sorted by name: equal tensors give equal bytes. */
export function writeTensors(tensors) {
  const names = Object.keys(tensors).sort();
  const header = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const name of names) {
    const { shape, values } = tensors[name];
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + values.length * 4] };
    end += values.length * 4;
  }
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  return [
    length,
    padded,
    ...names.map((name) =>
      Buffer.from(
        tensors[name].values.buffer,
        tensors[name].values.byteOffset,
        tensors[name].values.length * 4,
      ),
    ),
  ];
}
