/**
 * From the start to the first output, and runs a second, beside a raw spawn, plain bwrap and `docker run`,
 * in turns, in one run. `node bench/sandbox/run.ts [--quick]`; writes RESULTS.md beside it and ends with 1
 * when a limit is exceeded.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparisonTable, isExceeded } from '../comparison-table.ts';
import type { Comparison } from '../measure.ts';
import { contendersOf, type Contender } from './contenders.ts';
import { trivial, type Language } from './first-output.ts';
import { openGround, type Ground } from './ground.ts';
import { measureSustained } from './sustained.ts';

const isQuick = process.argv.includes('--quick');
const rounds = isQuick ? 7 : 31;
const warmUpRounds = isQuick ? 2 : 5;

/** All contenders one after the other, every round; each beside the raw spawn of the same round. */
async function measureFirstOutput(ground: Ground, language: Language): Promise<Comparison[]> {
  const contenders = contendersOf(ground, language);
  const [raw, ...others] = contenders;
  if (!raw) return [];
  const times = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    const inTurn = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of inTurn) {
      const ms = await contender.firstOutput();
      if (round >= warmUpRounds) times.get(contender)?.push(ms);
    }
  }
  return others.flatMap((contender) => {
    const name = `${language}, first output, ${contender.name}`;
    const pairs = pairUp(times.get(contender) ?? [], times.get(raw) ?? []);
    const [ours, base] = medianRatio(pairs);
    const row = { name, floor: raw.name, limit: contender.limit, unit: 'ms', ours, base };
    if (contender.limitMs === undefined) return [row];
    const ms = median(times.get(contender) ?? []);
    return [
      row,
      {
        name: `${name}, alone`,
        floor: '–',
        limit: contender.limitMs,
        unit: 'ms',
        ours: ms,
        base: 1,
      },
    ];
  });
}

function pairUp(ours: readonly number[], base: readonly number[]): [number, number][] {
  return ours.map((ms, round) => [ms, base[round] ?? Number.NaN]);
}

function medianRatio(pairs: readonly [number, number][]): [number, number] {
  const sorted = pairs.toSorted(([a, b], [c, d]) => a / b - c / d);
  return sorted[Math.floor(sorted.length / 2)] ?? [Number.NaN, Number.NaN];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-sandbox-'));
for (const { file, text } of Object.values(trivial)) writeFileSync(join(folder, file), text);
const ground = await openGround(folder);
try {
  const results: Comparison[] = [];
  for (const language of ['python', 'node'] as const) {
    results.push(...(await measureFirstOutput(ground, language)));
    results.push(...(await measureSustained(ground, language, isQuick ? 2 : 15)));
  }
  const table = comparisonTable(results);
  console.log(table);
  const notes = ground.notes.map((note) => `- ${note}\n`).join('');
  writeFileSync(
    new URL('RESULTS.md', import.meta.url),
    `# Results of the last \`make bench-sandbox\`\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}. Of ${rounds} rounds in turns the one whose ratio is the median.\n\n${notes}\n${table}\n`,
  );
  if (results.some(isExceeded)) process.exitCode = 1;
} finally {
  await ground.close();
  rmSync(folder, { recursive: true, force: true });
}
