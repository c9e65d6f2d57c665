import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { familyOf, listProcesses, type ProcessRow } from './list-processes.ts';
import { machineName, readRecord, type OwnerRecord } from './owner-record.ts';
import { killProcess, signalGroup } from './send-signal.ts';

const maxRecords = 1_000;
const maxRounds = 20;
const roundPauseMs = 50;
/** Records of other machines and containers, which cannot be checked from here, are dropped after this. */
const maxForeignAgeMs = 7 * 24 * 3_600_000;
/** A record being written becomes one at once; what is still there later was abandoned. */
const maxUnfinishedAgeMs = 3_600_000;

/**
 * Kills what owners that are dead left running, and removes their records. For the case that an owner
 * and its guardian were both killed; where a guardian still works, both do the same. Never touches
 * what belongs to an owner that lives. Returns how many processes were killed.
 */
export async function sweepLeftovers(runDirectory: string, log: Log): Promise<number> {
  const records = findRecords(runDirectory);
  if (records.length === 0) return 0;
  const machine = machineName();
  const rows = await listProcesses();
  let killed = 0;
  for (const { path, record } of records) {
    if (record === undefined) {
      log.warn('a record of running programs was unreadable and is removed', { path });
      rmSync(path, { force: true });
    } else if (record.machine !== machine) {
      removeIfOlder(path, maxForeignAgeMs);
    } else if (!ownerLives(record, rows)) {
      killed += await killLeftovers(path, record, log);
    }
  }
  if (killed > 0) log.info('programs of a Tutti that is gone were killed', { processes: killed });
  return killed;
}

interface FoundRecord {
  readonly path: string;
  readonly record: OwnerRecord | undefined;
}

function findRecords(runDirectory: string): FoundRecord[] {
  const found: FoundRecord[] = [];
  for (const name of namesIn(runDirectory).slice(0, maxRecords)) {
    const path = join(runDirectory, name);
    if (name.endsWith('.tmp')) removeIfOlder(path, maxUnfinishedAgeMs);
    if (name.endsWith('.json')) found.push({ path, record: readRecord(path) });
  }
  return found;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Not created yet: nothing was ever left in it.
    return [];
  }
}

function removeIfOlder(path: string, maxAgeMs: number): void {
  const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - changedAt > maxAgeMs) rmSync(path, { force: true });
}

/** An owner whose own start could not be told counts as alive as long as any process has its pid. */
function ownerLives(owner: OwnerRecord, rows: readonly ProcessRow[]): boolean {
  return rows.some(
    (row) => row.pid === owner.pid && (owner.startedAt === '' || row.startedAt === owner.startedAt),
  );
}

async function killLeftovers(path: string, record: OwnerRecord, log: Log): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0; round < maxRounds; round += 1) {
    const left = leftoversOf(record, await listProcesses());
    if (left.length === 0) {
      rmSync(path, { force: true });
      return killed.size;
    }
    for (const row of left) {
      killed.add(row.pid);
      if (process.platform === 'win32') signalGroup(row.pid, 'SIGKILL');
      else killProcess(row.pid);
    }
    await sleep(roundPauseMs);
  }
  log.warn('programs of a Tutti that is gone could not be killed', { path });
  return killed.size;
}

/**
 * What carries the owner's mark; and what belongs to a group whose leader still is the process that
 * the owner started, or stands below it.
 */
function leftoversOf(record: OwnerRecord, rows: readonly ProcessRow[]): ProcessRow[] {
  const found = new Set(rows.filter((row) => row.mark?.includes(record.mark)));
  for (const { group, startedAt } of record.groups) {
    if (!rows.some((row) => row.pid === group && row.startedAt === startedAt)) continue;
    for (const row of rows) if (row.group === group) found.add(row);
    for (const row of familyOf(group, rows)) found.add(row);
  }
  return [...found].filter((row) => row.pid !== process.pid);
}
