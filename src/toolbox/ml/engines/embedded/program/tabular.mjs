import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createProgress,
  emit,
  fail,
  isCancelled,
  isSliceOver,
  note,
  send,
  spec,
} from './channel.mjs';
import { fitLinear, scoreLinear } from './linear.mjs';
import { boost, scoreTrees } from './boosted.mjs';
import { readRows, textOf } from './rows.mjs';

/** Values that are missing; a string in a column of numbers is an error with its row. */
const missing = new Set([null, undefined, '']);
const maxCategories = 1000;
/** By code units: the same on every machine. */
const inOrder = (one, other) => (one < other ? -1 : 1);

export function train() {
  const { job } = spec;
  const rows = readRows('train');
  if (rows.length === 0) fail('ml.bad_data', 'The training data has no rows');
  const given = job.hyperparameters;
  const encoder = job.columns.text ? learnWords(rows, job) : learnColumns(rows, job);
  const labels =
    job.task === 'classification'
      ? [...new Set(rows.map((row, at) => labelOf(row, at)))].sort(inOrder)
      : null;
  if (labels && labels.length < 2)
    fail(
      'ml.bad_data',
      `The column "${job.columns.label}" has one value only: ${String(labels[0])}`,
    );
  const data = encode(rows, encoder, job.algorithm);
  const target = targets(rows, labels, 'train');
  const steps = job.algorithm === 'linear' ? given.max_iter : given.n_estimators;
  emit({
    event: 'start',
    engine: 'embedded',
    version: spec.version,
    steps,
    parameters: 0,
    trainableParameters: 0,
    fromStep: 0,
  });
  const progress = createProgress({ steps, every: Math.max(1, Math.floor(steps / 10)), done: 0 });
  const classes = labels ? labels.length : 0;
  const before = spec.inputs.checkpoint
    ? JSON.parse(readFileSync(join(spec.inputs.checkpoint, 'trainer_state.json'), 'utf8'))
    : undefined;
  const after = (step, loss, state) => {
    progress(step, { loss, learningRate: given.learning_rate ?? 0 });
    const cancelled = isCancelled();
    const due = given.checkpoint_rounds && step % given.checkpoint_rounds === 0 && step < steps;
    const over = isSliceOver(0);
    if (!cancelled && !due && !over) return false;
    send('checkpoint', step, { 'trainer_state.json': [Buffer.from(JSON.stringify(state()))] });
    if (cancelled || over) emit({ event: cancelled ? 'cancelled' : 'slice' });
    return cancelled || over;
  };
  const fit = job.algorithm === 'linear' ? fitLinear : boost;
  const fitted = fit({ data, target, classes, given, seed: job.seed, before, after });
  if (!fitted) return;
  const model = {
    format: 'tutti-tabular-1',
    task: job.task,
    algorithm: job.algorithm,
    columns: job.columns,
    encoder,
    labels,
    ...fitted,
  };
  const metrics = { rows: rows.length, features: data.width, train_loss: fitted.loss };
  for (const split of ['train', 'validation', 'test']) {
    const found = measure(model, readRows(split), split);
    if (!found) continue;
    emit({ event: 'eval', step: steps, split, metrics: found });
    for (const [name, value] of Object.entries(found)) metrics[`${split}_${name}`] = value;
  }
  send('result', steps, { 'model.json': [Buffer.from(JSON.stringify(model))] });
  emit({ event: 'done', metrics });
}

export function evaluate() {
  const model = readTabular();
  const split = spec.inputs.test ? 'test' : 'train';
  const metrics =
    measure(model, readRows(split), split) ??
    fail('ml.bad_data', `The data has no rows in "${split}"`);
  emit({ event: 'eval', step: 0, split, metrics });
  emit({ event: 'done', metrics });
}

export function predict() {
  const model = readTabular();
  const rows = readRows('rows');
  const scores = rows.length > 0 ? scoreRows(model, rows) : [];
  const lines = scores.map((line) => {
    if (!model.labels) return { prediction: line[0] };
    const shares = softmax(line);
    const best = shares.indexOf(Math.max(...shares));
    return { prediction: model.labels[best], probability: shares[best] };
  });
  send('result', 0, {
    'predictions.jsonl': [Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))],
  });
  emit({ event: 'done', metrics: { rows: rows.length } });
}

function readTabular() {
  const model = JSON.parse(readFileSync(join(spec.inputs.base, 'model.json'), 'utf8'));
  return model.format === 'tutti-tabular-1'
    ? model
    : fail('ml.unsupported_model', 'model.json is not a model of this engine');
}

function labelOf(row, at, column = spec.job.columns.label, split = 'train') {
  const value = row[column];
  return missing.has(value)
    ? fail(
        'ml.bad_data',
        `Row ${at + 1} of "${split}" has no value in the column "${column}" (its columns: ${Object.keys(row).slice(0, 20).join(', ')})`,
      )
    : String(value);
}

function targets(rows, labels, split, column = spec.job.columns.label) {
  const index = labels && new Map(labels.map((label, at) => [label, at]));
  return Float64Array.from(rows, (row, at) => {
    const label = labelOf(row, at, column, split);
    const value = index ? (index.get(label) ?? -1) : Number(label);
    return Number.isFinite(value)
      ? value
      : fail(
          'ml.bad_data',
          `Row ${at + 1} of "${split}" has "${String(label)}" in the column "${column}", and a number is needed`,
        );
  });
}

/** Numbers stay numbers; other columns become one feature a category. */
function learnColumns(rows, { columns }) {
  const names =
    columns.features.length > 0
      ? columns.features
      : [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
          (name) => name !== columns.label,
        );
  if (names.length === 0) fail('ml.bad_data', `There is no column besides "${columns.label}"`);
  const kept = [];
  for (const name of names) {
    const values = rows.map((row) => row[name]).filter((value) => !missing.has(value));
    if (values.length === 0)
      fail(
        'ml.bad_data',
        `The column "${name}" has no values in the training data (its columns: ${Object.keys(rows[0]).slice(0, 20).join(', ')})`,
      );
    const isNumber = values.every(
      (value) => typeof value === 'boolean' || (value !== '' && Number.isFinite(Number(value))),
    );
    if (isNumber) {
      kept.push({
        name,
        mean: values.reduce((sum, value) => sum + Number(value), 0) / values.length,
      });
      continue;
    }
    const categories = [...new Set(values.map(String))].sort(inOrder);
    if (categories.length > maxCategories)
      note('column ignored', { column: name, categories: categories.length });
    else kept.push({ name, categories });
  }
  if (kept.length === 0) fail('ml.bad_data', 'No column can be used as a feature');
  return { kind: 'columns', columns: kept };
}

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];

function learnWords(rows, { columns, hyperparameters: given }) {
  const counts = new Map();
  rows.forEach((row, at) => {
    for (const word of new Set(words(textOf(row, columns.text, { split: 'train', at }))))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  });
  const least = given.min_df ?? 2;
  const kept = [...counts]
    .filter(([, count]) => count >= least)
    .sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
    .slice(0, given.max_features ?? 5000)
    .sort((one, other) => (one[0] < other[0] ? -1 : 1));
  if (kept.length === 0)
    fail('ml.bad_data', `The column "${columns.text}" has no word in ${least} rows`);
  return {
    kind: 'words',
    column: columns.text,
    words: kept.map(([word]) => word),
    weights: kept.map(([, count]) => Math.log((1 + rows.length) / (1 + count)) + 1),
  };
}

/** Rows as a sparse matrix: `{ width, starts, columns, values }`. */
function encode(rows, encoder, algorithm) {
  const starts = [0];
  const columns = [];
  const values = [];
  const width =
    encoder.kind === 'words'
      ? encoder.words.length
      : encoder.columns.reduce((sum, { categories }) => sum + (categories?.length ?? 1), 0);
  const index =
    encoder.kind === 'words' ? new Map(encoder.words.map((word, at) => [word, at])) : null;
  const indices =
    encoder.kind === 'columns'
      ? encoder.columns.map(
          ({ categories }) => categories && new Map(categories.map((name, at) => [name, at])),
        )
      : null;
  rows.forEach((row, at) => {
    if (index)
      encodeWords(textOf(row, encoder.column, { split: 'rows', at }), {
        index,
        encoder,
        columns,
        values,
      });
    else encodeColumns(row, { at, encoder, indices, columns, values, algorithm });
    starts.push(columns.length);
  });
  return {
    count: rows.length,
    width,
    starts,
    columns: Uint32Array.from(columns),
    values: Float64Array.from(values),
  };
}

/** A column that no row has is another dataset, not a missing value. */
function checkColumns(rows, encoder) {
  const needed = encoder.kind === 'words' ? [encoder] : encoder.columns;
  const absent = needed
    .map(({ column, name }) => column ?? name)
    .filter((name) => rows.every((row) => !(name in row)));
  if (absent.length > 0)
    fail(
      'ml.bad_data',
      `The model needs the columns ${absent.map((name) => `"${name}"`).join(', ')}, and the rows have ${Object.keys(rows[0]).slice(0, 20).join(', ')}`,
    );
}

function encodeWords(text, { index, encoder, columns, values }) {
  const counts = new Map();
  for (const word of words(text))
    if (index.has(word)) counts.set(index.get(word), (counts.get(index.get(word)) ?? 0) + 1);
  const line = [...counts]
    .map(([column, count]) => [column, count * encoder.weights[column]])
    .sort((one, other) => one[0] - other[0]);
  const length = Math.sqrt(line.reduce((sum, [, value]) => sum + value * value, 0)) || 1;
  for (const [column, value] of line) {
    columns.push(column);
    values.push(value / length);
  }
}

function encodeColumns(row, { at, encoder, indices, columns, values, algorithm }) {
  let first = 0;
  encoder.columns.forEach(({ name, mean, categories }, order) => {
    const value = row[name];
    if (categories) {
      const found = missing.has(value) ? undefined : indices[order].get(String(value));
      if (found !== undefined) {
        columns.push(first + found);
        values.push(1);
      }
      first += categories.length;
      return;
    }
    const number = missing.has(value) ? (algorithm === 'boosted' ? NaN : mean) : Number(value);
    if (!Number.isFinite(number) && !missing.has(value))
      fail(
        'ml.bad_data',
        `Row ${at + 1} has "${String(value).slice(0, 50)}" in the column "${name}", and the other rows have numbers`,
      );
    columns.push(first);
    values.push(number);
    first += 1;
  });
}

function scoreRows(model, rows) {
  checkColumns(rows, model.encoder);
  const data = encode(rows, model.encoder, model.algorithm);
  return model.algorithm === 'linear' ? scoreLinear(model, data) : scoreTrees(model, data);
}

function softmax(line) {
  if (line.length === 1) {
    const one = 1 / (1 + Math.exp(-line[0]));
    return [1 - one, one];
  }
  const largest = Math.max(...line);
  const parts = line.map((value) => Math.exp(value - largest));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}

function measure(model, rows, split) {
  if (rows.length === 0) return undefined;
  const wanted = targets(rows, model.labels, split, model.columns.label);
  const scores = scoreRows(model, rows);
  if (!model.labels) {
    const mean = wanted.reduce((sum, value) => sum + value, 0) / rows.length;
    let [square, total, absolute] = [0, 0, 0];
    scores.forEach(([score], at) => {
      square += (score - wanted[at]) ** 2;
      total += (wanted[at] - mean) ** 2;
      absolute += Math.abs(score - wanted[at]);
    });
    return {
      rmse: Math.sqrt(square / rows.length),
      mae: absolute / rows.length,
      r2: total > 0 ? 1 - square / total : 0,
    };
  }
  let [right, loss] = [0, 0];
  const hits = model.labels.map(() => ({ right: 0, made: 0, there: 0 }));
  scores.forEach((line, at) => {
    const shares = softmax(line);
    const best = shares.indexOf(Math.max(...shares));
    const label = wanted[at];
    hits[best].made += 1;
    if (label >= 0) hits[label].there += 1;
    if (best === label) {
      right += 1;
      hits[best].right += 1;
    }
    loss -= Math.log(Math.max(1e-15, label >= 0 ? shares[label] : 0));
  });
  const f1 = hits.map(({ right: hit, made, there }) =>
    made + there > 0 ? (2 * hit) / (made + there) : 0,
  );
  return {
    accuracy: right / rows.length,
    macro_f1: f1.reduce((sum, one) => sum + one, 0) / f1.length,
    loss: loss / rows.length,
  };
}
