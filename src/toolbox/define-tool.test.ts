import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorMetaKey, examplesMetaKey } from '../contract/tool/index.ts';
import { defineTool } from './define-tool.ts';
import { aCallContext } from '../../testkit/toolbox/call-context.ts';
import { createToolboxServer } from './toolbox-server.ts';

const double = defineTool({
  name: 'double',
  title: 'Double',
  description: 'Doubles a number.',
  input: z.object({
    n: z.number().describe('What to double'),
    rounding: z
      .strictObject({ digits: z.int().max(9) })
      .optional()
      .describe('How to round'),
    unit: z.enum(['metre', 'second']).optional(),
    label: z.string().min(1).optional(),
    tags: z.array(z.string()).max(1).optional(),
  }),
  output: z.object({ doubled: z.number().max(100) }),
  annotations: { readOnlyHint: true },
  examples: ['double 21'],
  run: async ({ n }) => {
    if (n === 13) throw new Error('unlucky');
    return { doubled: 2 * n };
  },
  summarize: ({ doubled }) => `It is ${doubled}`,
});

const server = createToolboxServer({
  name: 'math',
  title: 'Math',
  version: '1',
  instructions: '',
  tools: [double],
});

describe('a tool', () => {
  it('is listed with schemas, annotations and example phrases', async () => {
    expect(await server.listTools()).toEqual([
      {
        name: 'double',
        title: 'Double',
        description: 'Doubles a number.',
        inputSchema: expect.objectContaining({
          type: 'object',
          properties: expect.objectContaining({
            n: { type: 'number', description: 'What to double' },
          }),
          required: ['n'],
          additionalProperties: false,
        }),
        outputSchema: expect.objectContaining({ type: 'object' }),
        annotations: { title: 'Double', readOnlyHint: true },
        _meta: { [examplesMetaKey]: ['double 21'] },
      },
    ]);
  });

  it('returns structured content and a text for people', async () => {
    expect(await server.callTool('double', { n: 21 }, aCallContext())).toEqual({
      content: [{ type: 'text', text: 'It is 42' }],
      structuredContent: { doubled: 42 },
    });
  });

  it.each([
    [
      'arguments of the wrong type',
      { n: 'x' },
      'toolbox.invalid_arguments',
      'n: expected a number, found "x"',
    ],
    ['missing arguments', undefined, 'toolbox.invalid_arguments', 'n: is missing'],
    [
      'a choice there is not',
      { n: 1, unit: 'meter' },
      'toolbox.invalid_arguments',
      'unit: expected one of metre, second, found "meter" (did you mean "metre"?)',
    ],
    [
      'a number that is too large',
      { n: 1, rounding: { digits: 10 } },
      'toolbox.invalid_arguments',
      'rounding.digits: expected at most 9, found 10',
    ],
    ['an empty text', { n: 1, label: '' }, 'toolbox.invalid_arguments', 'label: must not be empty'],
    [
      'a list that is too long',
      { n: 1, tags: ['a', 'b'] },
      'toolbox.invalid_arguments',
      'tags: expected at most 1 item, found 2',
    ],
    ['an unknown argument', { n: 1, m: 2 }, 'toolbox.invalid_arguments', '"m" is unknown'],
    [
      'a mistyped argument',
      { n: 1, roundin: {} },
      'toolbox.invalid_arguments',
      '"roundin" is unknown (did you mean "rounding"?). Known: n, rounding, unit, label, tags',
    ],
    [
      'a mistyped argument inside another',
      { n: 1, rounding: { digits: 1, digit: 2 } },
      'toolbox.invalid_arguments',
      'rounding: "digit" is unknown (did you mean "digits"?)',
    ],
    ['arguments that are no object', [1], 'toolbox.invalid_arguments', 'arguments: '],
    ['an output its schema forbids', { n: 51 }, 'toolbox.invalid_output', 'doubled: '],
    ['an exception', { n: 13 }, 'internal.bug', 'unlucky'],
  ])('turns %s into a result that says what is wrong', async (_what, args, code, text) => {
    const result = await server.callTool('double', args, aCallContext());
    expect(result.isError).toBe(true);
    expect(result._meta?.[errorMetaKey]).toMatchObject({ code });
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining(text) });
  });

  it('that does not exist is an error that lists those that do', async () => {
    await expect(server.callTool('treble', {}, aCallContext())).rejects.toMatchObject({
      code: 'toolbox.not_found',
      message: expect.stringContaining('double'),
    });
  });

  it('that was cancelled throws the reason instead of reporting a failure', async () => {
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    const call = server.callTool('double', { n: 13 }, aCallContext({ signal }));
    await expect(call).rejects.toThrow('no longer wanted');
  });
});

describe('a server without resources and prompts', () => {
  it('lists none and knows none', async () => {
    expect(await server.listResources()).toEqual([]);
    expect(await server.listResourceTemplates()).toEqual([]);
    expect(await server.listPrompts()).toEqual([]);
    expect(
      await server.complete(
        { reference: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } },
        aCallContext(),
      ),
    ).toEqual({ values: [] });
    await expect(server.readResource('x://y', aCallContext())).rejects.toMatchObject({
      code: 'toolbox.not_found',
    });
    await expect(server.getPrompt('x', {}, aCallContext())).rejects.toMatchObject({
      code: 'toolbox.not_found',
    });
    server.onChange(() => {})();
    await server.close();
  });
});
