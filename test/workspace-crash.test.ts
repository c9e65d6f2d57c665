import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import { silentLog } from '../src/kernel/index.ts';
import { createWorkspaceServer } from '../src/toolbox/workspace/index.ts';
import { aFolder, runTutti } from './support/run-tutti.ts';
import { isProof, sampleSeeded, seededRandom } from '../testkit/sample.ts';

const program = fileURLToPath(new URL('support/change-files.ts', import.meta.url));
const rounds = isProof ? 300 : 15;
/** Kills are spread over this many times what the change takes in a process that lives. */
const spread = 2;

/** Files by path: content and permissions; those that do not exist are absent. */
type Files = Readonly<Record<string, { readonly bytes: Buffer; readonly mode: number }>>;

function filesIn(root: string): Files {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const found: Record<string, Files[string]> = {};
  for (const name of names) {
    const info = statSync(join(root, name));
    if (info.isFile())
      found[name] = { bytes: readFileSync(join(root, name)), mode: info.mode & 0o7777 };
  }
  return found;
}

interface Change {
  readonly path: string;
  readonly content?: string;
  readonly diff?: string;
  readonly delete?: boolean;
}

const names = ['a.txt', 'b.md', 'src/c.ts', 'src/deep/d.py', 'new/e.json', 'new/er/f.txt'];
/** Every fourth change is of many files, and killed when the first of them was swapped. */
const manyNames = [...names, ...Array.from({ length: 40 }, (_, index) => `many/${index}.txt`)];
const isOfMany = (round: number): boolean => round % 4 === 3;
const modes = [0o644, 0o600, 0o755, 0o444, 0o640];

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

function someText(random: () => number): string {
  const ending = pick(['\n', '\r\n'], random);
  const lines = Array.from({ length: 1 + Math.floor(random() * 200) }, () => `line ${random()}`);
  return `${random() < 0.2 ? '\ufeff' : ''}${lines.join(ending)}${random() < 0.5 ? ending : ''}`;
}

/** A project with some of the files, and changes of some of them. */
function aRound(root: string, round: number, random: () => number): Change[] {
  const used = isOfMany(round) ? manyNames : names;
  for (const name of used) {
    if (random() < 0.3) continue;
    mkdirSync(dirname(join(root, name)), { recursive: true });
    const text = someText(random);
    writeFileSync(
      join(root, name),
      random() < 0.2 ? Buffer.from(`\ufeff${text}`, 'utf16le') : text,
    );
    chmodSync(join(root, name), pick(modes, random));
  }
  const chosen = used.filter(() => random() < 0.7);
  return (chosen.length === 0 ? ['a.txt'] : chosen).map((path): Change => {
    const isThere = existsSync(join(root, path));
    if (isThere && random() < 0.25) return { path, delete: true };
    if (!isThere || random() < 0.7) return { path, content: someText(random) };
    return { path, diff: '@@ -0,0 +1 @@\n+a first line\n' };
  });
}

async function killSoon(
  argv: readonly string[],
  isTime: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  const child = spawn(process.execPath, [program, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  child.stdout.resume();
  await Promise.race([once(child.stdout, 'data'), closed]);
  await Promise.race([isTime(stop.signal), closed]);
  child.kill('SIGKILL');
  stop.abort();
  await closed;
}

/** Ends with the first change of a file below the folder that is no temporary one of Tutti. */
function firstSwap(folder: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    watch(folder, { signal }, (_event, name) => {
      if (name !== null && !name.startsWith('.tutti-')) resolve();
    });
  });
}

function aServer(root: string, home: string) {
  const server = createWorkspaceServer({ version: '0', roots: [root], home, log: silentLog });
  const { signal } = new AbortController();
  return (tool: string, args: object) =>
    server.callTool(tool, args, { caller: localCaller, signal, progress: () => {}, meta: {} });
}

/** What files the changes make of those there are: applied to a copy, by a process that lives. */
async function filesAfter(
  before: Files,
  changes: readonly Change[],
): Promise<{ readonly after: Files; readonly tookMs: number }> {
  const root = aFolder();
  for (const [name, { bytes, mode }] of Object.entries(before)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
    chmodSync(join(root, name), mode);
  }
  const call = aServer(root, aFolder());
  const startedMs = performance.now();
  expect((await call('apply_changes', { changes })).isError).toBeUndefined();
  return { after: filesIn(root), tookMs: performance.now() - startedMs };
}

describe('a change of files', () => {
  it(`killed at random is done or not done, ${rounds} times, and undone as a whole`, async () => {
    const random = seededRandom(17);
    const ends = { done: 0, halfway: 0, notDone: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const [root, home] = [aFolder(), aFolder()];
      const changes = aRound(root, round, random);
      const before = filesIn(root);
      const { after, tookMs } = await filesAfter(before, changes);
      const request = join(home, 'request.json');
      writeFileSync(request, JSON.stringify(changes));
      const afterMs = random() * spread * tookMs;
      await killSoon([root, home, request], (signal) =>
        isOfMany(round) ? firstSwap(join(root, 'many'), signal) : sleep(afterMs),
      );
      const left = filesIn(root);
      const own = Object.entries(left).filter(([name]) => !/\/?\.tutti-[^/]*\.tmp$/.test(name));
      // Old or new as a whole, right after the kill.
      for (const [name, file] of own) expect([before[name], after[name]]).toContainEqual(file);
      for (const name of Object.keys(before)) {
        if (!(name in left)) expect(after).not.toHaveProperty([name]);
      }
      const call = aServer(root, home);
      await call('list_files', {});
      const settled = filesIn(root);
      // All old or all new after the next call, and nothing besides.
      expect([before, after]).toContainEqual(settled);
      const isNew = JSON.stringify(settled) === JSON.stringify(after);
      ends[isNew ? (sameFiles(left, after) ? 'done' : 'halfway') : 'notDone'] += 1;
      if (!isNew || sameFiles(before, after)) continue;
      expect((await call('undo_changes', {})).isError).toBeUndefined();
      expect(filesIn(root)).toEqual(before);
    }
    process.stderr.write(`kills of ${rounds} changes: ${JSON.stringify(ends)}\n`);
    // The kills hit before and after the change; in a few rounds none may hit during it.
    expect(ends.done).toBeGreaterThan(0);
    expect(ends.notDone).toBeGreaterThan(0);
    if (isProof) expect(ends.halfway).toBeGreaterThan(0);
  }, 1_800_000);
});

function sameFiles(one: Files, other: Files): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Every point of a change of two files at which a process may die, and whether the change is done then. */
const faults = [
  ['workspace.begin.before', false],
  ['workspace.begin.after', false],
  ['workspace.stage.after:1', false],
  ['workspace.stage.after:2', false],
  ['workspace.swap.before:1', false],
  ['workspace.swap.before:2', true],
  ['workspace.finish.before', true],
  ['workspace.finish.after', true],
] as const;

const changes = [
  { path: 'a.txt', diff: '@@ -1 +1,2 @@\n one\n+two\n' },
  { path: 'made/b.txt', content: 'b\n' },
];

describe.each(faults)('killed at %s', (fault, isDone) => {
  const args = JSON.stringify({ changes });

  it('a call is settled by the next one, whatever that is', { timeout: 60_000 }, async () => {
    const cwd = aFolder();
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    const killed = await runTutti(['call', 'workspace.apply_changes', '--args', args], {
      cwd,
      env: { TUTTI_FAULT: fault },
    });
    expect(killed.exitCode).toBeNull();
    await runTutti(['call', 'workspace.git_status'], { cwd });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe(isDone ? 'one\ntwo\n' : 'one\n');
    expect(existsSync(join(cwd, 'made'))).toBe(isDone);
    expect(readdirSync(cwd).filter((name) => name.startsWith('.tutti-'))).toEqual([]);
    const undone = await runTutti(['call', 'workspace.undo_changes', '--json'], { cwd });
    expect(undone.exitCode).toBe(isDone ? 0 : 1);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  });
});

describe.each(sampleSeeded(faults, 4))('killed at %s', (fault) => {
  it('a run is resumed without applying twice or losing it', { timeout: 120_000 }, async () => {
    const cwd = aFolder();
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    const step = { id: 'save', tool: 'workspace.apply_changes', args: { changes }, approval: true };
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ steps: [step] }));
    const waiting = await runTutti(['run', 'plan.json', '--json'], { cwd });
    const { runId, waitingFor } = JSON.parse(waiting.stdout);
    expect(waitingFor[0].preview).toContain('+two\n');
    const killed = await runTutti(['runs', 'approve', runId], { cwd, env: { TUTTI_FAULT: fault } });
    expect(killed.exitCode).toBeNull();
    const resumed = await runTutti(['runs', 'resume', runId, '--json'], { cwd });
    expect([resumed.exitCode, JSON.parse(resumed.stdout).status]).toEqual([0, 'succeeded']);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    const undone = await runTutti(['call', 'workspace.undo_changes'], { cwd });
    expect(undone.exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    const again = await runTutti(['call', 'workspace.undo_changes'], { cwd });
    expect(again.stderr).toContain('nothing to undo here');
  });
});
