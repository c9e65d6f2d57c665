import { describe, expect, it } from 'vitest';
import { readAnswer, readError } from './read-answer.ts';

const nested = (levels: number): unknown => (levels === 0 ? 'Hi' : { data: nested(levels - 1) });

describe('the answer of a chat endpoint', () => {
  it.each<[string, unknown]>([
    ['{response}', { response: 'Hi' }],
    ['{text}', { text: 'Hi' }],
    ['{content}', { content: 'Hi' }],
    ['{output}', { output: 'Hi' }],
    ['{generated_text}', { generated_text: 'Hi' }],
    ['{completion}', { completion: 'Hi' }],
    ['{answer}', { answer: 'Hi' }],
    ['{result}', { result: 'Hi' }],
    ['{message}', { message: 'Hi' }],
    ['{message: {content}}', { message: { role: 'assistant', content: 'Hi' } }],
    [
      '{message: {content: parts}}',
      {
        message: {
          content: [
            { type: 'text', text: 'H' },
            { type: 'text', text: 'i' },
          ],
        },
      },
    ],
    [
      '{choices: [{message}]}',
      { choices: [{ message: { content: 'Hi' } }, { message: { content: 'Or' } }] },
    ],
    ['{choices: [{text}]}', { choices: [{ text: 'Hi' }] }],
    ['{choices: [{delta}]}', { choices: [{ delta: { content: 'Hi' } }] }],
    ['{response: {text}}', { response: { text: 'Hi' } }],
    ['{data: {output}}', { data: { output: 'Hi' } }],
    ['{delta: {text}}', { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } }],
    ['{token: {text}}', { token: { text: 'Hi' }, generated_text: null }],
    ['[{generated_text}]', [{ generated_text: 'Hi' }]],
    ['[{message}]', [{ message: { content: 'Hi' } }]],
    ['[text]', ['Hi']],
    ['a bare text', 'Hi'],
    ['the first of several names', { response: 'Hi', text: 'no', output: 'no' }],
  ])('is found in %s', (_shape, value) => {
    expect(readAnswer(value)).toMatchObject({ text: 'Hi' });
  });

  it.each<[string, unknown]>([
    ['an object without it', { id: 5, created: 7 }],
    ['no choices', { choices: [] }],
    ['null', null],
    ['a number', 7],
    ['a truth', { response: true }],
    ['what is nested too deeply', nested(9)],
  ])('is missing in %s', (_shape, value) => {
    expect(readAnswer(value)).toBeNull();
  });

  it.each<[string, unknown, object]>([
    [
      'OpenAI’s',
      { text: '', usage: { prompt_tokens: 3, completion_tokens: 4 } },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [
      'Anthropic’s',
      { text: '', usage: { input_tokens: 3, output_tokens: 4 } },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [
      'Ollama’s',
      { response: '', prompt_eval_count: 3, eval_count: 4 },
      { inputTokens: 3, outputTokens: 4 },
    ],
  ])('comes with tokens in %s words', (_whose, value, usage) => {
    expect(readAnswer(value)).toMatchObject({ usage });
  });

  it('comes without tokens where they make no sense', () => {
    const value = { text: 'Hi', usage: { prompt_tokens: -3, completion_tokens: 'many' } };
    expect(readAnswer(value)).toEqual({ text: 'Hi' });
  });

  it.each([
    [{ text: '', finish_reason: 'length' }, 'length'],
    [{ text: '', stop_reason: 'max_tokens' }, 'length'],
    [{ response: '', done_reason: 'stop' }, 'stop'],
    [{ text: '', stop_reason: 'end_turn' }, 'stop'],
    [{ choices: [{ text: '', finish_reason: 'content_filter' }] }, 'filtered'],
    [{ text: '', finish_reason: 'tool_calls' }, 'other'],
  ])('tells why it ended: %j', (value, finish) => {
    expect(readAnswer(value)).toMatchObject({ finish });
  });

  it('is an error only where there is no text', () => {
    expect(readError({ error: 'out of memory' })).toBe('out of memory');
    expect(readError({ error: { message: 'out of memory' } })).toBe('out of memory');
    expect(readError({ error: '', response: 'Hi' })).toBeNull();
    expect(readError({ error: null })).toBeNull();
    expect(readError('text')).toBeNull();
  });
});
