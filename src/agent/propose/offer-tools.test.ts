import { describe, expect, it } from 'vitest';
import type { Intent } from '../../contract/agent/index.ts';
import { anEntry, readOnly, someEntries } from '../../../testkit/agent/an-agent.ts';
import { describeTool, nameTool } from './describe-tool.ts';
import { fixCapability, offerTools, type ToolSource } from './offer-tools.ts';

function aSource(found: Readonly<Record<string, readonly string[]>> = {}) {
  const queries: string[] = [];
  const source: ToolSource = {
    entries: async () => someEntries,
    find: async (query, count) => {
      queries.push(query);
      const names = found[query] ?? [];
      return someEntries.filter(({ name }) => names.includes(name)).slice(0, count);
    },
  };
  return { source, queries };
}

const anIntent = (tools_needed: readonly string[]): Intent => ({
  primary_goal: 'goal',
  tools_needed,
  parameters: {},
  needs_clarification: false,
  unclear_aspects: [],
  confidence: 1,
});

const isTrusted = (server: string): boolean => server === 'code';
const names = (entries: readonly { readonly name: string }[]): string[] =>
  entries.map(({ name }) => name);

describe('tools for a message', () => {
  it('are those the user named, then those that were found; never what could call anything', async () => {
    const words = 'use mail.send, review_code and admin.call_tool (not workflow.run_plan-ish)';
    const { source } = aSource({ [words]: ['web.search', 'agent.ask'] });
    expect(names(await offerTools(source, words))).toEqual([
      'code.review_code',
      'mail.send',
      'web.search',
    ]);
  });

  it('are not looked for again where the intent names them', async () => {
    const { source, queries } = aSource();
    const offered = someEntries.slice(0, 1);
    const intent = anIntent(['review_code', 'mail.send']);
    const fixed = await fixCapability(source, { words: 'x', offered, intent, isTrusted });
    expect(names(fixed.entries)).toEqual(['code.review_code', 'mail.send', 'code.generate_code']);
    expect(queries).toEqual([]);
  });

  it('are looked for where the intent describes them', async () => {
    const { source, queries } = aSource({
      'send a mail': ['mail.send'],
      goal: ['code.review_code', 'web.search'],
    });
    const intent = anIntent(['send a mail']);
    const fixed = await fixCapability(source, { words: 'x', offered: [], intent, isTrusted });
    expect(names(fixed.entries)).toEqual(['mail.send', 'code.review_code']);
    expect(queries).toEqual(['goal', 'send a mail']);
  });
});

describe('a tool before a model', () => {
  const entry = anEntry('code.review_code', readOnly, {
    required: ['code'],
    description: 'Reviews code.\n  Finds bugs! And more.',
  });

  it('is one sentence where it may be chosen', () => {
    expect(nameTool(entry)).toBe('code.review_code: Reviews code.');
    expect(nameTool({ ...entry, tool: { name: 'x', inputSchema: {} } })).toBe('code.review_code: ');
  });

  it('has its arguments and results where it may be used', () => {
    const inputSchema = {
      properties: {
        code: { type: 'string', description: 'The code.' },
        style: { enum: ['a', 'b'] },
        areas: { type: 'array', items: { type: ['string', 'null'] } },
        other: {},
      },
      required: ['code'],
    };
    const outputSchema = { properties: { score: { type: 'number' } } };
    const text = describeTool({ ...entry, tool: { ...entry.tool, inputSchema, outputSchema } });
    expect(text).toBe(
      [
        'code.review_code: Reviews code. Finds bugs! And more.',
        '  - code (string, required): The code.',
        '  - style ("a" | "b")',
        '  - areas (list of string | null)',
        '  - other (any)',
        '  gives: score (number)',
      ].join('\n'),
    );
  });
});
