import { emit, isCancelled, note, send, spec } from './channel.mjs';
import { readModel, shapeIn } from './finetune.mjs';
import { readRows, textOf } from './rows.mjs';
import { openTokenizer } from './tokens.mjs';

/** A window costs its square: completion is for trying a model out. */
const maxWindow = 1024;
const reportMs = 1000;

/** Continues each prompt with the likeliest tokens. Simple: it computes the whole window again for each token. */
export function predict() {
  const { job } = spec;
  const { positions, vocabulary } = shapeIn(spec.inputs.base);
  const tokenizer = openTokenizer(spec.inputs.base, vocabulary);
  const column = job.columns.prompt ?? job.columns.text;
  const rows = readRows('rows');
  const prompts = rows.map((row, at) =>
    tokenizer.encode(textOf(row, column, { split: 'rows', at })),
  );
  const begin = tokenizer.begin === undefined ? [] : [tokenizer.begin];
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0);
  const wanted = job.hyperparameters.max_new_tokens;
  const length = Math.min(maxWindow, positions, begin.length + longest + wanted);
  // At least half of a window is for the prompt.
  const most = Math.min(wanted, Math.max(1, Math.floor(length / 2)));
  const room = length - most - begin.length;
  const cut = prompts.filter((prompt) => prompt.length > room).length;
  if (cut > 0) note('prompts shortened', { rows: cut, tokens: room });
  const { model } = readModel(spec.inputs.base, { batch: 1, length, train: null });
  model.refresh(true);
  const report = createReport(rows.length);
  const lines = [];
  for (const prompt of prompts) {
    const ids = [...begin, ...(room > 0 ? prompt.slice(-room) : [])];
    const made = [];
    while (made.length < most) {
      if (isCancelled()) return emit({ event: 'cancelled' });
      const window = Uint32Array.from({ length }, (_, position) => ids[position] ?? 0);
      const next = model.next(window, Math.max(0, ids.length - 1));
      if (next === tokenizer.end) break;
      ids.push(next);
      made.push(next);
      report(lines.length);
    }
    lines.push(JSON.stringify({ prediction: tokenizer.decode(made) }));
  }
  send('result', 0, {
    'predictions.jsonl': [Buffer.from(lines.map((line) => `${line}\n`).join(''))],
  });
  emit({ event: 'done', metrics: { rows: rows.length } });
}

function createReport(steps) {
  let lastAt = 0;
  return (step) => {
    if (performance.now() - lastAt < reportMs) return;
    lastAt = performance.now();
    emit({
      event: 'step',
      step,
      steps,
      loss: 0,
      learningRate: 0,
      tokensPerSecond: 0,
      memoryBytes: process.memoryUsage().rss,
      etaMs: 0,
    });
  };
}
