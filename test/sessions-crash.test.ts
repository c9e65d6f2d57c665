import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import { sessionSchema, type Session } from '../src/contract/session/index.ts';
import { aSession, aTurn } from '../testkit/memory/a-session.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { lastBeforeKilled } from './support/last-before-killed.ts';
import { isProof, sampleSeeded, seededRandom } from '../testkit/sample.ts';
import { memoryOf } from './support/sessions-of.ts';

const program = fileURLToPath(new URL('support/write-session.ts', import.meta.url));
const manyMore = '1000000';
const never = -1;
/** Forty processes, one after the other, on a machine that has other things to do. */
const maxProofMs = 600_000;

function startWriter(home: string, what: string, fault = ''): ChildProcess {
  const child = spawn(process.execPath, [program, home, what], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TUTTI_FAULT: fault },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function endOf(child: ChildProcess): Promise<number | string | null> {
  child.stdout?.resume();
  const [code, signal] = await once(child, 'close');
  return signal ?? code;
}

async function aHomeWithSession(session: Session = aSession()): Promise<string> {
  const home = aDirectory();
  const store = aStore({ home });
  await store.sessions.add(localCaller, session, { maxSessions: 1 });
  await (await memoryOf(home, store).sessions.open(localCaller, session.id)).close();
  return home;
}

function fileIn(home: string): Session {
  const path = join(home, 'sessions', 'one.json');
  return sessionSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** That nothing acknowledged is lost in the database, the file is whole, and both agree once the session is opened. */
async function examine(home: string, acknowledged: number): Promise<number> {
  const store = aStore({ home });
  const memory = memoryOf(home, store);
  const left = fileIn(home);
  const kept = await memory.sessions.show(localCaller, 'one');
  expect(kept.turns.length).toBeGreaterThanOrEqual(acknowledged);
  for (const { turns } of [left, kept]) {
    expect(turns.map(({ text }) => text)).toEqual(turns.map(({ number }) => `turn ${number}`));
  }
  // The turn that was being written may have got in before the kill; more cannot.
  expect(kept.turns.length - acknowledged).toBeLessThanOrEqual(1);
  const session = await memory.sessions.open(localCaller, 'one');
  expect(fileIn(home)).toEqual(kept);
  expect(readdirSync(join(home, 'sessions'))).toEqual(['one.json']);
  await session.close();
  expect(store.checkIntegrity()).toEqual({ ok: true, findings: [] });
  return kept.turns.length;
}

describe('a session whose writer is killed', () => {
  it(
    'has every acknowledged turn, and a whole file, at whatever moment',
    async () => {
      const home = await aHomeWithSession();
      const random = seededRandom(11);
      let turns = 0;
      for (let round = 0; round < (isProof ? 40 : 3); round += 1) {
        const killAfter = turns + 1 + Math.floor(random() * 12);
        const acknowledged = await lastBeforeKilled(startWriter(home, manyMore), killAfter);
        expect(acknowledged).toBeGreaterThanOrEqual(killAfter);
        turns = await examine(home, acknowledged);
      }
    },
    maxProofMs,
  );

  const points = [
    'session.before-commit',
    'session.after-commit',
    'session.before-file',
    'session.file-written',
    'session.before-rename',
    'session.after-rename',
  ];
  const faults = points.flatMap((point) => [1, 2, 5].map((count) => `${point}:${count}`));

  it.each(sampleSeeded(faults, 4))('has them when it dies at %s', async (fault) => {
    const home = await aHomeWithSession();
    const acknowledged = await lastBeforeKilled(startWriter(home, manyMore, fault), never);
    expect(await examine(home, acknowledged)).toBeGreaterThanOrEqual(acknowledged);
  });

  it.each(sampleSeeded(['session.before-file-remove', 'session.after-file-remove'], 1))(
    'is still there, whole, when its removal dies at %s',
    async (fault) => {
      const session = aSession({ turns: [aTurn(1), aTurn(2)] });
      const home = await aHomeWithSession(session);
      expect(await endOf(startWriter(home, 'remove', fault))).toBe('SIGKILL');
      const store = aStore({ home });
      const memory = memoryOf(home, store);
      await (await memory.sessions.open(localCaller, 'one')).close();
      expect(fileIn(home)).toEqual(session);
      await memory.sessions.remove(localCaller, 'one');
      expect(readdirSync(join(home, 'sessions'))).toEqual([]);
      expect(await memory.sessions.list(localCaller, { limit: 1 })).toEqual([]);
    },
  );

  it.each(sampleSeeded(['session.before-file', 'session.before-rename'], 1))(
    'is imported whole or not at all when the import dies at %s',
    async (fault) => {
      const home = aDirectory();
      const session = aSession({ turns: Array.from({ length: 50 }, (_, n) => aTurn(n + 1)) });
      const child = startWriter(home, 'import', fault);
      child.stdin?.end(JSON.stringify(session));
      expect(await endOf(child)).toBe('SIGKILL');
      expect(existsSync(join(home, 'sessions', 'one.json'))).toBe(false);
      const memory = memoryOf(home, aStore({ home }));
      const imported = await memory.sessions.show(localCaller, 'last');
      const texts = session.turns.map(({ text }) => text);
      expect(imported.turns.map(({ text }) => text)).toEqual(texts);
      // Whoever opens any session next looks after what was left.
      await memory.sessions.create(localCaller);
      expect(fileIn(home)).toEqual(imported);
    },
  );
});

describe('several processes and one session', () => {
  it('let one write, say who that is, and go on at once when it is killed', async () => {
    const home = await aHomeWithSession();
    const writer = startWriter(home, manyMore);
    await once(writer.stdout!, 'data');
    const memory = memoryOf(home, aStore({ home }));
    await expect(memory.sessions.open(localCaller, 'one')).rejects.toMatchObject({
      code: 'memory.session_busy',
      details: { id: 'one', pid: writer.pid },
    });
    expect(await memory.sessions.list(localCaller, { limit: 1 })).toMatchObject([{ isOpen: true }]);
    const shown = await memory.sessions.show(localCaller, 'one');
    expect(shown.turns.length).toBeGreaterThan(0);
    writer.kill('SIGKILL');
    await endOf(writer);
    const session = await memory.sessions.open(localCaller, 'one');
    await session.append({ role: 'user', text: 'mine' });
    await memory.close();
    expect(fileIn(home)).toEqual(session.current());
  });

  it('lose and mix up nothing when they take turns', async () => {
    const home = await aHomeWithSession();
    const [writers, each] = isProof ? [6, 25] : [3, 5];
    const ends = Array.from({ length: writers }, () => endOf(startWriter(home, String(each))));
    expect(await Promise.all(ends)).toEqual(ends.map(() => 0));
    expect(await examine(home, writers * each)).toBe(writers * each);
  });
});
