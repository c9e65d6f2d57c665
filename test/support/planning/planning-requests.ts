import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CatalogueEntry } from '../../../src/contract/catalogue/index.ts';
import type { Remembered, Turn } from '../../../src/contract/session/index.ts';

const artifact = z.looseObject({
  type: z.enum(['code', 'tests', 'review', 'spec']),
  language: z.string().optional(),
  framework: z.string().optional(),
  name: z.string().optional(),
});

/** Our own requests, in the order in which they were written. */
export const ownSets = [
  'tuning',
  'held out',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
] as const;

const requestSchema = z.looseObject({
  id: z.string(),
  half: z.enum(ownSets).optional(),
  category: z.string(),
  history: z.array(z.looseObject({ request: z.string(), artifacts: z.array(artifact) })),
  attachments: z.array(artifact),
  request: z.string(),
  expect: z.enum(['plan', 'clarify', 'refuse']),
  gold: z.array(z.looseObject({ tool: z.string() })).default([]),
  optional: z.array(z.string()).default([]),
});

/** A message with what came before it, and what a careful person would do. */
export type PlanningCase = z.output<typeof requestSchema>;

/** `dev` came with the project; `own` are ours: one half was looked at while the planner was made. */
export function planningCases(set: 'dev' | 'own'): readonly PlanningCase[] {
  const path = new URL(`../../data/planning/requests-${set}.json`, import.meta.url);
  return z
    .object({ requests: z.array(requestSchema) })
    .parse(JSON.parse(readFileSync(path, 'utf8'))).requests;
}

/** The case as the planner is asked it. */
export function askedOf(one: PlanningCase, tools: readonly CatalogueEntry[]) {
  const turns = one.history.flatMap(({ request, artifacts }, at): Turn[] => {
    const remembered = artifacts.map((item) => rememberedOf(item));
    const when = '2026-01-01T00:00:00.000Z';
    return [
      { number: 2 * at + 1, at: when, role: 'user', text: request, remembered: [] },
      {
        number: 2 * at + 2,
        at: when,
        role: 'assistant',
        text: 'Done.',
        outcome: 'answer',
        remembered,
      },
    ];
  });
  return {
    message: one.request,
    tools,
    attachments: one.attachments.map(({ type, language, name }) => ({
      kind: type,
      content: `the ${type}`,
      ...(name !== undefined && { name }),
      ...(language !== undefined && { language }),
    })),
    remembered: turns.toReversed().flatMap(({ remembered }) => remembered),
    history: turns,
    files: { kind: async () => undefined, list: async () => [] },
    maxSteps: 10,
  };
}

function rememberedOf({ type, language, name, framework }: z.output<typeof artifact>): Remembered {
  return {
    kind: type,
    content: `the ${type}`,
    title: name ?? [framework, type].join(' ').trim(),
    ...(language !== undefined && { language }),
  };
}
