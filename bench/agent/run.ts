/**
 * A turn of the agent beside a bare tool loop of the AI SDK, over the same scripted model and the same tools,
 * in turns; and `tutti ask` from its start to the first word of the answer beside `node -e 0`.
 * `node bench/agent/run.ts`; writes RESULTS.md beside it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { greeting, message } from './script.ts';

const here = import.meta.dirname;
const tutti = resolve('bin/tutti.js');
const rounds = 5;
const turnsPerRound = 60;
/** The first turns compile and load. */
const warmUpTurns = 20;
const coldStarts = 15;
const limits = { turn: 1.5, cold: 8 };
const limitMs = 300_000;

async function startModel(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(here, 'scripted-model.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { url: String(url), child };
}

/** How long the model took since it was asked last, for all requests together. */
async function modelMs(url: string): Promise<{ busyMs: number; requests: number }> {
  const response = await fetch(url.replace('/v1', '/stats'));
  return z.object({ busyMs: z.number(), requests: z.number() }).parse(await response.json());
}

/** Milliseconds of each turn; what the model itself took is below a millisecond of that. */
function turns(script: string, args: readonly string[]): number[] {
  const child = spawnSync(process.execPath, [join(here, script), ...args], {
    encoding: 'utf8',
    timeout: limitMs,
  });
  const lines = child.stdout.trim().split('\n');
  if (child.status !== 0) throw new Error(`${script}: ${child.stderr.slice(-2_000)}`);
  const line = z.object({ ms: z.number() });
  return lines.map((text) => line.parse(JSON.parse(text)).ms).slice(warmUpTurns);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface TurnRow {
  readonly loopMs: number;
  readonly tuttiMs: number;
}

async function measureTurns(url: string): Promise<{ rows: TurnRow[]; modelMsPerTurn: number }> {
  const rows: TurnRow[] = [];
  const count = String(turnsPerRound);
  let busyMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    const loopMs = medianOf(turns('peers/ai-sdk-loop.ts', [url, count, tutti, message]));
    await modelMs(url);
    const tuttiMs = medianOf(turns('tutti-turns.ts', [url, count, message]));
    busyMs += (await modelMs(url)).busyMs;
    rows.push({ loopMs, tuttiMs });
  }
  return { rows, modelMsPerTurn: busyMs / rounds / turnsPerRound };
}

/** From the start of the process to the first byte of the answer, with a data directory that is there already. */
async function firstWordMs(url: string, home: string): Promise<number> {
  const providers = JSON.stringify({ scripted: { kind: 'openai', url, model: 'scripted' } });
  const startedAt = performance.now();
  const child = spawn(process.execPath, [tutti, 'ask', greeting, '--home', home], {
    env: { ...process.env, TUTTI_MODELS_PROVIDERS: providers },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [first] = await once(child.stdout, 'data');
  const ms = performance.now() - startedAt;
  if (String(first).trim() === '') throw new Error('the first byte was no word');
  await once(child, 'exit');
  return ms;
}

function emptyNodeMs(): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAt;
}

async function measureCold(url: string): Promise<{ nodeMs: number; firstMs: number }> {
  const home = mkdtempSync(join(tmpdir(), 'bench-agent-'));
  try {
    await firstWordMs(url, home);
    const node: number[] = [];
    const first: number[] = [];
    for (let round = 0; round < coldStarts; round += 1) {
      node.push(emptyNodeMs());
      first.push(await firstWordMs(url, home));
    }
    return { nodeMs: medianOf(node), firstMs: medianOf(first) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const model = await startModel();
try {
  const { rows, modelMsPerTurn } = await measureTurns(model.url);
  const cold = await measureCold(model.url);
  const ratio = medianOf(rows.map(({ loopMs, tuttiMs }) => tuttiMs / loopMs));
  const text = `# A turn of the agent

\`make bench-agent\`, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}. The model is a script that answers at once
(${modelMsPerTurn.toFixed(2)} ms a turn for Tutti); the tools are \`code.format_code\` and \`code.analyze_complexity\`.

| round | bare tool loop of the AI SDK, ms a turn | Tutti, ms a turn | ratio |
|---|---|---|---|
${rows.map(({ loopMs, tuttiMs }, index) => `| ${index + 1} | ${loopMs.toFixed(1)} | ${tuttiMs.toFixed(1)} | ${(tuttiMs / loopMs).toFixed(2)} |`).join('\n')}

Median ratio **${ratio.toFixed(2)}** (limit ${limits.turn}). Both ask the model twice (Tutti: intent with plan, answer). The loop keeps nothing; Tutti records the
message, a durable run of two steps and the answer, each on disk before it goes on, in sessions of twenty messages.

\`tutti ask\`, from the start of the process to the first word of the answer: ${cold.firstMs.toFixed(0)} ms, \`node -e 0\`: ${cold.nodeMs.toFixed(0)} ms, ratio **${(cold.firstMs / cold.nodeMs).toFixed(1)}** (limit ${limits.cold}).
`;
  writeFileSync(join(here, 'RESULTS.md'), text);
  console.log(text);
} finally {
  model.child.stdin?.end();
}
