import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createAuditLog, recordDecisions } from '../src/access/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { silentLog, systemClock } from '../src/kernel/index.ts';
import { redactText, traceLimits } from '../src/observe/index.ts';
import { openStore } from '../src/store/index.ts';
import type { Comparison } from './measure.ts';

const rounds = 15;
/** What a busy process records within one batch. */
const perBatch = 500;
const maxMicrosPerCall = 60;

/** Processor time of recording a call: arguments hashed, texts redacted, chained and written in batches. */
export async function measureAudit(): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-audit-'));
  const store = openStore({ home: folder, traceLimits });
  const clock = systemClock;
  const log = createAuditLog({
    store: store.audit,
    clock,
    log: silentLog,
    redact: redactText,
    keepMs: 365 * 86_400_000,
    maxEntries: 1_000_000,
  });
  const recorder = recordDecisions(log, { clock, log: silentLog });
  const bare = bareTable(join(folder, 'bare.db'));
  const ours: number[] = [];
  const base: number[] = [];
  for (let round = 0; round < rounds + 5; round += 1) {
    ours.push(
      await cpuMicros(async () => {
        for (let n = 0; n < perBatch; n += 1) recorder.call(aCall(round * perBatch + n));
        await log.flush();
      }),
    );
    base.push(await cpuMicros(async () => bare.insert(perBatch)));
  }
  await log.close();
  store.close();
  bare.close();
  rmSync(folder, { recursive: true });
  const [a, b] = [median(ours.slice(5)), median(base.slice(5))];
  const unit = 'µs CPU a call';
  return [
    { name: 'audit entry', floor: 'bare INSERT of the row', limit: 25, unit, ours: a, base: b },
    { name: 'audit entry', floor: '1 µs', limit: maxMicrosPerCall, unit, ours: a, base: 1 },
  ];
}

function aCall(n: number) {
  const traceId = n.toString(16).padStart(32, '0');
  return {
    tool: `server${n % 20}.tool${n % 200}`,
    args: { path: `src/file-${n}.ts`, options: { deep: true, limit: n }, names: ['a', 'b'] },
    context: {
      caller: { ...localCaller, role: 'developer', tenant: 'acme', credential: 'key1' } as const,
      face: 'mcp',
      meta: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    } as const,
  };
}

/** The same bytes in one column, in one transaction, without anything else. */
function bareTable(path: string) {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const statement = database.prepare('INSERT INTO rows (text) VALUES (?)');
  const text = 'x'.repeat(500);
  return {
    insert(count: number): void {
      database.exec('BEGIN');
      for (let n = 0; n < count; n += 1) statement.run(text);
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}

async function cpuMicros(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / perBatch;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
