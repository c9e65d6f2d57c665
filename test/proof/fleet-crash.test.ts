import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { LineClient, type RpcAnswer } from '../support/line-client.ts';
import { aFolder, runTutti, startTutti } from '../support/run-tutti.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { survivorsOf } from '../support/survivors.ts';

const server = fileURLToPath(new URL('../support/servers/mortal-server.ts', import.meta.url));

/** The promise: this long after the death of Tutti nothing that it started runs. */
const survivalMs = 2_000;
const killRounds = isProof ? 200 : 6;
const crashingServers = 10;
const crashesPerServer = isProof ? 100 : 6;
/** Far above what a restart takes, far below what a forgotten call would. */
const callLimitMs = 20_000;
/** `npx` alone takes half a second of work, and on a busy machine many seconds. */
const startLimitMs = 60_000;
const callsInFlight = 16;

type Entry = Readonly<Record<string, unknown>>;

/** A home whose settings name these servers. Every server carries `sign` in its environment. */
function aHome(sign: string, entries: Readonly<Record<string, Entry>>): string {
  const home = aFolder();
  const settings = {
    mcpServers: Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, { env: { SIGN: sign }, ...entry }]),
    ),
  };
  mkdirSync(join(home, '.config', 'tutti'), { recursive: true });
  writeFileSync(settingsFile(home), stringify(settings));
  const bin = join(home, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"name": "home", "private": true}');
  writeFileSync(join(bin, 'mortal'), `#!/bin/sh\nexec "${process.execPath}" "${server}" "$@"\n`);
  chmodSync(join(bin, 'mortal'), 0o755);
  onTestFinished(() => {
    for (const survivor of survivorsOf(sign))
      process.kill(Number.parseInt(survivor, 10), 'SIGKILL');
  });
  return home;
}

function settingsFile(home: string): string {
  return join(home, '.config', 'tutti', 'config.yaml');
}

function serversIn(home: string): string[] {
  const settings = parse(readFileSync(settingsFile(home), 'utf8')) as { mcpServers: object };
  return Object.keys(settings.mcpServers);
}

const wrapped: Readonly<Record<string, Entry>> = {
  npx: { command: 'npx', args: ['--no-install', 'mortal'], lazy: false },
  shell: { command: 'sh', args: ['-c', 'node_modules/.bin/mortal; exit $?'], lazy: false },
  direct: { command: 'node_modules/.bin/mortal' },
};

interface Round {
  readonly home: string;
  readonly killAfterMs: number;
  /** Whether that time begins when every server has answered, or at once, while they start. */
  readonly isWarm: boolean;
  readonly answers: Map<string, number>;
}

/** Calls all servers without pause until Tutti is killed; counts the answers of each. */
async function callUntilKilled({ home, killAfterMs, isWarm, answers }: Round): Promise<void> {
  const tutti = startTutti(['mcp', '--all'], { cwd: home });
  const exited = once(tutti, 'exit');
  const client = new LineClient(tutti);
  const over = new AbortController();
  const unheard = new Set(isWarm ? Object.keys(wrapped) : []);
  const callOn = async (name: string): Promise<void> => {
    while (!over.signal.aborted) {
      const request = { name: `${name}__echo`, arguments: { delayMs: 1 } };
      const answer = await client.ask('tools/call', request);
      const isAnswer = answer?.result !== undefined && answer.result['isError'] !== true;
      if (!isAnswer) continue;
      unheard.delete(name);
      answers.set(name, (answers.get(name) ?? 0) + 1);
    }
  };
  await client.initialize();
  const names = Object.keys(wrapped);
  const calls = Array.from({ length: callsInFlight }, (_, index) =>
    callOn(names[index % names.length] ?? ''),
  );
  await vi.waitUntil(() => unheard.size === 0, { timeout: startLimitMs });
  await sleep(killAfterMs);
  over.abort();
  tutti.kill('SIGKILL');
  await exited;
  await Promise.all(calls);
}

/** Adds servers from the terminal, and kills the last `tutti` that does; gives those that were acknowledged. */
async function addServers(
  home: string,
  names: readonly string[],
  killAfterMs: number,
): Promise<string[]> {
  const added: string[] = [];
  for (const [index, name] of names.entries()) {
    const argv = ['servers', 'add', name, '--', 'some-program'];
    if (index < names.length - 1) {
      expect((await runTutti(argv, { cwd: home })).exitCode).toBe(0);
      added.push(name);
      continue;
    }
    const doomed = startTutti(argv, { cwd: home });
    const exited = once(doomed, 'exit');
    const timer = setTimeout(() => doomed.kill('SIGKILL'), killAfterMs);
    const [exitCode] = await exited;
    clearTimeout(timer);
    if (exitCode === 0) added.push(name);
  }
  return added;
}

// Survivors are looked for in /proc.
describe.skipIf(process.platform !== 'linux')('kill -9 of Tutti under load', () => {
  it(
    `leaves none of its wrapped servers alive after 2 s and loses no configuration (${killRounds} rounds)`,
    { timeout: killRounds * 40_000 },
    async () => {
      const random = seededRandom(23);
      const sign = `sign-${process.pid}-${Date.now()}`;
      const home = aHome(sign, wrapped);
      let expected = Object.keys(wrapped);
      const answers = new Map<string, number>();
      for (let round = 0; round < killRounds; round += 1) {
        const isWarm = round % 2 === 0;
        const killAfterMs = random() * (isWarm ? 300 : 2_500);
        const [, added] = await Promise.all([
          callUntilKilled({ home, killAfterMs, isWarm, answers }),
          addServers(home, [`added-${round}`, `doomed-${round}`], random() * 400),
        ]);
        await sleep(survivalMs);
        expect(survivorsOf(sign), `round ${round}`).toEqual([]);
        expected = [...expected, ...added];
        expect(serversIn(home)).toEqual(expect.arrayContaining(expected));
        const { exitCode, stderr } = await runTutti(['config', '--json'], { cwd: home });
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      }
      for (const name of Object.keys(wrapped)) expect(answers.get(name), name).toBeGreaterThan(10);
    },
  );
});

/** An answer, or a sentence about why there is none, within the time limit. */
async function outcomeOf(
  answer: Promise<RpcAnswer | undefined>,
): Promise<'answered' | 'explained'> {
  const late = Symbol('late');
  const outcome = await Promise.race([answer, sleep(callLimitMs, late, { ref: false })]);
  if (outcome === late) throw new Error(`A call was not answered within ${callLimitMs} ms`);
  const { result, error } = outcome ?? {};
  if (result && result['isError'] !== true) return 'answered';
  expect(error?.message ?? JSON.stringify(result?.['content'])).toMatch(/mortal-\d.{20,}/s);
  return 'explained';
}

// Survivors are looked for in /proc.
describe.skipIf(process.platform !== 'linux')('crashes of servers', () => {
  const names = Array.from({ length: crashingServers }, (_, index) => `mortal-${index}`);
  const crashes = crashingServers * crashesPerServer;

  it(
    `answer or explain every call, and never shorten the list (${crashes} crashes)`,
    { timeout: crashes * 2_000 },
    async () => {
      const random = seededRandom(29);
      const sign = `sign-${process.pid}-${Date.now()}`;
      const entry = {
        command: process.execPath,
        args: [server],
        retryAttempts: 100,
        retryDelayMs: 0,
      };
      const home = aHome(sign, Object.fromEntries(names.map((name) => [name, entry])));
      const tutti = startTutti(['mcp', '--all'], { cwd: home });
      const client = new LineClient(tutti);
      await client.initialize();
      const call = (name: string, args: object): Promise<'answered' | 'explained'> =>
        outcomeOf(client.ask('tools/call', { name: `${name}__echo`, arguments: args }));
      for (const name of names) expect(await call(name, {})).toBe('answered');
      // Known before the first crash: a first listing asks every server, and these would die while they answer.
      await client.ask('tools/list');

      const dieAt = ['received', 'half answered', 'answered'];
      const counts = { answered: 0, explained: 0 };
      const crashOften = async (name: string): Promise<void> => {
        for (let crash = 0; crash < crashesPerServer; crash += 1) {
          const last = { dieAt: dieAt[Math.floor(random() * 3)], delayMs: random() * 20 };
          const others = [1, 2, 3].map(() => ({ delayMs: random() * 30 }));
          const outcomes = await Promise.all([last, ...others].map((args) => call(name, args)));
          for (const outcome of outcomes) counts[outcome] += 1;
          // The next crash needs a server that runs.
          await expect.poll(() => call(name, {}), { timeout: callLimitMs }).toBe('answered');
        }
      };
      const over = new AbortController();
      const watchList = async (): Promise<number> => {
        let looks = 0;
        for (; !over.signal.aborted; looks += 1) {
          const answer = await client.ask('tools/list');
          const tools = answer?.result?.['tools'] as { name: string }[] | undefined;
          const listed = tools?.map((tool) => tool.name) ?? [];
          expect(listed).toEqual(expect.arrayContaining(names.map((name) => `${name}__echo`)));
          await sleep(20);
        }
        return looks;
      };
      const looks = watchList();
      await Promise.all(names.map(crashOften));
      over.abort();
      expect(await looks).toBeGreaterThan(crashesPerServer);
      expect(counts.answered + counts.explained).toBe(crashes * 4);
      expect(counts.explained).toBeGreaterThan(crashes / 3);
      // Each runs once, with its helper process: nothing of the crashed ones is left.
      await expect.poll(() => survivorsOf(sign).length).toBe(2 * crashingServers);
      tutti.stdin.end();
      await once(tutti, 'exit');
      expect(survivorsOf(sign)).toEqual([]);
    },
  );
});
