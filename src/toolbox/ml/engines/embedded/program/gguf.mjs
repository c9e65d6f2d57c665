import { fail, note } from './channel.mjs';
import { linearNames } from './llama.mjs';

const [alignment, block] = [32, 32];
const kinds = { uint32: 4, float32: 6, string: 8, array: 9 };
const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 };
/** Numbers of the format for types of tensors, and of whole files. */
const types = { f32: 0, f16: 1, q4_0: 2, q8_0: 8 };
const fileTypes = { f16: 1, q4_0: 2, q8_0: 7 };
const ggufLinear = {
  q_proj: 'attn_q',
  k_proj: 'attn_k',
  v_proj: 'attn_v',
  o_proj: 'attn_output',
  gate_proj: 'ffn_gate',
  up_proj: 'ffn_up',
  down_proj: 'ffn_down',
};

/** The name of a tensor in a GGUF file. */
export function ggufName(name) {
  const known = {
    'model.embed_tokens.weight': 'token_embd.weight',
    'model.norm.weight': 'output_norm.weight',
    'lm_head.weight': 'output.weight',
  }[name];
  if (known) return known;
  const [, , layer, ...rest] = name.split('.');
  const part = rest.at(-2);
  const inner =
    { input_layernorm: 'attn_norm', post_attention_layernorm: 'ffn_norm' }[part] ??
    (linearNames.includes(part)
      ? ggufLinear[part]
      : fail('ml.unsupported_model', `The tensor "${name}" is unknown`));
  return `blk.${layer}.${inner}.weight`;
}

/** llama.cpp rotates neighbours where Hugging Face rotates halves: rows of queries and keys change places. */
export function reorderRotary(name, { values, shape }, { heads, groups }, direction) {
  const many = name.endsWith('.q_proj.weight')
    ? heads
    : name.endsWith('.k_proj.weight')
      ? groups
      : 0;
  if (many === 0) return values;
  const [out, into] = shape;
  const width = out / many;
  const moved = new Float32Array(values.length);
  for (let head = 0; head < many; head++)
    for (let at = 0; at < width; at++) {
      const half = head * width + (at % 2) * (width / 2) + Math.floor(at / 2);
      const pair = head * width + at;
      const [from, to] = direction > 0 ? [half, pair] : [pair, half];
      moved.set(values.subarray(from * into, (from + 1) * into), to * into);
    }
  return moved;
}

/** The bytes of a file as parts. */
export function writeGguf({ tensors, metadata, quantization }) {
  const entries = Object.entries(tensors).map(([name, { shape, values }]) => {
    const wanted = shape.length === 1 ? 'f32' : shape.at(-1) % block === 0 ? quantization : 'f16';
    if (shape.length > 1 && wanted !== quantization)
      note('tensor kept in f16', { tensor: name, columns: shape.at(-1) });
    return { name: ggufName(name), shape, type: wanted, bytes: pack(values, wanted) };
  });
  const head = [
    Buffer.from('GGUF'),
    number32(3),
    number64(entries.length),
    number64(metadata.length + 1),
    pair(['general.file_type', 'uint32', fileTypes[quantization]]),
    ...metadata.map(pair),
  ];
  let offset = 0;
  for (const { name, shape, type, bytes } of entries) {
    head.push(
      text(name),
      number32(shape.length),
      ...shape.toReversed().map(number64),
      number32(types[type]),
      number64(offset),
    );
    offset += padded(bytes.length);
  }
  const header = Buffer.concat(head);
  return [padTo(header), ...entries.map(({ bytes }) => padTo(bytes))];
}

const padded = (length) => Math.ceil(length / alignment) * alignment;
const padTo = (bytes) => Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)]);

function number32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function number64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([number64(bytes.length), bytes]);
}

function pair([key, kind, value]) {
  return Buffer.concat([text(key), number32(kinds[kind] ?? kinds.array), valueOf(kind, value)]);
}

function valueOf(kind, value) {
  if (kind === 'string') return text(value);
  if (kind === 'uint32') return number32(value);
  if (kind === 'float32') return Buffer.from(Float32Array.of(value).buffer);
  const item = kind === 'strings' ? 'string' : kind === 'floats' ? 'float32' : 'int32';
  const number = { string: 8, float32: 6, int32: 5 }[item];
  return Buffer.concat([
    number32(number),
    number64(value.length),
    ...value.map((one) => valueOf(item === 'int32' ? 'uint32' : item, one)),
  ]);
}

/** Values in the layout of a type. */
function pack(values, type) {
  if (type === 'f32') return Buffer.from(values.buffer, values.byteOffset, values.length * 4);
  if (type === 'f16') return Buffer.from(Float16Array.from(values).buffer);
  const size = type === 'q8_0' ? 34 : 18;
  const bytes = Buffer.alloc((values.length / block) * size);
  const half = new Float16Array(1);
  const word = new Uint16Array(half.buffer);
  for (let at = 0; at < values.length / block; at++) {
    const part = values.subarray(at * block, (at + 1) * block);
    half[0] =
      type === 'q8_0'
        ? part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
        : bestScale(part);
    bytes.writeUInt16LE(word[0], at * size);
    const inverse = half[0] === 0 ? 0 : 1 / half[0];
    if (type === 'q8_0')
      for (let i = 0; i < block; i++)
        bytes.writeInt8(
          Math.max(-127, Math.min(127, Math.round(part[i] * inverse))),
          at * size + 2 + i,
        );
    else
      for (let i = 0; i < 16; i++)
        bytes[at * size + 2 + i] = nibble(part[i], inverse) | (nibble(part[i + 16], inverse) << 4);
  }
  return bytes;
}

const nibble = (value, inverse) => Math.max(0, Math.min(15, Math.floor(value * inverse + 8.5)));

/** The scale with the smallest squared error: the largest value at the end of the range is not always best. */
function bestScale(part) {
  let most = 0;
  for (const value of part) if (Math.abs(value) > Math.abs(most)) most = value;
  let [best, least] = [most / -8, Infinity];
  for (let divisor = -9.5; divisor <= -6.5; divisor += 0.125) {
    const scale = most / divisor;
    const inverse = scale === 0 ? 0 : 1 / scale;
    let error = 0;
    for (const value of part) error += ((nibble(value, inverse) - 8) * scale - value) ** 2;
    if (error < least) [best, least] = [scale, error];
  }
  return best;
}

/** Tensors of a file as float32, by their names in it. Reads what `writeGguf` writes: f32, f16, q8_0, q4_0. */
export function readGguf(bytes) {
  let at = 8;
  const damaged = () => fail('ml.damaged_model', 'The GGUF file ends too early');
  const take = (length) => {
    if (at + length > bytes.length) damaged();
    at += length;
    return at - length;
  };
  const count = () => Number(bytes.readBigUInt64LE(take(8)));
  const word = () => bytes.readUInt32LE(take(4));
  const string = () => {
    const length = count();
    const from = take(length);
    return bytes.subarray(from, from + length).toString();
  };
  const widths = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
  const skip = (kind) => {
    if (kind === 8) string();
    else if (kind === 9) {
      const item = word();
      for (let left = count(); left > 0; left--) skip(item);
    } else take(widths[kind] ?? damaged());
  };
  if (bytes.length < 24 || bytes.subarray(0, 4).toString() !== 'GGUF')
    fail('ml.damaged_model', 'This is no GGUF file');
  const [tensors, pairs] = [count(), count()];
  for (let left = pairs; left > 0; left--) {
    string();
    skip(word());
  }
  const infos = [];
  for (let left = tensors; left > 0; left--)
    infos.push({
      name: string(),
      shape: Array.from({ length: word() }, count).toReversed(),
      type: word(),
      offset: count(),
    });
  const start = padded(at);
  return Object.fromEntries(
    infos.map(({ name, shape, type, offset }) => [
      name,
      {
        shape,
        values: unpack(bytes, {
          from: start + offset,
          type,
          count: shape.reduce((product, one) => product * one, 1),
        }),
      },
    ]),
  );
}

function unpack(bytes, { from, type, count }) {
  const size =
    { 0: count * 4, 1: count * 2, 2: (count / block) * 18, 8: (count / block) * 34 }[type] ??
    fail(
      'ml.unsupported_model',
      `The GGUF file has a tensor of type ${type}; f32, f16, q8_0 and q4_0 can be read`,
    );
  if (from + size > bytes.length) fail('ml.damaged_model', 'The GGUF file ends too early');
  const part = Uint8Array.from(bytes.subarray(from, from + size));
  if (type === 0) return new Float32Array(part.buffer);
  if (type === 1) return Float32Array.from(new Float16Array(part.buffer));
  const values = new Float32Array(count);
  const view = new DataView(part.buffer);
  const stride = type === 8 ? 34 : 18;
  for (let at = 0; at < count / block; at++) {
    const scale = view.getFloat16(at * stride, true);
    for (let i = 0; i < block; i++) {
      const position = at * stride + 2;
      const code =
        type === 8
          ? view.getInt8(position + i)
          : ((i < 16 ? part[position + i] : part[position + i - 16] >> 4) & 15) - 8;
      values[at * block + i] = code * scale;
    }
  }
  return values;
}

/** What llama.cpp needs to know besides the tensors. */
export function metadataOf(shape, tokenizer, settings) {
  const { model } = tokenizer;
  if (model.type !== 'BPE')
    fail(
      'ml.unsupported_model',
      `The tokenizer is of the type ${model.type}, and BPE can be written to GGUF`,
    );
  const isByteLevel = JSON.stringify(tokenizer.pre_tokenizer ?? {}).includes('ByteLevel');
  const tokens = Array.from({ length: shape.vocabulary }, (_, at) => `[PAD${at}]`);
  const kinds = tokens.map(() => tokenTypes.userDefined);
  for (const [token, id] of Object.entries(model.vocab))
    [tokens[id], kinds[id]] = [
      token,
      /^<0x[0-9A-F]{2}>$/.test(token) ? tokenTypes.byte : tokenTypes.normal,
    ];
  for (const { id, content, special } of tokenizer.added_tokens ?? [])
    [tokens[id], kinds[id]] = [
      content,
      content === model.unk_token
        ? tokenTypes.unknown
        : special
          ? tokenTypes.control
          : tokenTypes.userDefined,
    ];
  const merges = model.merges.map((merge) => (Array.isArray(merge) ? merge.join(' ') : merge));
  const id = (name) => {
    const content = settings[name]?.content ?? settings[name];
    const found = tokens.indexOf(content);
    return found < 0 ? [] : [[`tokenizer.ggml.${name.slice(0, 3)}_token_id`, 'uint32', found]];
  };
  const rank = new Map(merges.map((merge, at) => [merge.replace(' ', ''), at]));
  return [
    ['general.architecture', 'string', 'llama'],
    ['general.name', 'string', 'model'],
    ['general.alignment', 'uint32', alignment],
    ['general.quantization_version', 'uint32', 2],
    ['llama.context_length', 'uint32', shape.positions],
    ['llama.embedding_length', 'uint32', shape.hidden],
    ['llama.block_count', 'uint32', shape.layers],
    ['llama.feed_forward_length', 'uint32', shape.inner],
    ['llama.attention.head_count', 'uint32', shape.heads],
    ['llama.attention.head_count_kv', 'uint32', shape.groups],
    ['llama.attention.key_length', 'uint32', shape.width],
    ['llama.attention.value_length', 'uint32', shape.width],
    ['llama.attention.layer_norm_rms_epsilon', 'float32', shape.epsilon],
    ['llama.rope.dimension_count', 'uint32', shape.width],
    ['llama.rope.freq_base', 'float32', shape.theta],
    ['llama.vocab_size', 'uint32', shape.vocabulary],
    ['tokenizer.ggml.model', 'string', isByteLevel ? 'gpt2' : 'llama'],
    ...(isByteLevel
      ? [
          ['tokenizer.ggml.pre', 'string', 'gpt-2'],
          ['tokenizer.ggml.merges', 'strings', merges],
        ]
      : [
          [
            'tokenizer.ggml.scores',
            'floats',
            tokens.map((token) => (rank.has(token) ? -rank.get(token) : -1e6)),
          ],
        ]),
    ['tokenizer.ggml.tokens', 'strings', tokens],
    ['tokenizer.ggml.token_type', 'numbers', kinds],
    ...id('bos_token'),
    ...id('eos_token'),
    ...id('unk_token'),
    ...id('pad_token'),
  ];
}
