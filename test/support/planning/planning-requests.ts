import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ProjectFiles } from '../../../src/agent/planner/index.ts';
import { trustedServers } from '../../../src/compose/agent.ts';
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

const plainValue = z.union([z.string(), z.number(), z.boolean()]);
/** A value as it must be, a part of it, all of a list, or the members of an object that matter. */
const wantedValue = z.union([
  plainValue,
  z.strictObject({ contains: z.string() }),
  z.array(plainValue),
  z.record(z.string(), plainValue),
]);

const requestSchema = z.object({
  id: z.string(),
  tree: z.string().optional(),
  /** Sets of tools that count as right; `gold` where there is just one. */
  accept: z.array(z.array(z.string())).optional(),
  half: z.enum(ownSets).optional(),
  category: z.string(),
  history: z
    .array(z.looseObject({ request: z.string(), artifacts: z.array(artifact) }))
    .default([]),
  attachments: z.array(artifact).default([]),
  request: z.string(),
  expect: z.enum(['plan', 'clarify', 'refuse']),
  gold: z.array(z.looseObject({ tool: z.string() })).default([]),
  optional: z.array(z.string()).default([]),
  /** Plans that count as right, compared with their arguments. */
  plans: z
    .array(z.array(z.object({ tool: z.string(), args: z.record(z.string(), wantedValue) })))
    .default([]),
  /** An answer without a plan is right, too. */
  mayAnswer: z.boolean().default(false),
});

/** A message with what came before it, and what a careful person would do. */
export interface PlanningCase extends Omit<z.output<typeof requestSchema>, 'accept'> {
  readonly accept: readonly (readonly string[])[];
  /** Files of the folder the message was typed in. */
  readonly files: readonly string[];
}

/** `dev` came with the project; `own` and `folder` are ours; the authors of the others did not know the planner. */
export function planningCases(
  set:
    | 'dev'
    | 'dev-2'
    | 'own'
    | 'folder'
    | 'fresh'
    | 'fresh-2'
    | 'fresh-3'
    | 'fresh-4'
    | 'fresh-5'
    | 'fresh-6',
): readonly PlanningCase[] {
  const { requests, trees } = z
    .object({
      requests: z.array(requestSchema),
      trees: z.record(z.string(), z.array(z.string())).default({}),
    })
    .parse(JSON.parse(readFileSync(dataPath(`requests-${set}`), 'utf8')));
  return requests.map((one) => ({
    ...one,
    accept: one.accept ?? [one.gold.map(({ tool }) => tool)],
    files: trees[one.tree ?? ''] ?? [],
  }));
}

/** A message by itself. */
export function aRequest(request: string): PlanningCase {
  const nothing = {
    history: [],
    attachments: [],
    gold: [],
    optional: [],
    accept: [],
    files: [],
    plans: [],
    mayAnswer: false,
  };
  return { id: request, category: 'single', expect: 'plan', request, ...nothing };
}

const texts = z.array(z.string());
/** Questions about Tutti, work that sounds like them, harm, and what only sounds like it. */
export const topicsAndHarm = z
  .object({
    topics: z.array(z.object({ request: z.string(), topic: z.string() })),
    work: texts,
    harmful: texts,
    benign: texts,
    shortHarmful: texts,
    shortHarmless: texts,
  })
  .parse(JSON.parse(readFileSync(dataPath('topics-and-harm'), 'utf8')));

function dataPath(name: string): URL {
  return new URL(`../../data/planning/${name}.json`, import.meta.url);
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
    files: treeOf(one.files),
    isOwn: (server: string) => trustedServers.includes(server),
    maxSteps: 10,
  };
}

/** A folder that holds just these files. */
function treeOf(files: readonly string[]): ProjectFiles {
  return {
    kind: async (path) => {
      const plain = path.replace(/^\.\//u, '');
      if (plain === '.' || files.some((file) => file.startsWith(`${plain}/`))) return 'folder';
      return files.includes(plain) ? 'file' : undefined;
    },
    list: async (limit) => files.slice(0, limit),
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
