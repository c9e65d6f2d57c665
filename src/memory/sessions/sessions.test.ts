import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { OpenSession } from '../../contract/session/index.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { aSession } from '../../../testkit/memory/a-session.ts';

const stranger = { id: 'stranger' };

async function say(session: OpenSession, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await session.append({ role: 'user', text });
}

describe('a session', () => {
  it('numbers its turns, keeps their times, and is called after what was said first', async () => {
    const { memory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    timers.pass(1_000);
    const turn = await session.append({ role: 'user', text: 'Write a parser.\nIn Go' });
    expect(turn).toEqual({
      number: 1,
      at: '2026-01-01T00:00:01.000Z',
      role: 'user',
      text: 'Write a parser.\nIn Go',
      remembered: [],
    });
    await session.append({ role: 'assistant', text: 'Done', outcome: 'answer' });
    expect(session.current()).toMatchObject({ title: 'Write a parser.', updatedAt: turn.at });
    expect(await memory.sessions.show(localCaller, session.id)).toEqual(session.current());
    expect(await memory.sessions.list(localCaller, { limit: 9 })).toMatchObject([
      { id: session.id, turns: 2, isOpen: true },
    ]);
  });

  it('keeps the title it was given, on one line and cut', async () => {
    const { memory } = aMemory();
    const session = await memory.sessions.create(localCaller, { title: ' a\n\u001b[2J b ' });
    await say(session, 'hello');
    expect(session.current().title).toBe('a [2J b');
    await session.rename('x'.repeat(5_000));
    expect(session.current().title).toHaveLength(200);
  });

  it('takes changes that come at once one after the other', async () => {
    const { memory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await Promise.all(Array.from({ length: 20 }, (_, n) => say(session, `turn ${n}`)));
    expect(session.current().turns.map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, n) => `turn ${n}`),
    );
  });

  it('remembers a summary of the turns there are', async () => {
    const { memory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await session.summarize({ text: 'nothing', turn: 1 });
    expect(session.current().summary).toBeNull();
    await say(session, 'one', 'two');
    await session.summarize({ text: 'x'.repeat(50_000), turn: 7 });
    expect(session.current().summary).toMatchObject({ turn: 2 });
    expect(session.current().summary?.text).toHaveLength(20_000);
  });

  it('never goes back in time, whatever the clock does', async () => {
    const { memory, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one');
    timers.nowMs -= 60_000;
    await say(session, 'two');
    const [one, two] = session.current().turns;
    expect(two?.at).toBe(one?.at);
  });
});

describe('finding a session', () => {
  it('goes by its id, a beginning that only it has, or last', async () => {
    const { memory, timers } = aMemory();
    for (const id of ['abc', 'abd', 'ab']) {
      timers.pass(1_000);
      await memory.sessions.import(localCaller, aSession({ id, title: id }));
    }
    const opened = await memory.sessions.open(localCaller, 'abd');
    timers.pass(1_000);
    await say(opened, 'latest');
    for (const [typed, id] of [
      ['abc', 'abc'],
      ['abd', 'abd'],
      ['ab', 'ab'],
      ['last', 'abd'],
    ] as const) {
      expect(await memory.sessions.show(localCaller, typed)).toMatchObject({ id });
    }
    await expect(memory.sessions.show(localCaller, 'a')).rejects.toMatchObject({
      code: 'memory.ambiguous_session',
    });
    for (const typed of ['', 'x', '../abc', 'ABC', '__proto__', 'x'.repeat(9_999)]) {
      await expect(memory.sessions.show(localCaller, typed)).rejects.toMatchObject({
        code: 'memory.unknown_session',
      });
    }
  });

  it('belong to the folder they are made in, where `last` is the last of', async () => {
    let folder = '/shop';
    const { memory, timers } = aMemory({ place: async () => folder });
    const { sessions } = memory;
    const ofShop = await sessions.create(localCaller);
    timers.nowMs += 1_000;
    folder = '/bank';
    await expect(sessions.show(localCaller, 'last')).rejects.toThrow(
      `No session belongs to this folder. The last elsewhere is ${ofShop.id} "" in /shop`,
    );
    const ofBank = await sessions.create(localCaller);
    expect((await sessions.show(localCaller, 'last')).id).toBe(ofBank.id);
    const imported = await sessions.import(localCaller, ofShop.current());
    expect(imported.folder).toBe('/bank');
    folder = '/shop';
    expect(await sessions.show(localCaller, 'last')).toMatchObject({ id: ofShop.id, folder });
    const fork = await sessions.fork(localCaller, ofBank.id);
    expect(fork.folder).toBe('/bank');
  });

  it('says how to begin when there is none', async () => {
    const { memory } = aMemory();
    await expect(memory.sessions.open(localCaller, 'last')).rejects.toMatchObject({
      code: 'memory.unknown_session',
      message: expect.stringContaining('tutti chat'),
    });
  });

  it('shows nobody the sessions of others', async () => {
    const { memory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await session.close();
    expect(await memory.sessions.list(stranger, { limit: 9 })).toEqual([]);
    for (const attempt of [
      memory.sessions.show(stranger, session.id),
      memory.sessions.open(stranger, session.id),
      memory.sessions.fork(stranger, session.id),
      memory.sessions.remove(stranger, session.id),
      memory.sessions.show(stranger, 'last'),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'memory.unknown_session' });
    }
  });
});

describe('writing in a session', () => {
  it('is for one at a time, and the others learn who it is', async () => {
    const { memory, another } = aMemory();
    const session = await memory.sessions.create(localCaller);
    for (const who of [memory, another()]) {
      await expect(who.sessions.open(localCaller, session.id)).rejects.toMatchObject({
        code: 'memory.session_busy',
        details: { id: session.id, pid: process.pid, since: '2026-01-01T00:00:00.000Z' },
      });
      await expect(who.sessions.remove(localCaller, session.id)).rejects.toMatchObject({
        code: 'memory.session_busy',
      });
    }
    await session.close();
    await session.close();
    await expect(say(session, 'too late')).rejects.toMatchObject({ code: 'memory.session_lost' });
    const again = await another().sessions.open(localCaller, session.id);
    await say(again, 'my turn');
  });

  it('goes on for as long as it is open, and ends with the memory', async () => {
    const { memory, another, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    for (let minute = 0; minute < 5; minute += 1) {
      for (let part = 0; part < 3; part += 1) timers.pass(20_000);
      await expect(another().sessions.open(localCaller, session.id)).rejects.toMatchObject({
        code: 'memory.session_busy',
      });
    }
    await memory.close();
    expect(timers.waiting).toBe(0);
    await another().sessions.open(localCaller, session.id);
  });

  it('is over for who gave no sign of life for too long, once another has come', async () => {
    const { memory, another, timers } = aMemory();
    const session = await memory.sessions.create(localCaller);
    timers.nowMs += 60_001;
    const other = await another().sessions.open(localCaller, session.id);
    await say(other, 'theirs');
    await expect(say(session, 'mine')).rejects.toMatchObject({ code: 'memory.session_lost' });
    await expect(session.rename('mine')).rejects.toMatchObject({ code: 'memory.session_lost' });
    await session.close();
    await say(other, 'still theirs');
    expect(other.current().turns).toHaveLength(2);
  });

  it('stops at the limits and says which', async () => {
    const { memory } = aMemory({
      limits: { maxTurnBytes: 1_000, maxTurns: 3, maxSessionBytes: 1_500, maxSessions: 2 },
    });
    const session = await memory.sessions.create(localCaller);
    await expect(say(session, 'x'.repeat(1_000))).rejects.toMatchObject({
      code: 'memory.turn_too_large',
    });
    await say(session, 'ä'.repeat(400));
    await expect(say(session, 'ä'.repeat(400))).rejects.toMatchObject({
      code: 'memory.session_full',
      details: { what: 'bytes' },
    });
    await say(session, 'two', 'three');
    await expect(say(session, 'four')).rejects.toMatchObject({
      code: 'memory.session_full',
      details: { what: 'turns' },
    });
    expect(session.current().turns).toHaveLength(3);
    await memory.sessions.fork(localCaller, session.id);
    await expect(memory.sessions.create(localCaller)).rejects.toMatchObject({
      code: 'memory.too_many_sessions',
    });
  });
});

describe('a fork', () => {
  it('has the turns up to one, and goes on by itself', async () => {
    const { memory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one', 'two', 'three');
    await session.summarize({ text: 'first two', turn: 2 });
    const whole = await memory.sessions.fork(localCaller, session.id);
    const part = await memory.sessions.fork(localCaller, session.id, { upToTurn: 1 });
    expect(await memory.sessions.show(localCaller, whole.id)).toMatchObject({
      forkedFrom: { session: session.id, turn: 3 },
      summary: { turn: 2 },
    });
    const copy = await memory.sessions.open(localCaller, part.id);
    await say(copy, 'another way');
    expect(copy.current()).toMatchObject({
      forkedFrom: { session: session.id, turn: 1 },
      summary: null,
      turns: [{ text: 'one' }, { number: 2, text: 'another way' }],
    });
    expect(session.current().turns).toHaveLength(3);
  });

  it.each([-1, 1.5, 4])('is not made up to turn %s of three', async (upToTurn) => {
    const { memory } = aMemory();
    const session = await memory.sessions.create(localCaller);
    await say(session, 'one', 'two', 'three');
    await expect(memory.sessions.fork(localCaller, session.id, { upToTurn })).rejects.toMatchObject(
      { code: 'memory.unknown_turn' },
    );
  });
});
