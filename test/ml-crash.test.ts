import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { isProof } from '../testkit/sample.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

/** Where this process can die while a checkpoint is stored. */
const faults = [
  'folder made',
  'piece written',
  'file written',
  'manifest written',
  'folder renamed',
  'parent flushed',
];
/** Kills that must hit a training; one that ends before its moment is begun again. */
const kills = isProof ? 24 : 3;
const maxRounds = 2 * kills;
const victims: readonly Victim[] = ['trainer', 'tutti', 'sandbox'];
/** Steps and checkpoints before the kill, of about 35 in a whole run, and the time after the last of them. */
const mostEvents = 10;
const mostMs = 40;
const limitMs = 600_000;

interface Ended {
  readonly sha256?: string;
  readonly fromStep?: number;
}

type Victim = 'tutti' | 'sandbox' | 'trainer';

/** Processes below a process, parents first. */
function descendants(pid: number): number[] {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // It has ended.
  }
  const direct = children.split(' ').filter(Boolean).map(Number);
  return direct.flatMap((child) => [child, ...descendants(child)]);
}

function kill(pid: number, victim: Victim): void {
  const isSandbox = (one: number): boolean => {
    try {
      return readFileSync(`/proc/${one}/comm`, 'utf8').trim() === 'bwrap';
    } catch {
      return false;
    }
  };
  const sandbox = descendants(pid).find(isSandbox);
  const inside = sandbox === undefined ? undefined : descendants(sandbox).at(-1);
  const chosen = { tutti: pid, sandbox, trainer: inside }[victim] ?? pid;
  try {
    process.kill(chosen, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

interface Killing {
  readonly victim: Victim;
  /** Counted from the start of the training in this process, so that neither load nor a short rest decides whether it hits. */
  readonly afterEvents: number;
  readonly thenMs: number;
}

/** A training in a process of its own; it, its sandbox or the program in it is killed at that moment. */
function train(
  folder: string,
  { fault = '', killing }: { fault?: string; killing?: Killing } = {},
): Promise<Ended> {
  const worker = ['test/support/ml/training-worker.ts', folder, fault];
  const child = spawn(process.execPath, worker, { stdio: ['ignore', 'pipe', 'ignore'] });
  let [events, ended]: [number, Ended] = [0, {}];
  createInterface(child.stdout).on('line', (line) => {
    if (line !== 'event') ended = JSON.parse(line);
    else if (++events === killing?.afterEvents)
      setTimeout(() => kill(child.pid ?? 0, killing.victim), killing.thenMs);
  });
  return new Promise((resolve) => child.on('close', () => resolve(ended)));
}

describe.skipIf(bubblewrapMissing)(`kill -9 of a training${whyNoBubblewrap}`, () => {
  const parent = mkdtempSync(join(tmpdir(), 'tutti-ml-crash-'));
  const in_ = (name: string): string => join(parent, name.replaceAll(' ', '-'));
  let whole: Ended;
  beforeAll(async () => {
    whole = await train(in_('whole'));
  }, limitMs);
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  const sampled = isProof ? faults : ['piece written', 'folder renamed'];
  it.each(sampled)(
    'at "%s" loses no step that was stored, and the end has the same bytes',
    { timeout: limitMs },
    async (name) => {
      const folder = in_(name);
      expect(
        (await train(folder, { fault: `${name}:${name === 'piece written' ? 9 : 5}` })).sha256,
      ).toBeUndefined();
      const resumed = await train(folder);
      expect(resumed).toMatchObject({ sha256: whole.sha256 });
      expect(whole.sha256).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  it(`at ${kills} random moments gives the same bytes`, { timeout: limitMs }, async () => {
    // mulberry32 with one seed: the same moments each time.
    let state = 23;
    const fraction = (): number => {
      state = (state + 0x6d2b79f5) >>> 0;
      let word = Math.imul(state ^ (state >>> 15), 1 | state);
      word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
      return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
    };
    const folder = in_('moments');
    const killed = { tutti: 0, sandbox: 0, trainer: 0 };
    const hits = (): number => killed.tutti + killed.sandbox + killed.trainer;
    for (let round = 0; hits() < kills && round < maxRounds; round++) {
      const victim = victims[round % victims.length] ?? 'tutti';
      const killing = {
        victim,
        afterEvents: 1 + Math.floor(fraction() * mostEvents),
        thenMs: Math.floor(fraction() * mostMs),
      };
      const ended = await train(folder, { killing });
      killed[victim] += ended.sha256 === undefined ? 1 : 0;
      // A run that ended before it was killed begins again, in a folder of its own.
      if (ended.sha256 !== undefined) {
        expect(ended.sha256).toBe(whole.sha256);
        rmSync(folder, { recursive: true, force: true });
      }
    }
    if (isProof) console.log('killed', killed);
    expect(hits()).toBe(kills);
    expect((await train(folder)).sha256).toBe(whole.sha256);
  });

  it.each([
    [
      'the state of the optimizer',
      'optimizer.safetensors',
      (bytes: Buffer) => bytes.fill(0, Number(bytes.readBigUInt64LE()) + 8),
    ],
    [
      'the state of random numbers',
      'trainer_state.json',
      (bytes: Buffer) =>
        Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString()), random: [1, 2, 3, 4] })),
    ],
  ])(
    'and the control: without %s the end has other bytes',
    { timeout: limitMs },
    async (_what, file, change) => {
      const folder = in_(`control ${file}`);
      await train(folder, { fault: 'parent flushed:6' });
      const checkpoints = join(folder, 'run', 'checkpoints');
      const newest = join(checkpoints, readdirSync(checkpoints).sort().at(-1) ?? '');
      const bytes = change(readFileSync(join(newest, file)));
      writeFileSync(join(newest, file), bytes);
      const manifest = JSON.parse(readFileSync(join(newest, 'manifest.json'), 'utf8'));
      const entry = manifest.files.find(({ name }: { name: string }) => name === file);
      Object.assign(entry, {
        sha256: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length,
      });
      writeFileSync(join(newest, 'manifest.json'), JSON.stringify(manifest, null, 2));
      const resumed = await train(folder);
      expect(resumed.fromStep).toBeGreaterThan(0);
      expect(resumed.sha256).not.toBe(whole.sha256);
    },
  );
});
