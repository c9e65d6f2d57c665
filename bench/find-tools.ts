import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { CatalogueEntry } from '../src/contract/catalogue/index.ts';
import { silentLog } from '../src/kernel/index.ts';
import { createCachedEmbedder, createLocalEmbedder } from '../src/models/index.ts';
import { ToolSearch } from '../src/toolbox/admin/index.ts';
import { manyTools, toolRequests } from '../test/support/find-tools-corpus.ts';
import { listTools } from './list-tools.ts';
import type { Comparison } from './measure.ts';

const toolCount = 1_000;
const patience = { toolsMs: 3_600_000, queryMs: 60_000 };
/** What a model's tokenizer makes of JSON, roughly; none of ours is needed for an order of magnitude. */
const charsPerToken = 4;

interface Answer {
  readonly ms: number;
  readonly isRight: boolean;
  readonly half: 'tuning' | 'held out';
  readonly askedModel: boolean;
}

/** How well and how fast `find_tools` finds, and what the short list saves a model. */
export async function measureFindTools(): Promise<Comparison[]> {
  const entries = await manyTools(toolCount);
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
  const queries = createLocalEmbedder();
  const tools = createCachedEmbedder(queries, { path: join(folder, 'vectors'), log: silentLog });
  const search = new ToolSearch({ entries: async () => entries, tools, queries, log: silentLog });
  const { signal } = new AbortController();
  try {
    const startedAt = performance.now();
    await search.find({ query: 'zxcv', count: 1, signal, patience });
    console.log(`embedding ${toolCount} tools: ${seconds(performance.now() - startedAt)} s, once`);
    const answers: Answer[] = [];
    for (const { request, tools: right, half } of toolRequests()) {
      const askedAt = performance.now();
      const found = await search.find({ query: request, count: 5, signal, patience });
      answers.push({
        ms: performance.now() - askedAt,
        isRight: found.tools.some(({ entry }) => right.includes(entry.name)),
        half,
        askedModel: found.rankedBy === 'words and meaning',
      });
    }
    report(answers);
    return [...summarize(answers), await countTokens(entries, folder)];
  } finally {
    await queries.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function summarize(answers: readonly Answer[]): Comparison[] {
  const absolute = { floor: '–', base: 1 };
  return [
    {
      ...absolute,
      name: 'find_tools over 1,000 tools, p50',
      unit: 'ms',
      limit: 30,
      ours: at(answers, 0.5),
    },
    {
      ...absolute,
      name: 'find_tools over 1,000 tools, p99',
      unit: 'ms',
      limit: 1_000,
      ours: at(answers, 0.99),
    },
    {
      ...absolute,
      name: 'find_tools, no right tool in 5',
      unit: '%',
      limit: 5,
      ours: missedPercent(answers),
    },
  ];
}

function report(answers: readonly Answer[]): void {
  for (const half of ['tuning', 'held out'] as const) {
    const part = answers.filter((it) => it.half === half);
    console.log(`recall@5, ${half}: ${(100 - missedPercent(part)).toFixed(1)} % of ${part.length}`);
  }
  for (const askedModel of [true, false]) {
    const part = answers.filter((it) => it.askedModel === askedModel);
    const times = [0.5, 0.99].map((share) => `${at(part, share).toFixed(1)} ms`).join(', ');
    console.log(
      `${part.length} answers ${askedModel ? 'with' : 'without'} the model: p50, p99 ${times}`,
    );
  }
}

/** The list of every tool, and that which `tutti mcp` sends in compact mode: the same however many there are. */
async function countTokens(
  entries: readonly CatalogueEntry[],
  folder: string,
): Promise<Comparison> {
  const tools = entries.map(({ wireName, tool }) => ({ ...tool, name: wireName }));
  const tokens = (text: string): number => Math.ceil(text.length / charsPerToken);
  console.log(`tools/list of ${entries.length} tools: ${tokens(JSON.stringify({ tools }))} tokens`);
  const env = { HOME: folder, TUTTI_HOME: join(folder, 'data') };
  const compact = await listTools({ args: ['mcp', '--compact'], cwd: folder, env });
  const name = 'tools/list of 1,000 tools, compact';
  return { name, unit: 'tokens', floor: '–', base: 1, limit: 2_000, ours: tokens(compact) };
}

function at(answers: readonly Answer[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function missedPercent(answers: readonly Answer[]): number {
  return (100 * answers.filter(({ isRight }) => !isRight).length) / answers.length;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0);
}

if (import.meta.main) console.log(await measureFindTools());
