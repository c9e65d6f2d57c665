import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createProgress,
  emit,
  fail,
  isCancelled,
  isSliceOver,
  note,
  send,
  sizeOf,
  spec,
} from './channel.mjs';
import { ggufName, readGguf, reorderRotary } from './gguf.mjs';
import { createKernel } from './kernel.mjs';
import { createLlama, measureLlama, readShape } from './llama.mjs';
import { createRandom, shuffled } from './random.mjs';
import { readTensors, writeTensors } from './safetensors.mjs';
import { fillBatch, openTokenizer, readWindows } from './tokens.mjs';

/** Streams of random numbers: the order of data and the first values of adapters. */
const [orderStream, adapterStream] = [0, 1];
const peftPrefix = 'base_model.model.';

export const shapeIn = (folder) =>
  readShape(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')));

export function readModel(folder, options) {
  const shape = shapeIn(folder);
  const llama = { shape, ...options };
  const bytes = measureLlama(llama);
  // The memory of WebAssembly ends there.
  if (bytes > 4 * 2 ** 30 - 2 ** 25)
    fail(
      'ml.out_of_memory',
      `The embedded engine can address 4 GiB, and this needs ${bytes} bytes`,
    );
  const model = createLlama(llama, createKernel(bytes));
  if (existsSync(join(folder, 'model.gguf')))
    loadGguf(join(folder, 'model.gguf'), model.weights, shape);
  else loadTensors(folder, model.weights);
  return { model, shape };
}

/** A quantized model is scored with the weights that its bytes stand for. */
function loadGguf(path, weights, shape) {
  const stored = readGguf(readFileSync(path));
  for (const [name, { shape: dims, values }] of Object.entries(weights)) {
    const tensor = stored[ggufName(name)];
    if (!tensor || String(tensor.shape) !== String(dims))
      fail(
        'ml.unsupported_model',
        `The tensor "${ggufName(name)}" is missing or has another shape`,
      );
    values.set(reorderRotary(name, tensor, shape, -1));
  }
}

/** Fills tensors from all safetensors files of a folder. `rename` gives the name in the file. */
export function loadTensors(folder, tensors, rename = (name) => name) {
  const wanted = new Map(Object.keys(tensors).map((name) => [rename(name), name]));
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.safetensors') && name !== 'optimizer.safetensors')
    .sort()) {
    for (const [stored, { shape, values }] of Object.entries(
      readTensors(join(folder, file), (name) => wanted.has(name)),
    )) {
      const name = wanted.get(stored);
      if (String(shape) !== String(tensors[name].shape))
        fail(
          'ml.unsupported_model',
          `The tensor "${stored}" is ${shape.join(' × ')}, and the configuration says ${tensors[name].shape.join(' × ')}`,
        );
      tensors[name].values.set(values);
      wanted.delete(stored);
    }
  }
  const [missing] = wanted.keys();
  if (missing !== undefined) fail('ml.unsupported_model', `The tensor "${missing}" is missing`);
}

/** Learning rate before the step, as a share of the highest. */
export function rateAt(step, steps, { lr_scheduler_type: type, warmup_steps: warmup }) {
  if (step < warmup) return step / Math.max(1, warmup);
  const progress = (step - warmup) / Math.max(1, steps - warmup);
  if (type === 'constant') return 1;
  return type === 'linear'
    ? Math.max(0, 1 - progress)
    : Math.max(0, 0.5 * (1 + Math.cos(Math.PI * progress)));
}

export function finetune() {
  const { job } = spec;
  const given = job.hyperparameters;
  const length = given.max_seq_length;
  const batch = given.per_device_train_batch_size;
  const train =
    job.method === 'full'
      ? 'full'
      : {
          rank: given.lora_r,
          scale: given.lora_alpha / given.lora_r,
          targets: given.lora_target_modules,
        };
  const { model, shape } = readModel(spec.inputs.base, { batch, length, train });
  if (length > shape.positions)
    fail(
      'ml.unsupported_model',
      `max_seq_length is ${length}, and the model knows ${shape.positions} positions`,
    );
  const tokenizer = openTokenizer(spec.inputs.base, shape.vocabulary);
  const windows = readWindows('train', { columns: job.columns, tokenizer, length });
  if (windows.targets === 0) fail('ml.bad_data', 'The training data has no tokens to learn');
  const perStep = batch * given.gradient_accumulation_steps;
  const steps =
    given.max_steps || Math.max(1, Math.ceil((windows.count * given.num_train_epochs) / perStep));
  if (job.method === 'lora') startAdapters(model, job.seed);
  const moments = Object.fromEntries(
    Object.entries(model.trainable).map(([name, { values }]) => [
      name,
      { mean: new Float32Array(values.length), square: new Float32Array(values.length) },
    ]),
  );
  const state = loadState({ model, moments, windows });
  const parameters = countValues(model.weights);
  emit({
    event: 'start',
    engine: 'embedded',
    version: spec.version,
    steps,
    parameters,
    trainableParameters: countValues(model.trainable),
    fromStep: state.step,
  });
  if (state.step === 0)
    note('data prepared', { windows: windows.count, targets: windows.targets, length });
  const buffers = {
    length,
    tokens: new Uint32Array(batch * length),
    targets: new Int32Array(batch * length),
  };
  model.refresh(true);
  const progress = createProgress({ steps, every: given.logging_steps, done: state.step });
  const lastLoss = () => state.losses.at(-1) ?? 0;
  model.watchBlocks(() => progress(state.step, { loss: lastLoss() }));
  while (state.step < steps) {
    const rate = given.learning_rate * rateAt(state.step, steps, given);
    const loss = learnStep({
      model,
      windows,
      state,
      batch,
      buffers,
      given,
      report: (part) =>
        progress(state.step, { loss: part, learningRate: rate, count: batch * length }),
    });
    if (!Number.isFinite(loss))
      fail(
        'ml.loss_not_finite',
        `The loss of step ${state.step + 1} is ${loss}: lower learning_rate (${given.learning_rate}) or set max_grad_norm`,
      );
    update({ model, moments, given, rate, step: state.step });
    model.refresh(false);
    state.step += 1;
    state.lossSum += loss;
    state.losses.push(loss);
    progress(state.step, { loss, learningRate: rate });
    if (given.eval_steps > 0 && state.step % given.eval_steps === 0 && state.step < steps)
      evaluateOn(model, 'validation', { job, tokenizer, buffers, batch, step: state.step });
    if (endsHere(state, steps, () => checkpointFiles(model, moments, state))) return;
  }
  const metrics = { train_loss: state.lossSum / steps };
  for (const split of ['validation', 'test']) {
    const found = evaluateOn(model, split, { job, tokenizer, buffers, batch, step: steps });
    for (const [name, value] of Object.entries(found ?? {})) metrics[`${split}_${name}`] = value;
  }
  send('result', steps, resultFiles(model, job, state));
  emit({ event: 'done', metrics });
}

/** After a step: writes a checkpoint when one is due. True when this process has to end. */
export function endsHere(state, steps, makeFiles) {
  const cancelled = isCancelled();
  const isDue = state.step % spec.job.hyperparameters.save_steps === 0 && state.step < steps;
  if (!cancelled && !isDue && !isSliceOver(spec.slice.checkpointBytes * 2)) return false;
  const files = makeFiles();
  send('checkpoint', state.step, files);
  const bytes = Object.values(files).reduce((sum, parts) => sum + sizeOf(parts), 0);
  const isOver = isSliceOver(bytes * 2);
  if (cancelled) emit({ event: 'cancelled' });
  else if (isOver) emit({ event: 'slice' });
  return cancelled || isOver;
}

function startAdapters(model, seed) {
  const random = createRandom(seed, adapterStream);
  for (const [name, { shape, values }] of Object.entries(model.trainable)) {
    if (!name.endsWith('lora_A.weight')) continue;
    const bound = 1 / Math.sqrt(shape[1]);
    for (let at = 0; at < values.length; at++) values[at] = (random.fraction() * 2 - 1) * bound;
  }
}

function learnStep({ model, windows, state, batch, buffers, given, report }) {
  for (const gradient of Object.values(model.gradients)) gradient.fill(0);
  const chosen = Array.from({ length: given.gradient_accumulation_steps }, () =>
    Array.from({ length: batch }, () => nextWindow(state, windows.count)),
  );
  const { length } = buffers;
  let targets = 0;
  for (const window of chosen.flat())
    for (let at = window * length + 1; at < (window + 1) * length; at++)
      targets += windows.data[at] >= 0x80000000 ? 1 : 0;
  let loss = 0;
  for (const part of chosen) {
    fillBatch(windows, part, buffers);
    const scored = model.learn(buffers.tokens, buffers.targets, 1 / Math.max(1, targets));
    loss += scored.loss;
    report(loss / Math.max(1, targets));
  }
  return loss / Math.max(1, targets);
}

/** Every window once, in an order of its own for each pass. */
function nextWindow(state, count) {
  if (state.position === count) {
    state.position = 0;
    state.epochRandom = state.random.state();
    state.order = shuffled(count, state.random);
  }
  return state.order[state.position++];
}

/** AdamW after clipping; norms are not decayed. */
function update({ model, moments, given, rate, step }) {
  const {
    adam_beta1: b1,
    adam_beta2: b2,
    adam_epsilon: epsilon,
    weight_decay: decay,
    max_grad_norm: most,
  } = given;
  let sum = 0;
  for (const gradient of Object.values(model.gradients))
    for (let at = 0; at < gradient.length; at++) sum += gradient[at] * gradient[at];
  const clip = most > 0 ? Math.min(1, most / (Math.sqrt(sum) + 1e-6)) : 1;
  const [c1, c2] = [1 - b1 ** (step + 1), Math.sqrt(1 - b2 ** (step + 1))];
  for (const [name, { shape, values }] of Object.entries(model.trainable)) {
    const gradient = model.gradients[name];
    const { mean, square } = moments[name];
    const keep = shape.length > 1 ? 1 - rate * decay : 1;
    for (let at = 0; at < values.length; at++) {
      const g = gradient[at] * clip;
      const m = (mean[at] = b1 * mean[at] + (1 - b1) * g);
      const v = (square[at] = b2 * square[at] + (1 - b2) * g * g);
      values[at] = values[at] * keep - ((rate / c1) * m) / (Math.sqrt(v) / c2 + epsilon);
    }
  }
}

const fileName = (name) => (spec.job.method === 'lora' ? peftPrefix + name : name);
const weightFile = () =>
  spec.job.method === 'lora' ? 'adapter_model.safetensors' : 'model.safetensors';

function named(tensors) {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => [fileName(name), tensor]),
  );
}

function checkpointFiles(model, moments, state) {
  const optimizer = {};
  for (const [name, { mean, square }] of Object.entries(moments)) {
    const { shape } = model.trainable[name];
    optimizer[`exp_avg.${name}`] = { shape, values: mean };
    optimizer[`exp_avg_sq.${name}`] = { shape, values: square };
  }
  const { step, position, epochRandom, lossSum, losses } = state;
  return {
    [weightFile()]: writeTensors(named(model.trainable)),
    ...(spec.job.method === 'lora' ? { 'adapter_config.json': [adapterConfig()] } : {}),
    'optimizer.safetensors': writeTensors(optimizer),
    'trainer_state.json': [
      Buffer.from(
        JSON.stringify({
          global_step: step,
          scheduler: { last_step: step },
          random: epochRandom,
          position,
          lossSum,
          losses,
        }),
      ),
    ],
  };
}

function loadState({ model, moments, windows }) {
  const folder = spec.inputs.checkpoint;
  const fresh = createRandom(spec.job.seed, orderStream);
  if (!folder)
    return {
      step: 0,
      lossSum: 0,
      losses: [],
      random: fresh,
      epochRandom: fresh.state(),
      position: 0,
      order: shuffled(windows.count, fresh),
    };
  loadTensors(folder, model.trainable, fileName);
  const stored = readTensors(join(folder, 'optimizer.safetensors'));
  for (const [name, { mean, square }] of Object.entries(moments)) {
    mean.set(stored[`exp_avg.${name}`].values);
    square.set(stored[`exp_avg_sq.${name}`].values);
  }
  const kept = JSON.parse(readFileSync(join(folder, 'trainer_state.json'), 'utf8'));
  const random = createRandom(0, 0, kept.random);
  return {
    step: kept.global_step,
    lossSum: kept.lossSum,
    losses: kept.losses,
    random,
    epochRandom: kept.random,
    position: kept.position,
    order: shuffled(windows.count, random),
  };
}

function adapterConfig() {
  const { base, hyperparameters: given } = spec.job;
  return Buffer.from(
    JSON.stringify(
      {
        peft_type: 'LORA',
        task_type: 'CAUSAL_LM',
        base_model_name_or_path: base.folder.split('/').at(-1),
        r: given.lora_r,
        lora_alpha: given.lora_alpha,
        lora_dropout: 0,
        bias: 'none',
        target_modules: given.lora_target_modules,
      },
      null,
      2,
    ),
  );
}

function resultFiles(model, job, state) {
  const log = { 'losses.json': [Buffer.from(JSON.stringify(state.losses))] };
  if (job.method === 'full') return { 'model.safetensors': writeTensors(model.weights), ...log };
  const adapter = {
    'adapter_model.safetensors': writeTensors(named(model.trainable)),
    'adapter_config.json': [adapterConfig()],
    ...log,
  };
  if (!job.hyperparameters.merge) return adapter;
  model.merge();
  return { 'model.safetensors': writeTensors(model.weights), ...adapter };
}

const countValues = (tensors) =>
  Object.values(tensors).reduce((sum, { values }) => sum + values.length, 0);

/** Scores a split, reports it and returns the metrics; undefined where there is no such split. */
export function evaluateOn(model, split, { job, tokenizer, buffers, batch, step }) {
  if (!spec.inputs[split]) return undefined;
  const { length } = buffers;
  const windows = readWindows(split, { columns: job.columns, tokenizer, length });
  const most = job.hyperparameters.max_windows || windows.count;
  const count = Math.min(most, windows.count);
  const progress = createProgress({ steps: count, every: Infinity, done: 0 });
  let [loss, right, targets] = [0, 0, 0];
  for (let from = 0; from < count; from += batch) {
    const chosen = Array.from({ length: Math.min(batch, count - from) }, (_, at) => from + at);
    fillBatch(windows, chosen, buffers);
    const scored = model.evaluate(buffers.tokens, buffers.targets);
    loss += scored.loss;
    right += scored.right;
    for (const target of buffers.targets) targets += target >= 0 ? 1 : 0;
    if (job.kind === 'evaluate')
      progress(Math.min(count, from + batch), {
        loss: loss / Math.max(1, targets),
        count: batch * length,
      });
  }
  if (targets === 0) return undefined;
  const metrics = {
    loss: loss / targets,
    perplexity: Math.exp(loss / targets),
    top1: (100 * right) / targets,
    tokens: targets,
  };
  emit({ event: 'eval', step, split, metrics });
  return metrics;
}

/** `evaluate` and `predict` of a language model. */
export function evaluateModel() {
  const { job } = spec;
  const length = job.hyperparameters.max_seq_length;
  const batch = 8;
  const { model, shape } = readModel(spec.inputs.base, { batch, length, train: null });
  const tokenizer = openTokenizer(spec.inputs.base, shape.vocabulary);
  const parameters = countValues(model.weights);
  emit({
    event: 'start',
    engine: 'embedded',
    version: spec.version,
    steps: 1,
    parameters,
    trainableParameters: 0,
    fromStep: 0,
  });
  model.refresh(true);
  const buffers = {
    length,
    tokens: new Uint32Array(batch * length),
    targets: new Int32Array(batch * length),
  };
  const metrics = evaluateOn(model, spec.inputs.test ? 'test' : 'train', {
    job,
    tokenizer,
    buffers,
    batch,
    step: 0,
  });
  emit({
    event: 'done',
    metrics: metrics ?? fail('ml.bad_data', 'The data has no tokens to score'),
  });
}
