import { describe, expect, it } from 'vitest';
import { anAgent, anEntry, anIntent, readOnly } from '../../../testkit/agent/an-agent.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { localCaller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { Memory } from '../../contract/session/index.ts';

const properties = {
  path: { type: 'string' },
  line_length: { type: 'integer' },
  indent: { enum: ['tabs', '4 spaces'] },
  test_framework: { type: 'string' },
};
const format = anEntry('code.format_code', readOnly);
const entries = [
  { ...format, tool: { ...format.tool, inputSchema: { type: 'object', properties } } },
];

const step = { id: 'format', tool: 'code.format_code', args: { path: 'a.py' } };

/** An agent without a model whose every plan formats a.py; `called` are the arguments that reached the tool. */
function aFormatter(parts: Parameters<typeof anAgent>[0] = {}) {
  const { memory } = aMemory();
  const called: Json[] = [];
  const agent = anAgent({
    memory,
    entries,
    planned: () => ({
      kind: 'plan',
      candidates: [{ plan: { version: 1, steps: [step] }, why: 'formats', confidence: 1 }],
    }),
    tools: {
      'workspace.save': () => ({ ok: true }),
      'code.format_code': (args) => {
        called.push(args);
        return { formatted_code: 'x' };
      },
    },
    ...parts,
  });
  return { ...agent, memory, called };
}

const held = async (memory: Memory) =>
  (await memory.preferences(localCaller)).map(({ text, state }) => `${text} (${state})`);

describe('a preference', () => {
  it('fills what the user left open, is shown before it acts, and is accepted with the plan', async () => {
    const { ask, memory, called } = aFormatter();
    await ask('I prefer line width 100');
    const shown = await ask('format a.py');
    expect(shown).toMatchObject({
      kind: 'plan',
      preview: expect.stringContaining(
        'line_length=100, because you said "I prefer line width 100" on 1 January 2026. First used here.',
      ),
    });
    expect(await memory.preferences(localCaller)).not.toMatchObject([
      { acceptedAt: expect.any(String) },
    ]);
    await ask('yes', { session: shown.sessionId });
    expect(called).toEqual([{ path: 'a.py', line_length: 100 }]);
    expect(await memory.preferences(localCaller)).toMatchObject([
      { acceptedAt: expect.any(String) },
    ]);
    expect(await ask('format a.py')).toMatchObject({
      preview: expect.not.stringContaining('First used'),
    });
  });

  it('is told where the plan is not shown', async () => {
    const { ask, events, called } = aFormatter();
    await ask('I prefer line width 100');
    await ask('format a.py', { acceptPreview: true });
    expect(called).toEqual([{ path: 'a.py', line_length: 100 }]);
    expect(events).toContainEqual({
      kind: 'notice',
      text: expect.stringContaining('line_length=100, because you said'),
    });
  });

  it('is shown before it acts the first time also in a plan of a model', async () => {
    const { ask, called } = aFormatter({
      model: ({ name }) =>
        name === 'intent' ? anIntent('Format', ['code.format_code'], { steps: [step] }) : 'Done.',
    });
    await ask('I prefer line width 100');
    const shown = await ask('format a.py');
    expect(shown).toMatchObject({ kind: 'plan', madeBy: 'model' });
    expect(called).toEqual([]);
    await ask('yes', { session: shown.sessionId });
    expect(await ask('format a.py')).toMatchObject({ kind: 'answer' });
    expect(called).toEqual([
      { path: 'a.py', line_length: 100 },
      { path: 'a.py', line_length: 100 },
    ]);
  });

  it.each([
    ['plan', 'no, use tabs'],
    ['result', 'no, use tabs'],
    ['result', 'tabs please'],
  ] as const)(
    'is learned from a correction of a %s, and the request is planned again with it: %s',
    async (after, said) => {
      const { ask, memory } = aFormatter();
      const { sessionId: session } = await ask('format a.py');
      if (after === 'result') await ask('yes', { session });
      const again = await ask(said, { session });
      expect(again).toMatchObject({
        kind: 'plan',
        plan: { steps: [{ args: { path: 'a.py', indent: 'tabs' } }] },
        preview: expect.stringContaining(`you said "${said}" on 1 January 2026`),
      });
      expect(await held(memory)).toEqual(['indent with tabs (active)']);
    },
  );

  it('that may be meant for once is kept when the plan with it is accepted, and dropped when not', async () => {
    const { ask, memory, called } = aFormatter();
    const { sessionId: session } = await ask('format a.py');
    await ask('no, use unittest', { session });
    expect(await held(memory)).toEqual(['tests with unittest (suggested)']);
    await ask('no', { session });
    expect(await held(memory)).toEqual(['tests with unittest (rejected)']);
    await ask('format a.py', { session });
    await ask('no, use pytest', { session });
    await ask('yes', { session });
    expect(called).toEqual([{ path: 'a.py', test_framework: 'pytest' }]);
    expect(await held(memory)).toContain('tests with pytest (active)');
  });

  it('is suggested by a change of a file that was written here, and kept with the plan that follows it', async () => {
    const content = 'def f():\n    if 1:\n        return 2\n';
    const changed = 'def f():\n\tif 1:\n\t\treturn 2\n';
    const save = { id: 'save', tool: 'workspace.save', args: { path: 'a.py', content } };
    const { ask, memory, called, events } = aFormatter({
      entries: [...entries, anEntry('workspace.save', readOnly, { required: ['path', 'content'] })],
      readFile: async (path) => (path === 'a.py' ? changed : undefined),
      planned: ({ message }) => {
        const steps = [message.startsWith('save') ? save : step];
        return {
          kind: 'plan',
          candidates: [{ plan: { version: 1, steps }, why: '', confidence: 1 }],
        };
      },
    });
    const { sessionId: session } = await ask('save it', { acceptPreview: true });
    const shown = await ask('format a.py', { session });
    expect(events).toContainEqual({
      kind: 'notice',
      text: expect.stringContaining('a.py was changed from 4 spaces to tabs'),
    });
    expect(shown).toMatchObject({ preview: expect.stringContaining('Yes keeps it for later.') });
    expect(await held(memory)).toEqual(['indent with tabs in python (suggested)']);
    await ask('yes', { session });
    expect(called).toEqual([{ path: 'a.py', indent: 'tabs' }]);
    expect(await held(memory)).toEqual(['indent with tabs in python (active)']);
  });

  it('for short answers shortens what is told of a run, and goes before a model that tells it', async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const tools = { 'code.format_code': () => ({ lines }) };
    const { ask, told } = aFormatter({ tools });
    await ask('format a.py', { acceptPreview: true });
    expect(told()).toContain('line 19');
    await ask('short answers please');
    const short = await ask('format a.py', { acceptPreview: true });
    expect(short).toMatchObject({ answer: expect.stringContaining('more lines: say "show all".') });
    expect(short).toMatchObject({ answer: expect.not.stringContaining('line 19') });

    const prompts: string[] = [];
    const withModel = aFormatter({
      model: ({ name, prompt }) => {
        prompts.push(prompt);
        return name === 'intent'
          ? anIntent('Format', ['code.format_code'], { steps: [step] })
          : 'Done.';
      },
    });
    await withModel.ask('short answers please');
    await withModel.ask('format a.py');
    expect(prompts.at(-1)).toContain("The user's preferences: short answers");
  });

  it('that is only suggested changes no plan that is not shown', async () => {
    const { ask, memory, called } = aFormatter();
    const { sessionId: session } = await ask('format a.py');
    await ask('no, use unittest', { session, planOnly: true });
    await ask('format a.py', { acceptPreview: true });
    expect(called).toEqual([{ path: 'a.py' }]);
    expect(await held(memory)).toEqual(['tests with unittest (suggested)']);
  });
});
