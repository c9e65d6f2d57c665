import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { aSession, aTurn } from '../../../testkit/memory/a-session.ts';

const limits = {
  maxTurnBytes: 2_000,
  maxTurns: 50,
  maxSessionBytes: 20_000,
  maxSummaryLength: 100,
};

function nested(depth: number): string {
  return `${'{"version":1,"steps":[{"id":"a","plan":'.repeat(depth)}1${'}]}'.repeat(depth)}`;
}

const turn = JSON.stringify(aTurn(1));
const withTurn = (text: string): string =>
  JSON.stringify(aSession({ turns: [] })).replace('"turns":[]', `"turns":[${text}]`);

/** What somebody may bring as a session, and what is said of it. */
const hostile: readonly (readonly [what: string, json: string, said: RegExp])[] = [
  ['nothing', 'null', /expected object/],
  ['a number', '7', /expected object/],
  ['a list', '[]', /expected object/],
  ['a text', '"session"', /expected object/],
  ['an empty object', '{}', /version/],
  ['no version', JSON.stringify({ ...aSession(), version: undefined }), /version/],
  ['a version as text', JSON.stringify({ ...aSession(), version: '1' }), /version/],
  ['version 0', JSON.stringify({ ...aSession(), version: 0 }), /version/],
  ['an id with a path', JSON.stringify(aSession({ id: '../../etc/passwd' })), /^.*id: /],
  ['an id with a drive', JSON.stringify(aSession({ id: 'c:x' })), /id: /],
  ['an empty id', JSON.stringify(aSession({ id: '' })), /id: /],
  ['an id without end', JSON.stringify(aSession({ id: 'x'.repeat(9_999) })), /id: /],
  ['a member nobody knows', JSON.stringify({ ...aSession(), admin: true }), /admin/],
  [
    'a prototype',
    `{"__proto__":{"isAdmin":true},${JSON.stringify(aSession()).slice(1)}`,
    /__proto__/,
  ],
  ['a prototype in a turn', withTurn(turn.replace('{', '{"__proto__":{"x":1},')), /__proto__/],
  ['a constructor', `{"constructor":{},${JSON.stringify(aSession()).slice(1)}`, /constructor/],
  ['a role nobody has', withTurn(turn.replace('"user"', '"system"')), /turns\.0\.role/],
  [
    'a text that is none',
    withTurn(turn.replace(/"text":"[^"]*"/, '"text":{"x":1}')),
    /turns\.0\.text/,
  ],
  ['turns that begin at 2', withTurn(JSON.stringify(aTurn(2))), /without gaps/],
  ['a turn twice', withTurn(`${turn},${turn}`), /without gaps/],
  ['a gap', withTurn(`${turn},${JSON.stringify(aTurn(3))}`), /without gaps/],
  ['a turn 0', withTurn(turn.replace('"number":1', '"number":0')), /turns\.0\.number/],
  ['a time that is none', JSON.stringify(aSession({ createdAt: 'yesterday' })), /no time/],
  ['a turn at no time', withTurn(turn.replace('2026-', 'x')), /no time/],
  [
    'a time with orders for the terminal',
    withTurn(turn.replace(/"at":"[^"]*"/, String.raw`"at":"2026-01-01 (\u001b[31m)"`)),
    /no time/,
  ],
  [
    'an origin with orders for the terminal',
    JSON.stringify(aSession({ forkedFrom: { session: 'x\u001B[31m', turn: 1 } })),
    /forkedFrom\.session/,
  ],
  [
    'a summary of what is not there',
    JSON.stringify(aSession({ summary: { text: 'x', turn: 5 } })),
    /no turn 5/,
  ],
  [
    'a long summary',
    JSON.stringify(aSession({ summary: { text: 'x'.repeat(101), turn: 1 }, turns: [aTurn(1)] })),
    /summary\.text/,
  ],
  [
    'a fork of a long id',
    JSON.stringify(aSession({ forkedFrom: { session: 'x'.repeat(65), turn: 1 } })),
    /forkedFrom/,
  ],
  [
    'a turn that is too long',
    JSON.stringify(aSession({ turns: [aTurn(1, { text: 'x'.repeat(2_000) })] })),
    /turns\.0: .*2000 bytes/,
  ],
  [
    'too many turns',
    JSON.stringify(aSession({ turns: Array.from({ length: 51 }, (_, n) => aTurn(n + 1)) })),
    /may be 50/,
  ],
  [
    'too many bytes',
    JSON.stringify(
      aSession({
        turns: Array.from({ length: 30 }, (_, n) => aTurn(n + 1, { text: 'x'.repeat(630) })),
      }),
    ),
    /20000 bytes/,
  ],
  [
    'a huge text',
    JSON.stringify({ ...aSession(), title: 'x'.repeat(30_000) }),
    /longer than 20000/,
  ],
  ['a huge list', `[${'0,'.repeat(30_000)}0]`, /longer than 20000/],
  ['10,000 levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, /deeper than 64/],
  [
    'plans in plans',
    withTurn(turn.replace('"role"', `"plan":${nested(200)},"role"`)),
    /deeper than 64/,
  ],
];

describe('what is no session', () => {
  it.each(hostile)('is not imported, and nothing of it is kept: %s', async (_what, json, said) => {
    const { memory, directory } = aMemory({ limits });
    await expect(memory.sessions.import(localCaller, JSON.parse(json))).rejects.toMatchObject({
      code: 'memory.invalid_session',
      message: expect.stringMatching(said),
    });
    expect(await memory.sessions.list(localCaller, { limit: 9 })).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
    expect({}).not.toHaveProperty('isAdmin');
  });

  it('is told from what a newer program wrote', async () => {
    const { memory } = aMemory();
    await expect(
      memory.sessions.import(localCaller, { version: 2, everything: 'else' }),
    ).rejects.toMatchObject({ code: 'memory.newer_session', details: { found: 2, known: 1 } });
  });

  it('is refused in bounded time, be it as large as a file may be', async () => {
    const { memory } = aMemory();
    const many = Array.from({ length: 20_000 }, (_, n) => aTurn(n + 1, { text: 'x'.repeat(500) }));
    await expect(
      memory.sessions.import(localCaller, aSession({ turns: many })),
    ).rejects.toMatchObject({ message: expect.stringContaining('there may be 10000') });
  });
});

describe('a session somebody else wrote', () => {
  it('comes in with its title on one line and its times as we write them', async () => {
    const { memory } = aMemory();
    const data = aSession({ title: 'a\nb', createdAt: '2026-01-01T01:00:00+01:00' });
    const { id } = await memory.sessions.import(localCaller, data);
    expect(await memory.sessions.show(localCaller, id)).toMatchObject({
      title: 'a b',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
  });
});
