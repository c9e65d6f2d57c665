/**
 * A GGUF file of a llama with random weights: one layer of 32 numbers and a vocabulary of bytes. What it
 * says makes no sense, which is what shows that the form of an answer comes from the grammar alone.
 */
export function tinyGguf(seed: number): Buffer {
  const random = randomNumbers(seed);
  const tensors = shapes.map(([name, ...dimensions]) => {
    const count = dimensions.reduce((product, size) => product * size, 1);
    const values = new Float32Array(count).map(() => (name.endsWith('norm.weight') ? 1 : random()));
    return { name, dimensions, bytes: Buffer.from(values.buffer) };
  });
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, dimensions, bytes } of tensors) {
    infos.push(text(name), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(offset));
    const padded = Buffer.concat([bytes, Buffer.alloc(padding(bytes.length))]);
    data.push(padded);
    offset += padded.length;
  }
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata.map(([key, value]) => Buffer.concat([text(key), value])),
    ...infos,
  ]);
  return Buffer.concat([head, Buffer.alloc(padding(head.length)), ...data]);
}

const width = 32;
const hidden = 64;
const alignment = 32;
const padding = (length: number): number => (alignment - (length % alignment)) % alignment;

const byteTokens = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
const letters = Array.from({ length: 95 }, (_, index) =>
  index === 0 ? '\u2581' : String.fromCodePoint(32 + index),
);
const vocabulary = ['<unk>', '<s>', '</s>', ...byteTokens, ...letters];
/** 1 normal, 2 unknown, 3 control, 6 byte. */
const tokenTypes = [2, 3, 3, ...byteTokens.map(() => 6), ...letters.map(() => 1)];

const shapes: readonly (readonly [name: string, ...dimensions: number[]])[] = [
  ['token_embd.weight', width, vocabulary.length],
  ['blk.0.attn_norm.weight', width],
  ['blk.0.attn_q.weight', width, width],
  ['blk.0.attn_k.weight', width, width],
  ['blk.0.attn_v.weight', width, width],
  ['blk.0.attn_output.weight', width, width],
  ['blk.0.ffn_norm.weight', width],
  ['blk.0.ffn_gate.weight', width, hidden],
  ['blk.0.ffn_up.weight', width, hidden],
  ['blk.0.ffn_down.weight', hidden, width],
  ['output_norm.weight', width],
  ['output.weight', width, vocabulary.length],
];

const metadata: readonly (readonly [key: string, value: Buffer])[] = [
  ['general.architecture', typed(8, text('llama'))],
  ['general.name', typed(8, text('tiny'))],
  ['general.file_type', typed(4, u32(0))],
  ['llama.context_length', typed(4, u32(2048))],
  ['llama.embedding_length', typed(4, u32(width))],
  ['llama.block_count', typed(4, u32(1))],
  ['llama.feed_forward_length', typed(4, u32(hidden))],
  ['llama.attention.head_count', typed(4, u32(2))],
  ['llama.attention.head_count_kv', typed(4, u32(2))],
  ['llama.attention.layer_norm_rms_epsilon', typed(6, f32(1e-5))],
  ['llama.rope.dimension_count', typed(4, u32(width / 2))],
  ['llama.vocab_size', typed(4, u32(vocabulary.length))],
  ['tokenizer.ggml.model', typed(8, text('llama'))],
  ['tokenizer.ggml.tokens', list(8, vocabulary.map(text))],
  [
    'tokenizer.ggml.scores',
    list(
      6,
      vocabulary.map((_, index) => f32(-index)),
    ),
  ],
  ['tokenizer.ggml.token_type', list(5, tokenTypes.map(u32))],
  ['tokenizer.ggml.bos_token_id', typed(4, u32(1))],
  ['tokenizer.ggml.eos_token_id', typed(4, u32(2))],
  ['tokenizer.ggml.unknown_token_id', typed(4, u32(0))],
];

function typed(kind: number, value: Buffer): Buffer {
  return Buffer.concat([u32(kind), value]);
}

function list(kind: number, values: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(9), u32(kind), u64(values.length), ...values]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

/** Between -0.5 and 0.5, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  };
}
