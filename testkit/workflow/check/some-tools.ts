import type { Tool } from '../../../src/contract/tool/index.ts';
import type { ToolLookup } from '../../../src/workflow/check/plan-types.ts';

const text = {
  type: 'object',
  properties: { text: { type: 'string' } },
  additionalProperties: false,
};

const tools: Readonly<Record<string, Omit<Tool, 'name'>>> = {
  'pure.make': {
    inputSchema: { type: 'object' },
    outputSchema: text,
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  'pure.dice': {
    inputSchema: { type: 'object' },
    outputSchema: text,
    annotations: { readOnlyHint: true },
  },
  'world.once': {
    inputSchema: { type: 'object' },
    outputSchema: text,
    annotations: { readOnlyHint: false, idempotentHint: false },
  },
  'world.send': { inputSchema: { type: 'object' }, outputSchema: text },
  'world.put': {
    inputSchema: { type: 'object' },
    outputSchema: text,
    annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  },
};

/** Tools of each kind: read-only and always the same, read-only, with effects. */
export const someTools: ToolLookup = {
  find: (name) =>
    Object.hasOwn(tools, name) ? { name, inputSchema: {}, ...tools[name] } : undefined,
  names: () => Object.keys(tools),
};
