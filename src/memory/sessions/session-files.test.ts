import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { sessionSchema, type OpenSession, type Session } from '../../contract/session/index.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { aSession, aTurn } from '../../../testkit/memory/a-session.ts';

const stranger = { id: 'stranger' };

/** The file follows at most this much later. */
const fileDelayMs = 100;

async function say(session: OpenSession, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await session.append({ role: 'user', text });
}

function fileOf(directory: string, id: string): Session {
  return sessionSchema.parse(JSON.parse(readFileSync(join(directory, `${id}.json`), 'utf8')));
}

async function whenWritten(timers: ReturnType<typeof aMemory>['timers']): Promise<void> {
  timers.pass(fileDelayMs);
  // The file of a closed session is written under a new lease.
  await setImmediate();
}

describe('the file of a session', () => {
  it('follows every change within 100 ms, whole, for its owner alone', async () => {
    const { memory, directory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    expect(fileOf(directory, session.id)).toEqual(session.current());
    await say(session, 'one', 'two');
    timers.pass(fileDelayMs);
    expect(fileOf(directory, session.id)).toEqual(session.current());
    await say(session, 'three');
    await session.rename('named');
    expect(fileOf(directory, session.id)).toEqual(session.current());
    expect(readdirSync(directory)).toEqual([`${session.id}.json`]);
    expect(statSync(join(directory, `${session.id}.json`)).mode & 0o777).toBe(0o600);
  });

  it('is what JSON makes of the session, whatever was said in it', async () => {
    const { memory, directory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    const path = join(directory, `${session.id}.json`);
    const whole = (): string => `${JSON.stringify(session.current(), null, 2)}\n`;
    expect(readFileSync(path, 'utf8')).toBe(whole());
    await say(session, 'two\nlines "quoted"', 'a\u2028b\u2029c\r\ud800 \\n');
    await session.summarize({ text: 'gist', turn: 1 });
    expect(readFileSync(path, 'utf8')).toBe(whole());
  });

  it('goes with the session', async () => {
    const { memory, directory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await session.close();
    await memory.sessions.remove(localCaller, session.id);
    expect(readdirSync(directory)).toEqual([]);
    expect(await memory.sessions.list(localCaller, { limit: 1 })).toEqual([]);
  });

  it('stays with the session where it cannot be removed, and the session stays free', async () => {
    const { memory, directory, another } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await session.close();
    const path = join(directory, `${session.id}.json`);
    rmSync(path);
    mkdirSync(path);
    await expect(memory.sessions.remove(localCaller, session.id)).rejects.toMatchObject({
      code: 'memory.file_not_removed',
      message: expect.stringContaining(path),
    });
    await (await another().sessions.open(localCaller, session.id)).close();
  });

  it('is not written where files are not wanted', async () => {
    const { memory, directory } = aMemory({ isMirrored: false });
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is brought up to date when its session opens, whatever was left there', async () => {
    const { memory, directory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    await session.close();
    await whenWritten(timers);
    const path = join(directory, `${session.id}.json`);
    const sameSize = readFileSync(path, 'utf8').replace('one', 'two');
    for (const text of ['', '{"half":', sameSize]) {
      writeFileSync(path, text);
      writeFileSync(join(directory, `.${session.id}.json.tmp`), '{"half":');
      await (await memory.sessions.open(localCaller, session.id)).close();
      expect(fileOf(directory, session.id)).toEqual(session.current());
      expect(readdirSync(directory)).toEqual([`${session.id}.json`]);
    }
  });

  it('follows a session that was closed, opened again or not, and one that is gone never comes back', async () => {
    const { memory, directory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    await session.close();
    const again = await memory.sessions.open(localCaller, session.id);
    await say(again, 'two');
    await again.close();
    await whenWritten(timers);
    expect(fileOf(directory, session.id)).toEqual(again.current());
    const last = await memory.sessions.open(localCaller, session.id);
    await say(last, 'three');
    await last.close();
    await memory.sessions.remove(localCaller, session.id);
    await whenWritten(timers);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is up to date when the memory is closed, with sessions that were closed before', async () => {
    const { memory, directory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    await session.close();
    await memory.close();
    expect(fileOf(directory, session.id)).toEqual(session.current());
    rmSync(join(directory, `${session.id}.json`));
    await whenWritten(timers);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is left to another process that opens the closed session first', async () => {
    const { memory, directory, another, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'mine');
    await session.close();
    const theirs = await another().sessions.open(localCaller, session.id);
    expect(fileOf(directory, session.id)).toEqual(session.current());
    await say(theirs, 'theirs');
    await whenWritten(timers);
    expect(fileOf(directory, session.id)).toEqual(theirs.current());
  });

  it('is brought up to date after a crash between closing and writing', async () => {
    const { memory, directory, another } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    await session.close();
    expect(fileOf(directory, session.id).turns).toEqual([]);
    await another().sessions.create(localCaller);
    expect(fileOf(directory, session.id)).toEqual(session.current());
  });

  it('is brought up to date after a crash when any session opens', async () => {
    const { memory, directory, another, gone } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    const path = join(directory, `${session.id}.json`);
    writeFileSync(path, 'as it was before');
    const next = another();
    await next.sessions.create(localCaller);
    expect(readFileSync(path, 'utf8')).toBe('as it was before');
    gone.add(process.pid);
    await another().sessions.create(localCaller);
    expect(fileOf(directory, session.id)).toEqual(session.current());
  });

  it('delays no session when it cannot be written', async () => {
    const lines: LoggedLine[] = [];
    const { memory, directory, timers } = aMemory({ log: recordedLog(lines) });
    const session = await memory.sessions.create(localCaller);
    mkdirSync(join(directory, `.${session.id}.json.tmp`));
    await say(session, 'one');
    expect(session.current().turns).toHaveLength(1);
    timers.pass(fileDelayMs);
    expect(lines).toMatchObject([{ level: 'warn', message: 'failed to write session file' }]);
  });
});

describe('an import', () => {
  it('keeps the id where that is free, and gets another where it is not', async () => {
    const { memory, directory } = aMemory();
    const data = aSession({ id: 'mine', turns: [aTurn(1), aTurn(2)] });
    expect(await memory.sessions.import(localCaller, data)).toEqual({
      id: 'mine',
      title: 'One',
      createdAt: data.createdAt,
      updatedAt: data.updatedAt,
      turns: 2,
      isOpen: false,
    });
    const imported = { ...data, turns: data.turns.map((turn) => ({ ...turn, isTainted: true })) };
    expect(fileOf(directory, 'mine')).toEqual(imported);
    const again = await memory.sessions.import(localCaller, data);
    const theirs = await memory.sessions.import(stranger, data);
    expect(new Set(['mine', again.id, theirs.id]).size).toBe(3);
    expect(await memory.sessions.show(localCaller, again.id)).toEqual({
      ...imported,
      id: again.id,
    });
  });

  it('brings no plan that a yes would accept, and no run that would go on', async () => {
    const { memory } = aMemory();
    const plan = { version: 1 as const, steps: [{ id: 'send', tool: 'mail.send' }] };
    const shown = aTurn(2, { role: 'assistant', outcome: 'plan', plan, alternatives: [plan] });
    const data = aSession({ id: 'trap', turns: [aTurn(1), { ...shown, runId: 'run-1' }] });
    await memory.sessions.import(localCaller, data);
    const { turns } = await memory.sessions.show(localCaller, 'trap');
    expect(turns[1]).not.toHaveProperty('plan');
    expect(turns[1]).not.toHaveProperty('alternatives');
    expect(turns[1]).not.toHaveProperty('runId');
    expect(turns.every(({ isTainted }) => isTainted === true)).toBe(true);
  });

  it.each(['last', '-rf'])('does not keep the id %s, which means something else', async (id) => {
    const { memory } = aMemory();
    expect((await memory.sessions.import(localCaller, aSession({ id }))).id).not.toBe(id);
  });

  it('is not the last one for ever because a clock elsewhere is fast', async () => {
    const { memory, timers } = aMemory();
    const updatedAt = '9999-01-01T00:00:00.000Z';
    await memory.sessions.import(localCaller, aSession({ id: 'fast', updatedAt }));
    timers.pass(1_000);
    const session = await memory.sessions.create(localCaller);
    expect((await memory.sessions.show(localCaller, 'last')).id).toBe(session.id);
  });

  it('brings back a session that only its file is left of', async () => {
    const { memory, directory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one', 'two');
    timers.pass(fileDelayMs);
    const file = fileOf(directory, session.id);
    const fresh = aMemory({ directory });
    await fresh.memory.sessions.import(localCaller, file);
    expect(await fresh.memory.sessions.show(localCaller, 'last')).toMatchObject(session.current());
  });

  it('does not write over the file of another version of the session', async () => {
    const { memory, directory } = aMemory();
    const newer = `${JSON.stringify(aSession({ id: 'mine', turns: [aTurn(1)] }), null, 2)}\n`;
    writeFileSync(join(directory, 'mine.json'), newer);
    const imported = await memory.sessions.import(localCaller, aSession({ id: 'mine' }));
    expect(imported.id).not.toBe('mine');
    expect(readFileSync(join(directory, 'mine.json'), 'utf8')).toBe(newer);
    expect(existsSync(join(directory, `${imported.id}.json`))).toBe(true);
  });
});
