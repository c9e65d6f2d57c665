import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFiles } from '../../../contract/ml/index.ts';
import { recordOf } from '../../../kernel/index.ts';

/** Sizes of a Llama-shaped model, from its configuration alone. */
export interface ModelShape {
  readonly hidden: number;
  readonly inner: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyWidth: number;
  readonly queryWidth: number;
  readonly vocabulary: number;
  readonly isTied: boolean;
  readonly parameters: number;
  /** Inputs and outputs of the linear layers of one block. */
  readonly linear: Readonly<Record<string, readonly [number, number]>>;
}

/** Null where there is no configuration with these numbers. */
export async function readModelShape(model: ModelFiles): Promise<ModelShape | null> {
  const text = await readFile(join(model.folder, 'config.json'), 'utf8').catch(() => '');
  let config: Readonly<Record<string, unknown>>;
  try {
    config = recordOf(JSON.parse(text));
  } catch {
    return null;
  }
  return shapeOf(config);
}

/** The same of a configuration that was read. */
export function shapeOf(config: Readonly<Record<string, unknown>>): ModelShape | null {
  const number = (key: string, otherwise = 0): number => {
    const value = config[key];
    return typeof value === 'number' && value > 0 ? value : otherwise;
  };
  const [hidden, inner, layers] = [
    number('hidden_size'),
    number('intermediate_size'),
    number('num_hidden_layers'),
  ];
  const [heads, vocabulary] = [number('num_attention_heads'), number('vocab_size')];
  if (!(hidden && inner && layers && heads && vocabulary)) return null;
  const width = number('head_dim', hidden / heads);
  const keyWidth = number('num_key_value_heads', heads) * width;
  const queryWidth = heads * width;
  const isTied = config['tie_word_embeddings'] === true;
  const linear = {
    q_proj: [hidden, queryWidth],
    k_proj: [hidden, keyWidth],
    v_proj: [hidden, keyWidth],
    o_proj: [queryWidth, hidden],
    gate_proj: [hidden, inner],
    up_proj: [hidden, inner],
    down_proj: [inner, hidden],
  } as const;
  const block = Object.values(linear).reduce((sum, [from, to]) => sum + from * to, 2 * hidden);
  const parameters = layers * block + hidden + vocabulary * hidden * (isTied ? 1 : 2);
  return {
    hidden,
    inner,
    layers,
    heads,
    keyWidth,
    queryWidth,
    vocabulary,
    isTied,
    parameters,
    linear,
  };
}
