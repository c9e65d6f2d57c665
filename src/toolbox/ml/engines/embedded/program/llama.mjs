import { fail } from './channel.mjs';

/** Linear layers of a block in the order of the file format. */
export const linearNames = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
];

const supported = new Set(['silu', 'swish']);

/** Sizes of a model from its `config.json`. Fails on what this program would compute wrongly. */
export function readShape(config) {
  const refuse = (why) => fail('ml.unsupported_model', `The model cannot be computed here: ${why}`);
  const hidden = config.hidden_size;
  const heads = config.num_attention_heads;
  const shape = {
    hidden,
    heads,
    groups: config.num_key_value_heads ?? heads,
    width: config.head_dim ?? hidden / heads,
    inner: config.intermediate_size,
    layers: config.num_hidden_layers,
    vocabulary: config.vocab_size,
    epsilon: config.rms_norm_eps ?? 1e-6,
    theta: config.rope_theta ?? config.rope_parameters?.rope_theta ?? 10_000,
    isTied: config.tie_word_embeddings ?? false,
    positions: config.max_position_embeddings ?? 2048,
  };
  if (config.model_type !== 'llama')
    refuse(`its model_type is "${config.model_type}", and only "llama" is known`);
  const scaling = config.rope_scaling ?? config.rope_parameters;
  if (scaling && (scaling.rope_type ?? scaling.type ?? 'default') !== 'default')
    refuse(`its rotary positions are scaled (${JSON.stringify(scaling)})`);
  if (config.attention_bias || config.mlp_bias) refuse('its linear layers have a bias');
  if (!supported.has(config.hidden_act ?? 'silu'))
    refuse(`its activation is "${config.hidden_act}"`);
  for (const [name, value] of Object.entries(shape))
    if (typeof value === 'number' && !(value > 0))
      refuse(`"${name}" is ${value} in its config.json`);
  if (heads % shape.groups !== 0 || shape.width % 2 !== 0)
    refuse(`${heads} heads of ${shape.width} do not go with ${shape.groups} key-value heads`);
  return shape;
}

/** `[out, in]` of a linear layer. */
export function linearShape(shape, name) {
  const { hidden, inner, heads, groups, width } = shape;
  return {
    q_proj: [heads * width, hidden],
    k_proj: [groups * width, hidden],
    v_proj: [groups * width, hidden],
    o_proj: [hidden, heads * width],
    gate_proj: [inner, hidden],
    up_proj: [inner, hidden],
    down_proj: [hidden, inner],
  }[name];
}

export const layerName = (layer, name) =>
  `model.layers.${layer}.${linearNames.indexOf(name) < 4 ? 'self_attn' : 'mlp'}.${name}`;

/** All tensors: `[name, shape]`, in a fixed order. */
export function tensorShapes(shape) {
  const { hidden, vocabulary, layers, isTied } = shape;
  const blocks = Array.from({ length: layers }, (_, layer) => [
    [`model.layers.${layer}.input_layernorm.weight`, [hidden]],
    ...linearNames
      .slice(0, 4)
      .map((name) => [`${layerName(layer, name)}.weight`, linearShape(shape, name)]),
    [`model.layers.${layer}.post_attention_layernorm.weight`, [hidden]],
    ...linearNames
      .slice(4)
      .map((name) => [`${layerName(layer, name)}.weight`, linearShape(shape, name)]),
  ]).flat();
  return [
    ['model.embed_tokens.weight', [vocabulary, hidden]],
    ...blocks,
    ['model.norm.weight', [hidden]],
    ...(isTied ? [] : [['lm_head.weight', [vocabulary, hidden]]]),
  ];
}

const lengthOf = (shape) => shape.reduce((product, length) => product * length, 1);
/** Rows of logits that are in memory at one time. */
const chunkRows = 256;

/**
 * A model with room for `batch` sequences of `length` tokens. `train` is `null`, `full` or `{ rank, scale, targets }`.
 * Its tensors live in the memory of the kernel, which `takeBytes` measures before it is created.
 */
export function createLlama({ shape, batch, length, train }, { take, multiply }) {
  const { hidden, heads, groups, width, inner, vocabulary, epsilon, theta, isTied } = shape;
  const isFull = train === 'full';
  const isTraining = train !== null;
  const lora = isTraining && !isFull ? train : null;
  const count = batch * length;
  const [queries, keys] = [heads * width, groups * width];
  const weights = Object.fromEntries(
    tensorShapes(shape).map(([name, dims]) => [
      name,
      { shape: dims, values: take(lengthOf(dims)) },
    ]),
  );
  const trainable = {};
  const gradients = {};
  const addTrainable = (name, dims, values) => {
    trainable[name] = { shape: dims, values };
    gradients[name] = take(lengthOf(dims));
  };
  if (isFull)
    for (const [name, { shape: dims, values }] of Object.entries(weights))
      addTrainable(name, dims, values);

  /** W and its transpose, and LoRA's A and B where it has them. */
  const linear = (name, [out, into]) => {
    const part = {
      name,
      out,
      into,
      w: weights[`${name}.weight`].values,
      wt: take(out * into),
      a: null,
    };
    if (lora?.targets.includes(name.split('.').at(-1))) {
      const { rank } = lora;
      Object.assign(part, {
        rank,
        a: take(rank * into),
        at: take(rank * into),
        b: take(out * rank),
        bt: take(out * rank),
        gat: take(rank * out),
      });
      addTrainable(`${name}.lora_A.weight`, [rank, into], part.a);
      addTrainable(`${name}.lora_B.weight`, [out, rank], part.b);
    }
    return part;
  };
  const perLayer = isTraining ? shape.layers : 1;
  const saved = Array.from({ length: perLayer }, () => ({
    x: take(count * hidden),
    r1: take(count),
    h1: take(count * hidden),
    q: take(count * queries),
    k: take(count * keys),
    v: take(count * keys),
    p: take(batch * heads * length * length),
    o: take(count * queries),
    y: take(count * hidden),
    r2: take(count),
    h2: take(count * hidden),
    gate: take(count * inner),
    up: take(count * inner),
    act: take(count * inner),
    sigmoid: take(count * inner),
    low: lora ? Object.fromEntries(linearNames.map((name) => [name, take(count * lora.rank)])) : {},
  }));
  const layers = Array.from({ length: shape.layers }, (_, layer) => ({
    norm1: `model.layers.${layer}.input_layernorm.weight`,
    norm2: `model.layers.${layer}.post_attention_layernorm.weight`,
    ...Object.fromEntries(
      linearNames.map((name) => [name, linear(layerName(layer, name), linearShape(shape, name))]),
    ),
    at: saved[isTraining ? layer : 0],
  }));
  const headName = isTied ? 'model.embed_tokens.weight' : 'lm_head.weight';
  const head = { w: weights[headName].values, wt: take(vocabulary * hidden) };
  const final = { x: take(count * hidden), r: take(count), h: take(count * hidden) };
  const rows = Math.min(chunkRows, count);
  const logits = take(rows * vocabulary);
  const widest = Math.max(hidden, queries, inner);
  const scratch = take(
    Math.max(
      length * width,
      isFull ? count * Math.max(widest, 1) : count * (lora?.rank ?? 1),
      rows * vocabulary,
    ),
  );
  const scores = take(length * length);
  const back = isTraining
    ? {
        x: take(count * hidden),
        h: take(count * hidden),
        y: take(count * hidden),
        q: take(count * queries),
        k: take(count * keys),
        v: take(count * keys),
        o: take(count * queries),
        gate: take(count * inner),
        up: take(count * inner),
        low: take(count * (lora?.rank ?? 1)),
      }
    : null;
  const rotary = rotaryTables(length, width, theta);

  function transpose(source, target, { m, n, from = 0, ld = n }) {
    for (let i0 = 0; i0 < m; i0 += 32)
      for (let j0 = 0; j0 < n; j0 += 32)
        for (let i = i0; i < Math.min(m, i0 + 32); i++)
          for (let j = j0; j < Math.min(n, j0 + 32); j++)
            target[j * m + i] = source[from + i * ld + j];
  }

  /** Call after weights or adapters changed. */
  function refresh(isFirst) {
    if (isFull || isFirst) transpose(head.w, head.wt, { m: vocabulary, n: hidden });
    for (const layer of layers)
      for (const name of linearNames) {
        const part = layer[name];
        if (isFull || isFirst) transpose(part.w, part.wt, { m: part.out, n: part.into });
        if (!part.a) continue;
        transpose(part.a, part.at, { m: part.rank, n: part.into });
        transpose(part.b, part.bt, { m: part.out, n: part.rank });
      }
  }

  function apply(part, x, y, low) {
    multiply(y, x, part.wt, { m: count, n: part.out, k: part.into });
    if (!part.a) return;
    multiply(low, x, part.at, { m: count, n: part.rank, k: part.into });
    for (let at = 0; at < low.length; at++) low[at] *= lora.scale;
    multiply(y, low, part.bt, { m: count, n: part.out, k: part.rank, add: true });
  }

  /** Adds to gradients; dx (+)= dy · W. */
  function applyBack(part, { x, low, dy, dx, add }) {
    multiply(dx, dy, part.w, { m: count, n: part.into, k: part.out, add });
    if (isFull) {
      transpose(dy, scratch, { m: count, n: part.out });
      multiply(gradients[`${part.name}.weight`], scratch, x, {
        m: part.out,
        n: part.into,
        k: count,
        add: true,
      });
    }
    if (!part.a) return;
    const { rank, out, into } = part;
    // `low` holds scale · x · Aᵀ, so that this is the gradient of B, transposed.
    transpose(low, scratch, { m: count, n: rank });
    multiply(part.gat, scratch, dy, { m: rank, n: out, k: count });
    const gb = gradients[`${part.name}.lora_B.weight`];
    for (let i = 0; i < out; i++)
      for (let j = 0; j < rank; j++) gb[i * rank + j] += part.gat[j * out + i];
    multiply(back.low, dy, part.b, { m: count, n: rank, k: out });
    for (let at = 0; at < back.low.length; at++) back.low[at] *= lora.scale;
    transpose(back.low, scratch, { m: count, n: rank });
    multiply(gradients[`${part.name}.lora_A.weight`], scratch, x, {
      m: rank,
      n: into,
      k: count,
      add: true,
    });
    multiply(dx, back.low, part.a, { m: count, n: into, k: rank, add: true });
  }

  function norm(x, weight, { r, h }) {
    for (let row = 0; row < count; row++) {
      const from = row * hidden;
      let sum = 0;
      for (let at = from; at < from + hidden; at++) sum += x[at] * x[at];
      const scale = Math.fround(1 / Math.sqrt(sum / hidden + epsilon));
      r[row] = scale;
      for (let at = 0; at < hidden; at++) h[from + at] = x[from + at] * scale * weight[at];
    }
  }

  /** dx += gradient through the norm of dh. */
  function normBack(x, name, { r, dh, dx }) {
    const weight = weights[name].values;
    const gradient = isFull ? gradients[name] : null;
    for (let row = 0; row < count; row++) {
      const from = row * hidden;
      const scale = r[row];
      let dot = 0;
      for (let at = 0; at < hidden; at++) dot += dh[from + at] * weight[at] * x[from + at];
      const share = (dot * scale * scale * scale) / hidden;
      for (let at = 0; at < hidden; at++) {
        if (gradient) gradient[at] += dh[from + at] * x[from + at] * scale;
        dx[from + at] += dh[from + at] * weight[at] * scale - x[from + at] * share;
      }
    }
  }

  function rotate(values, many, direction) {
    const half = width / 2;
    for (let row = 0; row < count; row++)
      for (let head = 0; head < many; head++) {
        const from = (row * many + head) * width;
        const angle = (row % length) * half;
        for (let at = 0; at < half; at++) {
          // Plain variables: destructuring costs more than the arithmetic here.
          const cos = rotary.cos[angle + at];
          const sin = rotary.sin[angle + at] * direction;
          const one = values[from + at];
          const other = values[from + half + at];
          values[from + at] = one * cos - other * sin;
          values[from + half + at] = other * cos + one * sin;
        }
      }
  }

  const share = Math.fround(1 / Math.sqrt(width));
  const perGroup = heads / groups;
  const eachHead = (visit) => {
    for (let sequence = 0; sequence < batch; sequence++)
      for (let head = 0; head < heads; head++) {
        const group = Math.floor(head / perGroup);
        visit({
          q: sequence * length * queries + head * width,
          k: sequence * length * keys + group * width,
          p: (sequence * heads + head) * length * length,
        });
      }
  };

  function attend({ q, k, v, p, o }) {
    eachHead((from) => {
      transpose(k, scratch, { m: length, n: width, from: from.k, ld: keys });
      multiply(p, q, scratch, {
        m: length,
        n: length,
        k: width,
        lda: queries,
        at: [from.p, from.q, 0],
      });
      for (let row = 0; row < length; row++) {
        const start = from.p + row * length;
        let largest = -Infinity;
        for (let at = 0; at <= row; at++) largest = Math.max(largest, (p[start + at] *= share));
        let sum = 0;
        for (let at = 0; at <= row; at++) sum += p[start + at] = Math.exp(p[start + at] - largest);
        for (let at = 0; at <= row; at++) p[start + at] /= sum;
        p.fill(0, start + row + 1, start + length);
      }
      multiply(o, p, v, {
        m: length,
        n: width,
        k: length,
        lda: length,
        ldb: keys,
        ldc: queries,
        at: [from.q, from.p, from.k],
      });
    });
  }

  function attendBack({ q, k, v, p }) {
    back.k.fill(0);
    back.v.fill(0);
    eachHead((from) => {
      transpose(p, scores, { m: length, n: length, from: from.p });
      multiply(back.v, scores, back.o, {
        m: length,
        n: width,
        k: length,
        lda: length,
        ldb: queries,
        ldc: keys,
        add: true,
        at: [from.k, 0, from.q],
      });
      transpose(v, scratch, { m: length, n: width, from: from.k, ld: keys });
      multiply(scores, back.o, scratch, {
        m: length,
        n: length,
        k: width,
        lda: queries,
        at: [0, from.q, 0],
      });
      for (let row = 0; row < length; row++) {
        const [start, there] = [from.p + row * length, row * length];
        let dot = 0;
        for (let at = 0; at <= row; at++) dot += p[start + at] * scores[there + at];
        for (let at = 0; at <= row; at++)
          scores[there + at] = p[start + at] * (scores[there + at] - dot) * share;
        scores.fill(0, there + row + 1, there + length);
      }
      multiply(back.q, scores, k, {
        m: length,
        n: width,
        k: length,
        lda: length,
        ldb: keys,
        ldc: queries,
        at: [from.q, 0, from.k],
      });
      // The saved probabilities of this head are not needed any more.
      const turned = p.subarray(from.p, from.p + length * length);
      transpose(scores, turned, { m: length, n: length });
      multiply(back.k, turned, q, {
        m: length,
        n: width,
        k: length,
        lda: length,
        ldb: queries,
        ldc: keys,
        add: true,
        at: [from.k, 0, from.q],
      });
    });
  }

  /** Called after each block, so that a long step can be reported. */
  let onBlock = () => {};

  function forward(tokens) {
    const embedding = weights['model.embed_tokens.weight'].values;
    const first = layers[0].at.x;
    for (let row = 0; row < count; row++)
      first.set(embedding.subarray(tokens[row] * hidden, (tokens[row] + 1) * hidden), row * hidden);
    layers.forEach((layer, index) => {
      const { at } = layer;
      norm(at.x, weights[layer.norm1].values, { r: at.r1, h: at.h1 });
      for (const [name, into] of [
        ['q_proj', at.q],
        ['k_proj', at.k],
        ['v_proj', at.v],
      ])
        apply(layer[name], at.h1, into, at.low[name]);
      rotate(at.q, heads, 1);
      rotate(at.k, groups, 1);
      attend(at);
      apply(layer.o_proj, at.o, at.y, at.low.o_proj);
      for (let i = 0; i < at.y.length; i++) at.y[i] += at.x[i];
      norm(at.y, weights[layer.norm2].values, { r: at.r2, h: at.h2 });
      apply(layer.gate_proj, at.h2, at.gate, at.low.gate_proj);
      apply(layer.up_proj, at.h2, at.up, at.low.up_proj);
      for (let i = 0; i < at.act.length; i++) {
        at.sigmoid[i] = 1 / (1 + Math.exp(-at.gate[i]));
        at.act[i] = at.gate[i] * at.sigmoid[i] * at.up[i];
      }
      const next = layers[index + 1]?.at.x ?? final.x;
      const out = next === at.x ? final.x : next;
      apply(layer.down_proj, at.act, out, at.low.down_proj);
      for (let i = 0; i < out.length; i++) out[i] += at.y[i];
      if (out !== next) next.set(out);
      onBlock();
    });
    norm(final.x, weights['model.norm.weight'].values, { r: final.r, h: final.h });
  }

  /**
   * Sum of losses over the targets, and how many had the highest score. With `scale` the gradient of
   * `scale · loss` is left in `back.h`.
   */
  function score(targets, scale) {
    let loss = 0;
    let right = 0;
    for (let start = 0; start < count; start += rows) {
      const m = Math.min(rows, count - start);
      multiply(logits, final.h, head.wt, {
        m,
        n: vocabulary,
        k: hidden,
        at: [0, start * hidden, 0],
      });
      for (let row = 0; row < m; row++) {
        const line = logits.subarray(row * vocabulary, (row + 1) * vocabulary);
        const target = targets[start + row];
        if (target < 0) {
          line.fill(0);
          continue;
        }
        let largest = -Infinity;
        let best = 0;
        for (let at = 0; at < vocabulary; at++)
          if (line[at] > largest) {
            largest = line[at];
            best = at;
          }
        const wanted = line[target];
        let sum = 0;
        if (scale === 0)
          for (let at = 0; at < vocabulary; at++) sum += Math.exp(line[at] - largest);
        else for (let at = 0; at < vocabulary; at++) sum += line[at] = Math.exp(line[at] - largest);
        loss += Math.log(sum) + largest - wanted;
        right += best === target ? 1 : 0;
        if (scale === 0) continue;
        const factor = scale / sum;
        for (let at = 0; at < vocabulary; at++) line[at] *= factor;
        line[target] -= scale;
      }
      if (scale === 0) continue;
      multiply(back.h, logits, head.w, { m, n: hidden, k: vocabulary, at: [start * hidden, 0, 0] });
      if (!isFull) continue;
      transpose(logits, scratch, { m, n: vocabulary });
      multiply(gradients[headName], scratch, final.h, {
        m: vocabulary,
        n: hidden,
        k: m,
        add: true,
        at: [0, 0, start * hidden],
      });
    }
    return { loss, right };
  }

  function backward(tokens) {
    back.x.fill(0);
    normBack(final.x, 'model.norm.weight', { r: final.r, dh: back.h, dx: back.x });
    for (const layer of layers.toReversed()) {
      const { at } = layer;
      // back.x is the gradient of the block's output; `gate` and `up` of it are reused in place.
      applyBack(layer.down_proj, {
        x: at.act,
        low: at.low.down_proj,
        dy: back.x,
        dx: back.gate,
        add: false,
      });
      for (let i = 0; i < at.act.length; i++) {
        const sigmoid = at.sigmoid[i];
        const gradient = back.gate[i];
        back.up[i] = gradient * at.gate[i] * sigmoid;
        back.gate[i] = gradient * at.up[i] * sigmoid * (1 + at.gate[i] * (1 - sigmoid));
      }
      applyBack(layer.gate_proj, {
        x: at.h2,
        low: at.low.gate_proj,
        dy: back.gate,
        dx: back.h,
        add: false,
      });
      applyBack(layer.up_proj, {
        x: at.h2,
        low: at.low.up_proj,
        dy: back.up,
        dx: back.h,
        add: true,
      });
      normBack(at.y, layer.norm2, { r: at.r2, dh: back.h, dx: back.x });
      applyBack(layer.o_proj, { x: at.o, low: at.low.o_proj, dy: back.x, dx: back.o, add: false });
      attendBack(at);
      rotate(back.q, heads, -1);
      rotate(back.k, groups, -1);
      ['q', 'k', 'v'].forEach((name, order) =>
        applyBack(layer[`${name}_proj`], {
          x: at.h1,
          low: at.low[`${name}_proj`],
          dy: back[name],
          dx: back.h,
          add: order > 0,
        }),
      );
      normBack(at.x, layer.norm1, { r: at.r1, dh: back.h, dx: back.x });
      onBlock();
    }
    if (!isFull) return;
    const gradient = gradients['model.embed_tokens.weight'];
    for (let row = 0; row < count; row++)
      for (let at = 0; at < hidden; at++)
        gradient[tokens[row] * hidden + at] += back.x[row * hidden + at];
  }

  return {
    weights,
    trainable,
    gradients,
    layers,
    refresh,
    /** Sets what is called after each block. */
    watchBlocks(listener) {
      onBlock = listener;
    },
    /** Loss over a batch; gradients are added up. */
    learn(tokens, targets, scale) {
      forward(tokens);
      const scored = score(targets, scale);
      backward(tokens);
      return scored;
    },
    evaluate(tokens, targets) {
      forward(tokens);
      return score(targets, 0);
    },
    /** The likeliest token after the row. */
    next(tokens, row) {
      forward(tokens);
      multiply(logits, final.h, head.wt, {
        m: 1,
        n: vocabulary,
        k: hidden,
        at: [0, row * hidden, 0],
      });
      let best = 0;
      for (let at = 1; at < vocabulary; at++) if (logits[at] > logits[best]) best = at;
      return best;
    },
    /** Adds the adapters to the weights. */
    merge() {
      for (const layer of layers)
        for (const name of linearNames) {
          const { a, b, w, rank, out, into } = layer[name];
          if (!a) continue;
          for (let i = 0; i < out; i++)
            for (let j = 0; j < into; j++) {
              let sum = 0;
              for (let at = 0; at < rank; at++) sum += b[i * rank + at] * a[at * into + j];
              w[i * into + j] += lora.scale * sum;
            }
        }
    },
  };
}

function rotaryTables(length, width, theta) {
  const half = width / 2;
  const [cos, sin] = [new Float32Array(length * half), new Float32Array(length * half)];
  for (let at = 0; at < half; at++) {
    const frequency = Math.fround(1 / Math.fround(theta ** Math.fround((2 * at) / width)));
    for (let position = 0; position < length; position++) {
      const angle = Math.fround(position * frequency);
      [cos[position * half + at], sin[position * half + at]] = [Math.cos(angle), Math.sin(angle)];
    }
  }
  return { cos, sin };
}

/** Bytes that a model of this size takes in the kernel's memory: its layout is made once without memory. */
export function measureLlama(options) {
  let bytes = 0;
  const take = (length) => {
    bytes += Math.ceil(length / 16) * 64;
    return nothing;
  };
  createLlama(options, { take, multiply: () => {} });
  return bytes;
}

const nothing = new Float32Array(0);
