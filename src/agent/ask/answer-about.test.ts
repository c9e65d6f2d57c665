import { describe, expect, it } from 'vitest';
import type { AboutTopic } from '../planner/index.ts';
import { anAgent } from '../../../testkit/agent/an-agent.ts';
import { tools, write } from '../../../testkit/agent/fibonacci.ts';

function anAgentAsked(topic: AboutTopic) {
  return anAgent({ planned: () => ({ kind: 'about', topic }) });
}

describe('a question about Tutti itself', () => {
  it.each([
    ['capabilities', /- code: .*generate_code/],
    ['runs', /Nothing has been run in this folder yet/],
    ['failure', /Nothing has been run in this folder yet/],
    ['servers', /- code: ready, 12 tools/],
    ['model', /No model is connected/],
    ['addServer', /tutti servers add/],
    ['greeting', /Say what/],
    ['key', /tutti models/],
    ['data', /on this machine/],
    ['version', /tutti --version/],
    ['client', /tutti connect/],
  ] as const)('about %s is answered without a plan', async (topic, text) => {
    const { ask, runs } = anAgentAsked(topic);
    expect(await ask('a question')).toMatchObject({
      kind: 'answer',
      answer: expect.stringMatching(text),
    });
    expect(runs.started).toEqual([]);
  });

  it('adds the cause of a failed run and what cured it, where that is known', async () => {
    const plan = { version: 1 as const, ...write };
    const asked: string[] = [];
    const { ask } = anAgent({
      tools: { ...tools, 'code.generate_code': () => new Error('out of paper') },
      planned: ({ message }) =>
        message.startsWith('why')
          ? { kind: 'about', topic: 'failure' }
          : { kind: 'plan', candidates: [{ plan, confidence: 1, why: '' }] },
      explainRun: async ({ id }, runId) => {
        asked.push(`${id} ${runId}`);
        return 'Cause: the tray is empty. Fill it [cured 7 of 8 times]';
      },
    });
    await ask('write fibonacci', { acceptPreview: true });
    expect(await ask('why did it fail?', { session: 's-1' })).toMatchObject({
      answer: expect.stringMatching(/out of paper[^]*Cause: the tray is empty.*cured 7 of 8 times/),
    });
    expect(asked).toEqual(['local run-1']);
  });

  it.each(['y', 'No.', 'ok'])('"%s" with nothing open is no request', async (message) => {
    const { ask } = anAgentAsked('runs');
    expect(await ask(message)).toMatchObject({
      kind: 'answer',
      answer: expect.stringContaining('There is nothing to answer.'),
    });
  });

  it('tells what was run, and why the last run of the conversation failed', async () => {
    const plan = { version: 1 as const, ...write };
    const { ask } = anAgent({
      tools: { ...tools, 'code.generate_code': () => new Error('out of paper') },
      planned: ({ message }) =>
        message.startsWith('why')
          ? { kind: 'about', topic: 'failure' }
          : message.startsWith('show')
            ? { kind: 'about', topic: 'runs' }
            : { kind: 'plan', candidates: [{ plan, confidence: 1, why: '' }] },
    });
    await ask('write fibonacci', { acceptPreview: true });
    expect(await ask('why did it fail?', { session: 's-1' })).toMatchObject({
      answer: expect.stringContaining('out of paper'),
    });
    expect(await ask('show the runs', { session: 's-1' })).toMatchObject({
      answer: expect.stringMatching(/in this folder[^]*failed: Fibonacci \(run-1\)\n"tutti runs"/),
    });
  });

  it.each([
    [{ ok: false, failed: 1, text: 'FAILED: adds: 3 !== 4' }, 'FAILED: adds: 3 !== 4'],
    [{ exitCode: 2, text: 'NameError: x' }, 'NameError: x'],
    [{ ok: true, failed: 0, text: 'all good' }, 'The last run did not fail: it succeeded.'],
  ])('after a run that worked and gave %j tells what went wrong', async (output, answer) => {
    const plan = { version: 1 as const, ...write };
    const { ask } = anAgent({
      tools: { ...tools, 'code.generate_code': () => output },
      planned: ({ message }) =>
        message.startsWith('why')
          ? { kind: 'about', topic: 'failure' }
          : { kind: 'plan', candidates: [{ plan, confidence: 1, why: '' }] },
    });
    await ask('write fibonacci', { acceptPreview: true });
    expect(await ask('why did it fail?', { session: 's-1' })).toMatchObject({ answer });
  });

  it.each([
    [
      'did it pass?',
      { ok: false, failed: 1, text: 'FAILED: adds: 3 !== 4' },
      /^No: .*\nFAILED: adds/,
    ],
    ['has it worked', { ok: true, failed: 0, text: '2 passed' }, /^Yes, .*\n2 passed/],
    [
      'how long did it take?',
      { ok: true, text: 'good' },
      /^"Fibonacci" .* it started at 2026-01-01/,
    ],
    ['wie lange hat das gedauert', { ok: true, text: 'good' }, /it started at/],
  ])('"%s" is answered from the last run', async (message, output, answer) => {
    const plan = { version: 1 as const, ...write };
    const { ask } = anAgent({
      tools: { ...tools, 'code.generate_code': () => output },
      planned: (asked) =>
        asked.message === message
          ? { kind: 'about', topic: 'runs' }
          : { kind: 'plan', candidates: [{ plan, confidence: 1, why: '' }] },
    });
    await ask('write fibonacci', { acceptPreview: true });
    expect(await ask(message, { session: 's-1' })).toMatchObject({
      answer: expect.stringMatching(answer),
    });
  });
});
