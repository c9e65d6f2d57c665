import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HashedFile, ModelFiles } from '../../src/contract/ml/index.ts';

/** Sizes of a model for tests; a few of them for one purpose each. */
export interface TinySizes {
  readonly hidden: number;
  readonly inner: number;
  readonly layers: number;
  readonly heads: number;
  readonly groups: number;
  readonly isTied: boolean;
}

export const tinySizes: TinySizes = {
  hidden: 64,
  inner: 160,
  layers: 2,
  heads: 4,
  groups: 2,
  isTied: false,
};

/** One token a byte, a beginning and an end; a multiple of 32, so that every format can pack it. */
const vocabulary = 288;
const [begin, end] = [256, 257];

/** A Llama-shaped model with random weights and a tokenizer of bytes, in the layout of Hugging Face. */
export function makeTinyLlama(folder: string, seed = 1, sizes = tinySizes): ModelFiles {
  mkdirSync(folder, { recursive: true });
  const texts = {
    'config.json': {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      hidden_size: sizes.hidden,
      intermediate_size: sizes.inner,
      num_hidden_layers: sizes.layers,
      num_attention_heads: sizes.heads,
      num_key_value_heads: sizes.groups,
      vocab_size: vocabulary,
      rms_norm_eps: 1e-5,
      rope_theta: 10_000,
      max_position_embeddings: 512,
      tie_word_embeddings: sizes.isTied,
      bos_token_id: begin,
      eos_token_id: end,
      torch_dtype: 'float32',
    },
    'tokenizer.json': tokenizer(),
    'tokenizer_config.json': {
      bos_token: '<s>',
      eos_token: '</s>',
      tokenizer_class: 'PreTrainedTokenizerFast',
    },
  };
  for (const [name, value] of Object.entries(texts))
    writeFileSync(join(folder, name), JSON.stringify(value));
  writeFileSync(join(folder, 'model.safetensors'), weights(sizes, seed));
  return describeModel(folder, [...Object.keys(texts), 'model.safetensors']);
}

export function describeModel(folder: string, names: readonly string[]): ModelFiles {
  const files = names.map((name) => {
    const { sha256, bytes } = hashedFile(join(folder, name));
    return { name, sha256, bytes };
  });
  return { format: 'llama', folder, files };
}

export function hashedFile(path: string): HashedFile {
  const content = readFileSync(path);
  return {
    path,
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
  };
}

/** Rows as JSON lines in a file. */
export function writeRows(path: string, rows: readonly object[]): HashedFile {
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return hashedFile(path);
}

function tokenizer(): object {
  const printable = [
    [33, 126],
    [161, 172],
    [174, 255],
  ].flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  const others = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => !printable.includes(byte),
  );
  const letters = new Map([
    ...printable.map((byte): [number, number] => [byte, byte]),
    ...others.map((byte, at): [number, number] => [byte, 256 + at]),
  ]);
  const vocab: Record<string, number> = {};
  for (let byte = 0; byte < 256; byte++) vocab[String.fromCodePoint(letters.get(byte) ?? 0)] = byte;
  const special = [
    '<s>',
    '</s>',
    ...Array.from({ length: vocabulary - 258 }, (_, at) => `<unused${at}>`),
  ];
  special.forEach((content, at) => (vocab[content] = 256 + at));
  const flags = {
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content, at) => ({ id: 256 + at, content, ...flags })),
    normalizer: null,
    pre_tokenizer: {
      type: 'ByteLevel',
      add_prefix_space: false,
      trim_offsets: true,
      use_regex: true,
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab,
      merges: [],
    },
  };
}

function weights(sizes: TinySizes, seed: number): Buffer {
  const { hidden, inner, layers, heads, groups, isTied } = sizes;
  const width = hidden / heads;
  const shapes: [string, number[]][] = [
    ['model.embed_tokens.weight', [vocabulary, hidden]],
    ['model.norm.weight', [hidden]],
  ];
  if (!isTied) shapes.push(['lm_head.weight', [vocabulary, hidden]]);
  for (let layer = 0; layer < layers; layer++) {
    const linear: [string, number, number][] = [
      ['self_attn.q_proj', heads * width, hidden],
      ['self_attn.k_proj', groups * width, hidden],
      ['self_attn.v_proj', groups * width, hidden],
      ['self_attn.o_proj', hidden, heads * width],
      ['mlp.gate_proj', inner, hidden],
      ['mlp.up_proj', inner, hidden],
      ['mlp.down_proj', hidden, inner],
    ];
    for (const [name, out, into] of linear)
      shapes.push([`model.layers.${layer}.${name}.weight`, [out, into]]);
    for (const name of ['input_layernorm', 'post_attention_layernorm'])
      shapes.push([`model.layers.${layer}.${name}.weight`, [hidden]]);
  }
  shapes.sort(([one], [other]) => (one < other ? -1 : 1));
  const random = gaussian(seed);
  const header: Record<string, object> = {};
  let at = 0;
  const parts = shapes.map(([name, shape]) => {
    const length = shape.reduce((product, one) => product * one, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [at, (at += length * 4)] };
    return Buffer.from(
      Float32Array.from({ length }, () => (shape.length === 1 ? 1 : 0.05 * random())).buffer,
    );
  });
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...parts]);
}

/** mulberry32 through Box and Muller. */
function gaussian(seed: number): () => number {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction());
}
