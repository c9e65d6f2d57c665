/**
 * CPU per call, latency and throughput of a tools/call through each contender, side by side, in one run.
 * `node bench/gateway/run.ts [--quick] [--only NAME,NAME]`; writes RESULTS.md beside it, unless only some are wanted.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { contenders, requireBuild, startUpstream, type Contender } from './contenders.ts';
import { contendersTable, goalsTable } from './tables.ts';
import { measureSideBySide, type Cell, type Turn } from './turns.ts';

const isQuick = process.argv.includes('--quick');
const hasOnly = process.argv.includes('--only');
const only = process.argv[process.argv.indexOf('--only') + 1]?.split(',');
const rounds = isQuick ? 1 : 3;
const turns = isQuick ? 3 : 4;
const warmUpSeconds = isQuick ? 1 : 2;
const cells = (['small', 'large'] as const).flatMap((tool) =>
  [1, 32, 256].map((concurrency): Cell => ({ tool, concurrency })),
);

// What the contenders have started ends with this process, and only an exit tells them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}
const wanted = contenders.filter(
  ({ name }) => !hasOnly || only?.some((start) => name.startsWith(start)),
);
if (wanted.some(({ name }) => name.startsWith('tutti'))) requireBuild();
const failures = new Set<string>();
const http = await startUpstream();
const all: Turn[] = [];
try {
  for (let round = 0; round < rounds; round += 1) {
    for (const upstream of [{ kind: 'stdio' }, { kind: 'http', url: http.url }] as const) {
      for (const face of ['http', 'pipe'] as const) {
        const group = wanted.filter((it) => it.face === face && it.takes.includes(upstream.kind));
        const onFailed = ({ name }: Contender, error: unknown): void => {
          const text = `${name} (${face} over ${upstream.kind}): ${String(error)}`;
          process.stderr.write(`${text}\n`);
          failures.add(text);
        };
        const plan = { upstream, cells, turns, warmUpSeconds, round, onFailed };
        all.push(...(await measureSideBySide(group, plan)));
        process.stderr.write(`round ${round + 1}, ${face} over ${upstream.kind}: measured\n`);
      }
    }
  }
} finally {
  await http.close();
}

const failed = [...failures].map((text) => `- failed: ${text}\n`).join('');
const text = `${goalsTable(all)}\n${contendersTable(all)}${failed && `\n${failed}`}`;
process.stdout.write(text);
if (!hasOnly) {
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
  writeFileSync(
    join(import.meta.dirname, 'RESULTS.md'),
    `# Results of the last \`make bench-gateway\`\n\n${machine}; ${rounds} rounds of ${turns} turns, contenders side by side. CPU is the proxy's own process, ratios are medians over the turns. **Bold** misses its goal.\n\n${text}`,
  );
}
if (failures.size > 0) process.exitCode = 1;
