import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, note } from './channel.mjs';
import { readRows, textOf } from './rows.mjs';
import { Tokenizer } from './tokenizers.mjs';

/** In a window of tokens: the loss counts this one. The rest of the word is the token. */
export const counted = 0x80000000;

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});

/** The model's own tokenizer, and its tokens for the beginning and end of texts where it names them. */
export function openTokenizer(folder, vocabulary) {
  const path = join(folder, 'tokenizer.json');
  if (!existsSync(path)) fail('ml.unsupported_model', 'The model has no tokenizer.json');
  const settings = readJson(join(folder, 'tokenizer_config.json'));
  const tokenizer = new Tokenizer(readJson(path), settings);
  const config = readJson(join(folder, 'config.json'));
  const idOf = (kind) => {
    const named = settings[`${kind}_token`];
    const id = tokenizer.token_to_id(named?.content ?? named ?? '') ?? config[`${kind}_token_id`];
    return Array.isArray(id) ? id[0] : id;
  };
  const [begin, end] = [idOf('bos'), idOf('eos')];
  const encode = (text) => {
    const { ids } = tokenizer.encode(text, { add_special_tokens: false });
    const wrong = ids.find((id) => !(id >= 0 && id < vocabulary));
    if (wrong !== undefined)
      fail(
        'ml.unsupported_model',
        `The tokenizer gives token ${wrong}, and the model has ${vocabulary} tokens: they do not belong together`,
      );
    return ids;
  };
  return {
    encode,
    decode: (ids) => tokenizer.decode(ids, { skip_special_tokens: true }),
    begin,
    end,
  };
}

/** A split as windows of `length` tokens: whole texts one after the other, or one prompt and its completion each. */
export function readWindows(split, { columns, tokenizer, length }) {
  const rows = readRows(split);
  const windows =
    'text' in columns
      ? packTexts(rows, { columns, tokenizer, length, split })
      : fillPrompts(rows, { columns, tokenizer, length, split });
  const data = new Uint32Array(windows.length * length);
  windows.forEach((window, at) => data.set(window, at * length));
  let targets = 0;
  for (const word of data) if (word >= counted) targets += 1;
  return { count: windows.length, data, targets };
}

function packTexts(rows, { columns, tokenizer, length, split }) {
  const stream = [];
  rows.forEach((row, at) => {
    if (tokenizer.begin !== undefined && tokenizer.begin !== tokenizer.end)
      stream.push(tokenizer.begin);
    for (const id of tokenizer.encode(textOf(row, columns.text, { split, at }))) stream.push(id);
    if (tokenizer.end !== undefined) stream.push(tokenizer.end);
  });
  const windows = [];
  for (let from = 0; from + 1 < stream.length; from += length)
    windows.push(stream.slice(from, from + length).map((id, at) => (at === 0 ? id : id + counted)));
  return windows;
}

function fillPrompts(rows, { columns, tokenizer, length, split }) {
  let cut = 0;
  const windows = rows.map((row, at) => {
    const prompt = tokenizer.encode(textOf(row, columns.prompt, { split, at }));
    const completion = [
      ...tokenizer.encode(textOf(row, columns.completion, { split, at })),
      ...(tokenizer.end === undefined ? [] : [tokenizer.end]),
    ].slice(0, length - 1);
    const begin = tokenizer.begin === undefined ? [] : [tokenizer.begin];
    const kept = prompt.slice(
      Math.max(0, prompt.length - Math.max(0, length - completion.length - begin.length)),
    );
    if (kept.length < prompt.length) cut += 1;
    return [...begin, ...kept, ...completion.map((id) => id + counted)].slice(0, length);
  });
  if (cut > 0) note('prompts shortened', { split, rows: cut, maxSeqLength: length });
  return windows;
}

/** Tokens and targets of some windows; the target of a position is the token after it, or -1. */
export function fillBatch(windows, chosen, { length, tokens, targets }) {
  tokens.fill(0);
  targets.fill(-1);
  chosen.forEach((window, row) => {
    for (let at = 0; at < length; at++) {
      const word = windows.data[window * length + at];
      tokens[row * length + at] = word & 0x7fffffff;
      if (word >= counted && at > 0) targets[row * length + at - 1] = word & 0x7fffffff;
    }
  });
}
