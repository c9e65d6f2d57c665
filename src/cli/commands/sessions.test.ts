import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { Memory, Session } from '../../contract/session/index.ts';
import { systemClock } from '../../kernel/index.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { aSession, aTurn } from '../../../testkit/memory/a-session.ts';
import { MemorySessionStore } from '../../../testkit/memory/memory-session-store.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { type Ran, runMain } from '../../../testkit/cli/run-main.ts';

const talk = aSession({
  id: 'abc123',
  title: 'Parsers',
  forkedFrom: { session: 'zero', turn: 1 },
  summary: { text: 'about\nparsers', turn: 1 },
  turns: [
    aTurn(1, { text: 'Write a parser' }),
    aTurn(2, {
      role: 'assistant',
      text: 'Here it is\u001b[2J\nBye',
      outcome: 'answer',
      runId: 'r1',
      remembered: [{ kind: 'code', content: 'x', title: 'parser.py' }],
    }),
  ],
});

interface Terminal {
  readonly memory: Memory;
  readonly cwd: string;
  readonly run: (line: string | readonly string[], stdin?: string) => Promise<Ran>;
}

async function aTerminal(...sessions: readonly Session[]): Promise<Terminal> {
  const store = new MemorySessionStore({ clock: systemClock, isGone: async () => false });
  const { memory } = aMemory({ sessions: store });
  for (const session of sessions) await store.add(localCaller, session, { maxSessions: 10 });
  const cwd = aDirectory();
  return {
    memory,
    cwd,
    run: async (line, stdin) => {
      const compose = await createFakeSystem().compose();
      const openSystem: typeof compose.openSystem = async (wanted) => ({
        ...(await compose.openSystem(wanted)),
        memory,
      });
      const argv = ['sessions', ...(typeof line === 'string' ? line.split(' ') : line)];
      return runMain(argv, {
        ...(stdin !== undefined && { stdin }),
        io: { cwd, compose: async () => ({ ...compose, openSystem }) },
      });
    },
  };
}

describe('tutti sessions', () => {
  it('lists them, and says how to begin one where there is none', async () => {
    const { run } = await aTerminal(talk);
    const listed = await run('list');
    expect(listed).toMatchObject({ exitCode: 0 });
    expect(listed.stdout).toMatch(/^abc123 {2}20\d\d-\d\d-\d\d \d\d:\d\d {2}2 turns {4}Parsers\n$/);
    expect(JSON.parse((await run('list --json -k 5')).stdout)).toMatchObject([
      { id: 'abc123', turns: 2, isOpen: false },
    ]);
    const nothing = await aTerminal();
    expect((await nothing.run([])).stdout).toContain('There are no sessions');
    expect(JSON.parse((await nothing.run(['--json'])).stdout)).toEqual([]);
  });

  it('marks those that somebody writes in', async () => {
    const { run, memory } = await aTerminal(aSession({ id: 'one', turns: [aTurn(1)] }));
    await memory.sessions.open(localCaller, 'one');
    expect((await run('list')).stdout).toContain('1 turn  open  One');
  });

  it('shows one, whatever was said in it', async () => {
    const { run } = await aTerminal(talk, aSession({ id: 'bare', title: '' }));
    const { stdout } = await run('show abc');
    expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')).toBe(`Parsers abc123
forked from zero after turn 1
up to turn 1: about
parsers

1 user TIME
Write a parser

2 assistant TIME, answer, run r1, code parser.py
Here it is\\u001b[2J
Bye
`);
    expect(JSON.parse((await run('show abc --json')).stdout)).toEqual(talk);
    expect((await run('show bare')).stdout).toBe('untitled bare\n');
  });

  it('copies one, as a whole or up to a turn', async () => {
    const { run, memory } = await aTerminal(talk);
    const forked = JSON.parse((await run('fork last --turn 1 --json')).stdout);
    expect(await memory.sessions.show(localCaller, forked.id)).toMatchObject({
      forkedFrom: { session: 'abc123', turn: 1 },
    });
    expect((await run('fork abc123')).stdout).toContain('has the first 2 turns. Go on with it:');
    expect(await run('fork abc123 --turn 9')).toMatchObject({ exitCode: 2 });
    expect((await run('fork abc123 --turn one')).stderr).toContain('--turn wants the number');
  });

  it('gives one a name', async () => {
    const { run, memory } = await aTerminal(talk);
    expect((await run('rename abc My own parser')).stdout).toBe(
      'Session abc123 is called "My own parser"\n',
    );
    expect(JSON.parse((await run('rename abc x --json')).stdout)).toEqual({
      id: 'abc123',
      title: 'x',
    });
    expect(await memory.sessions.list(localCaller, { limit: 1 })).toMatchObject([
      { title: 'x', isOpen: false },
    ]);
  });

  it('removes one', async () => {
    const { run, memory } = await aTerminal(talk);
    expect((await run('remove abc')).stdout).toContain('Session abc123 "Parsers" was removed');
    expect(await memory.sessions.list(localCaller, { limit: 1 })).toEqual([]);
    const again = await run('remove abc --json');
    expect(again.exitCode).toBe(2);
    expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: 'memory.unknown_session' } });
  });

  it('takes one from here to there', async () => {
    const here = await aTerminal(talk);
    expect(JSON.parse((await here.run('export last')).stdout)).toEqual(talk);
    expect(JSON.parse((await here.run('export last --json')).stdout)).toEqual(talk);
    const written = JSON.parse((await here.run('export abc talk.json --json')).stdout);
    const path = join(here.cwd, 'talk.json');
    const text = readFileSync(path, 'utf8');
    expect(written).toEqual({ id: 'abc123', path, bytes: Buffer.byteLength(text) });
    const there = await aTerminal();
    expect((await there.run('import -', text)).stdout).toBe(
      'Session abc123 "Parsers" was imported with 2 turns\n',
    );
    expect(await there.memory.sessions.show(localCaller, 'last')).toMatchObject({
      ...talk,
      turns: talk.turns.map(({ text: said, remembered }) => ({ text: said, remembered })),
    });
    const again = JSON.parse((await there.run(['import', path, '--json'])).stdout);
    expect(again.id).not.toBe('abc123');
  });

  it('replaces a file when forced to, and leaves nothing of what failed', async () => {
    const { run, cwd } = await aTerminal(talk);
    const path = join(cwd, 'mine.json');
    writeFileSync(path, 'precious');
    const refused = await run('export abc mine.json');
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('--force replaces it');
    expect(readFileSync(path, 'utf8')).toBe('precious');
    expect((await run('export abc mine.json --force')).stdout).toContain('was written to');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(talk);
    expect(await run('export abc missing/mine.json')).toMatchObject({ exitCode: 2 });
    expect(readdirSync(cwd)).toEqual(['mine.json']);
  });

  it.each([
    ['import -', '{"version":', 'is not JSON'],
    ['import -', '{"version":2}', 'Update Tutti'],
    ['import -', '{}', 'this is no session'],
    ['import missing.json', '', 'was not read'],
    ['show', '', 'wants SESSION, and SESSION is missing'],
    ['rename abc', '', 'TITLE… is missing'],
    ['show a b', '', 'takes SESSION, and got "b" too'],
    ['show last', '', 'tutti chat'],
    ['list --turn 3', '', '"sessions list" does not take --turn'],
    ['lsit', '', 'Did you mean "list"?'],
  ])('says what is wrong with "%s" %s', async (line, stdin, said) => {
    const { run } = await aTerminal();
    const ran = await run(line, stdin);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(said);
  });
});
