import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Opening, OpeningRequest } from '../../contract/opening/index.ts';
import { ManualTimers } from '../../../testkit/fleet/manual-timers.ts';
import { openFrontDesk } from './front-desk.ts';
import { resultLine } from './kept-answers.ts';

const client = { protocolVersion: '2025-11-25', clientInfo: { name: 'a “client”' } };
const initialize = { id: 1, method: 'initialize', params: client };
const initialized = { method: 'notifications/initialized' };
const listTools = { id: 2, method: 'tools/list' };
const beginning = [initialize, initialized, listTools];
const quietMs = 60;
const keepAfterMs = 500;
const results: Readonly<Record<string, string>> = {
  initialize: '{"serverInfo":{"name":"Tutti"}}',
  'tools/list': '{"tools":[{"name":"größe"}]}',
  'prompts/list': '{"prompts":[]}',
};

const toText = (messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');

/** A place where the program is started again and again. */
function aPlace() {
  const home = mkdtempSync(join(tmpdir(), 'tutti-desk-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const settings = join(home, 'settings.yaml');
  const offers = join(home, 'offers');
  const folder = join(home, 'first-answers');
  mkdirSync(offers);
  writeFileSync(settings, 'token: s3cret');
  const program = join(home, 'program.js');
  writeFileSync(program, 'one build');
  const conditions = {
    home,
    variables: ['TUTTI_SECRET'],
    paths: [
      { path: settings, look: 'content' },
      { path: offers, look: 'listing' },
      { path: join(home, '.git'), look: 'presence' },
    ],
  } as const;
  const timers = new ManualTimers();
  const start = (
    changes: { program?: string; argv?: string[]; env?: Record<string, string> } = {},
  ) => {
    const stdin = new PassThrough();
    let written = '';
    const stdout = { write: (text: string) => (written += text) };
    const env = { TUTTI_HOME: home, TUTTI_SECRET: 'hush', ...changes.env };
    const desk = openFrontDesk(
      { program: [changes.program ?? program], argv: changes.argv ?? ['mcp'], cwd: home, env },
      { stdin, stdout },
      timers,
    );
    return { desk, stdin, written: () => written };
  };
  /** What it is answered without the system, and what the system is handed. */
  const begin = async (messages: readonly object[], changes?: Parameters<typeof start>[0]) => {
    const { desk, stdin, written } = start(changes);
    stdin.write(toText(messages));
    await timers.pass(quietMs);
    await desk?.untilQuiet;
    const opening = desk?.handOver(conditions);
    return { written: written(), opening, stdin };
  };
  const answerAll = (opening: Opening | undefined, messages: readonly object[]): void => {
    for (const message of messages) {
      const { id, method, params = {} } = message as Partial<OpeningRequest>;
      if (id !== undefined && method !== undefined) {
        const line = resultLine(id, results[method] ?? '{}');
        opening?.onAnswer({ id, method, params }, line);
      }
    }
  };
  const keep = async (messages: readonly object[] = beginning): Promise<void> => {
    const { opening } = await begin([]);
    answerAll(opening, messages);
    await timers.pass(keepAfterMs);
    expect(existsSync(folder)).toBe(true);
  };
  return {
    home,
    program,
    timers,
    settings,
    offers,
    folder,
    conditions,
    start,
    begin,
    answerAll,
    keep,
  };
}

const answersOf = (messages: readonly { id?: number; method: string }[]): string =>
  messages
    .filter(({ id }) => id !== undefined)
    .map(({ id = 0, method }) => `${resultLine(id, results[method] ?? '')}\n`)
    .join('');

describe('a start where nothing has changed', () => {
  it('answers the first requests as the system did, byte for byte', async () => {
    const place = aPlace();
    await place.keep();
    const { written } = await place.begin(beginning);
    expect(written).toBe(answersOf(beginning));
  });

  it('answers under the ids of this client, whatever they were then', async () => {
    const place = aPlace();
    await place.keep();
    const again = [{ ...initialize, id: 'a' }, initialized, { ...listTools, id: 'b' }];
    const { written } = await place.begin(again);
    expect(written).toContain('{"jsonrpc":"2.0","id":"b","result":{"tools":');
  });

  it('hands on all it read and what it answered', async () => {
    const place = aPlace();
    await place.keep();
    const { opening, stdin } = await place.begin(beginning);
    expect(Buffer.from(opening?.received ?? []).toString()).toBe(toText(beginning));
    expect([...(opening?.answered.keys() ?? [])]).toEqual([1, 2]);
    expect(stdin.isPaused()).toBe(true);
  });

  it('understands a message that comes in pieces, cut within a letter', async () => {
    const place = aPlace();
    await place.keep();
    const { desk, stdin, written } = place.start();
    for (const byte of Buffer.from(toText(beginning))) stdin.write(Buffer.from([byte]));
    await desk?.untilQuiet;
    expect(written()).toBe(answersOf(beginning));
  });

  it('waits a little for a client that speaks step by step, and not for one that is silent', async () => {
    const place = aPlace();
    await place.keep();
    expect((await place.begin([])).written).toBe('');
    expect((await place.begin([initialize])).written).toBe(answersOf([initialize]));
  });
});

describe('what is left for the system', () => {
  it.each([
    ['another client', [{ ...initialize, params: { protocolVersion: '2024-11-05' } }, listTools]],
    ['a list without a greeting', [listTools]],
    ['a call', [{ id: 5, method: 'tools/call', params: { name: 'x' } }, initialize]],
    ['a list nobody asked for before', [{ id: 3, method: 'prompts/list' }, initialize]],
    ['another notification', [{ method: 'notifications/cancelled' }, initialize]],
    ['a broken id', [{ ...initialize, id: 1.5 }]],
    ['no request', [{ id: 1, result: {} }, initialize]],
    ['params that are a list', [{ ...initialize, params: [] }]],
  ])('%s, and all that follows', async (_what, messages) => {
    const place = aPlace();
    await place.keep();
    const { written, opening } = await place.begin(messages);
    expect(written).toBe('');
    expect(Buffer.from(opening?.received ?? []).toString()).toBe(toText(messages));
  });

  it('text that is no JSON', async () => {
    const place = aPlace();
    await place.keep();
    const { desk, stdin, written } = place.start();
    stdin.write(`{"jsonrpc\n${toText(beginning)}`);
    await desk?.untilQuiet;
    expect(written()).toBe('');
  });

  it('params that are nested as deeply as no client means them', async () => {
    const place = aPlace();
    await place.keep();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const { desk, stdin, written } = place.start();
    stdin.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":${deep}}}\n`);
    await place.timers.pass(quietMs);
    await desk?.untilQuiet;
    expect(written()).toBe('');
    const params = { a: JSON.parse(deep) as unknown };
    const opening = desk?.handOver(place.conditions);
    opening?.onAnswer({ id: 1, method: 'initialize', params }, resultLine(1, '{}'));
    await place.timers.pass(keepAfterMs);
    expect((await place.begin(beginning)).written).toBe(answersOf(beginning));
  });

  it('more than a beginning can be', async () => {
    const place = aPlace();
    await place.keep();
    const { desk, stdin, written } = place.start();
    stdin.write(`${'x'.repeat(300_000)}\n${toText(beginning)}`);
    await desk?.untilQuiet;
    expect(written()).toBe('');
    expect(desk?.handOver(place.conditions).received.length).toBeGreaterThan(300_000);
  });

  it('a second request under the same id', async () => {
    const place = aPlace();
    await place.keep();
    const { written } = await place.begin([initialize, { ...listTools, id: 1 }]);
    expect(written).toBe(answersOf([initialize]));
  });
});

describe('nothing is answered any more', () => {
  const changes: Record<string, (place: ReturnType<typeof aPlace>) => void> = {
    'a settings file has other contents': ({ settings }) =>
      writeFileSync(settings, 'token: 5ecret'),
    'the program is another build': ({ program }) => writeFileSync(program, 'another build'),
    'a settings file is gone': ({ settings }) => rmSync(settings),
    'a server offers something else': ({ offers }) => writeFileSync(join(offers, 'a.json'), ''),
    'a folder became a project': ({ home }) => mkdirSync(join(home, '.git')),
    'what was kept is damaged': ({ folder }) => {
      const [name = ''] = readdirSync(folder);
      writeFileSync(join(folder, name), '{"format":1,"conditions"');
    },
    'what was kept is of another format': ({ folder }) => {
      const [name = ''] = readdirSync(folder);
      const text = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), text.replace('"format":1', '"format":0'));
    },
  };
  it.each(Object.keys(changes))('when %s', async (what) => {
    const place = aPlace();
    await place.keep();
    changes[what]?.(place);
    expect((await place.begin(beginning)).written).toBe('');
  });

  it('when a variable has another value', async () => {
    const place = aPlace();
    await place.keep();
    const { written } = await place.begin(beginning, { env: { TUTTI_SECRET: 'other' } });
    expect(written).toBe('');
  });

  it('when the program is another one, and the one that kept it is still there', async () => {
    const place = aPlace();
    await place.keep();
    const other = join(place.home, 'other.js');
    writeFileSync(other, 'one build');
    expect((await place.begin(beginning, { program: other })).written).toBe('');
  });

  it('when the command line is another one', async () => {
    const place = aPlace();
    await place.keep();
    expect((await place.begin(beginning, { argv: ['mcp', '--all'] })).written).toBe('');
  });
});

describe('what is kept', () => {
  it('holds no value of a variable and no content of a settings file', async () => {
    const place = aPlace();
    await place.keep();
    const [name = ''] = readdirSync(place.folder);
    const text = readFileSync(join(place.folder, name), 'utf8');
    expect(text).not.toMatch(/s3cret|hush|a “client”/);
  });

  it('is nothing when something changed while the system answered', async () => {
    const place = aPlace();
    const { opening } = await place.begin([]);
    place.answerAll(opening, beginning);
    writeFileSync(join(place.offers, 'a.json'), '');
    const later = await place.begin([]);
    place.answerAll(later.opening, [initialize]);
    await place.timers.pass(keepAfterMs);
    expect((await place.begin(beginning)).written).toBe(answersOf([initialize]));
  });

  it('grows by what another client asks', async () => {
    const place = aPlace();
    await place.keep();
    const more = [...beginning, { id: 3, method: 'prompts/list' }];
    const { opening } = await place.begin(more);
    place.answerAll(opening, more);
    await place.timers.pass(keepAfterMs);
    expect((await place.begin(more)).written).toBe(answersOf(more));
  });

  it('is no answer to a call, and none to a client that did not greet', async () => {
    const place = aPlace();
    const call = { id: 4, method: 'tools/call', params: {} };
    await place.keep([{ id: 3, method: 'prompts/list' }, initialize, call, listTools]);
    const asked = [...beginning, { id: 3, method: 'prompts/list' }, call];
    expect((await place.begin(asked)).written).toBe(answersOf(beginning));
  });

  it('is the latest of what would be too much', async () => {
    const place = aPlace();
    const { opening } = await place.begin([]);
    const large = JSON.stringify('x'.repeat(5_000_000));
    opening?.onAnswer({ ...initialize }, resultLine(1, '{}'));
    for (const method of ['resources/list', 'prompts/list', 'tools/list']) {
      opening?.onAnswer({ id: 2, method, params: {} }, resultLine(2, large));
    }
    await place.timers.pass(keepAfterMs);
    const [name = ''] = readdirSync(place.folder);
    expect(readFileSync(join(place.folder, name), 'utf8').length).toBeLessThan(9_000_000);
    const { written } = await place.begin([initialize, { id: 2, method: 'tools/list' }]);
    expect(written).toContain('"id":2,"result":"xxx');
  });

  it('is of the latest fifty calls in this data directory', async () => {
    const place = aPlace();
    mkdirSync(place.folder);
    for (let number = 0; number < 60; number += 1) {
      const path = join(place.folder, `${number}.json`);
      writeFileSync(path, '{}');
      utimesSync(path, number, number);
    }
    const { opening } = await place.begin([]);
    place.answerAll(opening, beginning);
    await place.timers.pass(keepAfterMs);
    expect(readdirSync(place.folder)).toHaveLength(50);
    expect((await place.begin(beginning)).written).toBe(answersOf(beginning));
  });

  it('is nothing where the settings name another data directory', async () => {
    const place = aPlace();
    const { desk } = place.start();
    const opening = desk?.handOver({ ...place.conditions, home: '/elsewhere' });
    place.answerAll(opening, beginning);
    await place.keep([initialize]);
    expect((await place.begin(beginning)).written).toBe(answersOf([initialize]));
  });
});

it('stays away where the data directory cannot be told from words and variables alone', () => {
  const streams = { stdin: new PassThrough(), stdout: { write: () => {} } };
  const open = (argv: string[], env: Record<string, string>) =>
    openFrontDesk({ program: [], argv, cwd: '/', env }, streams);
  expect(open(['mcp'], {})).toBeUndefined();
  expect(open(['--home', 'here', 'mcp'], { HOME: '/nowhere' })).toBeUndefined();
  expect(open(['mcp'], { HOME: '/nowhere' })).toBeDefined();
});
