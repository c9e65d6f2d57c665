import { expect, it } from 'vitest';
import { z } from 'zod';
import { commands, loadCommand } from './command-table.ts';

const sentence = z.string().min(10).max(150);
const schema = z.array(
  z.strictObject({
    name: z.string().regex(/^[a-z]+$/),
    isLocal: z.literal(true).optional(),
    operands: z.string().regex(/^(?:(?:<\w+>|\[\w+(?:\.{3})?\])(?: |$))*$/),
    summary: sentence,
    options: z
      .array(
        z.union([
          z.tuple([z.string().includes('--'), sentence]),
          z.tuple([z.string().includes('--'), sentence, z.literal('many')]),
        ]),
      )
      .optional(),
    notes: z.array(z.string().min(1)).optional(),
    examples: z.array(z.string().includes('tutti')).min(1),
  }),
);

it('describes every command, and has code for just these', async () => {
  expect(schema.safeParse(commands).error).toBeUndefined();
  const names = commands.map(({ name }) => name);
  expect(new Set(names)).toEqual(new Set(Object.keys(loadCommand)));
  for (const name of names) expect(await loadCommand[name]?.(), name).toBeTypeOf('function');
});
