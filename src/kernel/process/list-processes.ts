import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FamilyUse } from './owned-process.ts';
import { markVariable } from './owner-record.ts';

/** One process of this machine, as far as this user may see it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started, in the platform's own notation: tells it from a later one with the same pid. */
  readonly startedAt: string;
  /** The chain of marks in the environment it was started with; only Linux tells. */
  readonly mark?: string;
  /** Resident memory; on Linux asked for separately, because that costs a file per process. */
  readonly memoryBytes?: number;
}

/** How many processes are looked at before others get a turn: a few milliseconds. */
const processesPerTurn = 100;
const listTimeoutMs = 10_000;
const maxListBytes = 16 * 1024 * 1024;

/** All processes that run; those that are dead and not yet reaped are left out. */
export async function listProcesses(): Promise<readonly ProcessRow[]> {
  if (process.platform === 'linux') return listFromProc();
  if (process.platform === 'win32') return parseCim(await run('powershell.exe', cimArguments));
  return parsePs(await run('ps', psArguments));
}

/** When the process with this pid started; undefined when there is none. */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return readProcRow(pid)?.startedAt;
  return (await listProcesses()).find((row) => row.pid === pid)?.startedAt;
}

async function listFromProc(): Promise<ProcessRow[]> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const rows: ProcessRow[] = [];
  for (const [index, pid] of pids.entries()) {
    // Reading synchronously costs a tenth of the time: these files are memory.
    if (index % processesPerTurn === processesPerTurn - 1) await setImmediate();
    const row = readProcRow(Number(pid));
    if (row) rows.push(row);
  }
  return rows;
}

/** One process from `/proc`; undefined when it is gone, dead, or not to be looked at. */
function readProcRow(pid: number): ProcessRow | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold anything, parentheses and spaces included.
  const fields = stat?.slice(stat.lastIndexOf(') ') + 2).split(' ');
  const [state, parent, group] = fields ?? [];
  const startedAt = fields?.[19];
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined;
  const mark = readMark(pid);
  const row = { pid, parent: Number(parent), group: Number(group), startedAt };
  return mark === undefined ? row : { ...row, mark };
}

function readMark(pid: number): string | undefined {
  const environment = readIfThere(`/proc/${pid}/environ`) ?? '';
  const at = `\0${environment}`.indexOf(`\0${markVariable}=`);
  if (at === -1) return undefined;
  const end = environment.indexOf('\0', at);
  return environment.slice(at + markVariable.length + 1, end === -1 ? undefined : end);
}

/** Resident memory of one process from `/proc`; undefined when it is gone. */
function readProcMemory(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Ended since, or another user's: nothing we could act on.
    return undefined;
  }
}

/** The columns that `parsePs` reads; all of them are known to every Unix. */
export const psArguments = ['-axo', 'pid=,ppid=,pgid=,stat=,rss=,lstart='];

export function parsePs(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z', kilobytes, ...startedAt] = line.trim().split(/ +/);
    if (startedAt.length === 0 || state.startsWith('Z')) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        startedAt: startedAt.join(' '),
        memoryBytes: Number(kilobytes) * 1024,
      },
    ];
  });
}

/** Windows has no groups: a program is known by its own pid, and killed with all below it. */
const cimArguments = [
  '-NoProfile',
  '-NonInteractive',
  '-Command',
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2} {3}' -f $_.ProcessId, " +
    '$_.ParentProcessId, $_.WorkingSetSize, $(if ($_.CreationDate) { $_.CreationDate.ToFileTimeUtc() }) }',
];

export function parseCim(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parent, bytes, startedAt] = line.trim().split(' ');
    if (startedAt === undefined) return [];
    const row = { pid: Number(pid), parent: Number(parent), group: Number(pid) };
    return [{ ...row, startedAt, memoryBytes: Number(bytes) }];
  });
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { execFile } = await import('node:child_process');
  const { stdout } = await promisify(execFile)(program, args, {
    env: { ...process.env, LC_ALL: 'C' },
    windowsHide: true,
    timeout: listTimeoutMs,
    maxBuffer: maxListBytes,
  });
  return stdout;
}

/** A way to see all processes as they are at some moment after the call. */
export type LookAtProcesses = () => Promise<readonly ProcessRow[]>;

/**
 * Looks at most twice at a time, however many ask: who asks while a look is under way shares the next
 * one. So stopping two hundred programs at once costs a few looks, not hundreds.
 */
export function shareLooks(look: LookAtProcesses = listProcesses): LookAtProcesses {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly ProcessRow[]> | undefined;
  return () => {
    next ??= current.then(() => {
      const looking = look();
      next = undefined;
      // A failed look fails for those who share it, not for the ones after it.
      current = looking.catch(() => {});
      return looking;
    });
    return next;
  };
}

/** A process and everything below it, as the parents stand now. */
export function familyOf(pid: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const family = rows.filter((row) => row.pid === pid);
  const seen = new Set([pid]);
  // Grows while it is walked; each process joins once, so it ends.
  for (const member of family) {
    for (const child of children.get(member.pid) ?? []) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      family.push(child);
    }
  }
  return family;
}

/** What a process and all below it use; null when it is gone or the platform does not tell. */
export async function measureFamily(pid: number, look: LookAtProcesses): Promise<FamilyUse | null> {
  const family = familyOf(pid, await look());
  const amounts = family.flatMap((row) => row.memoryBytes ?? readProcMemory(row.pid) ?? []);
  if (amounts.length === 0) return null;
  const memoryBytes = amounts.reduce((sum, bytes) => sum + bytes, 0);
  return { processes: family.length, memoryBytes };
}
