import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { completeLine } from './complete-line.ts';
import { fromHistoryLine, openLineHistory } from './line-history.ts';
import { MessageLines } from './chat-input.ts';

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-input-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('lines', () => {
  it('become one message up to a limit, and the next begins afresh', () => {
    const lines = new MessageLines();
    expect(lines.push('```')).toBeUndefined();
    expect(() => lines.push('x'.repeat(1_100_000))).toThrow('Attach a file');
    expect(lines.isOpen).toBe(false);
    expect(lines.push('a')).toBe('a');
  });

  it('that open and close a fence at once are whole', () => {
    expect(new MessageLines().push('what is ```x```?')).toBe('what is ```x```?');
  });
});

describe('the history of typed lines', () => {
  it('lasts from chat to chat, newest first, each message one line, for its owner alone', async () => {
    const file = join(aFolder(), 'home', 'chat-history');
    const first = await openLineHistory(file);
    for (const message of ['one', 'two\nlines', 'two\nlines', ' secret']) await first.add(message);
    const second = await openLineHistory(file);
    expect(second.lines.map(fromHistoryLine)).toEqual(['two\nlines', 'one']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is bounded in memory and on disk', async () => {
    const file = join(aFolder(), 'chat-history');
    writeFileSync(file, Array.from({ length: 2_500 }, (_, index) => `m${index}\n`).join(''));
    const history = await openLineHistory(file);
    await history.add('x'.repeat(20_000));
    await history.add('last');
    expect(history.lines).toHaveLength(1_000);
    expect(history.lines.slice(0, 2)).toEqual(['last', 'm2499']);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(1_002);
    writeFileSync(file, 'x'.repeat(5_000_000));
    expect((await openLineHistory(file)).lines).toEqual([]);
  });

  it('is done without where it cannot be kept', async () => {
    const history = await openLineHistory(join(aFolder(), 'a'.repeat(300), 'chat-history'));
    await history.add('one');
    expect(history.lines).toEqual(['one']);
  });
});

describe('completion', () => {
  const cwd = aPlace();
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  const completable = {
    commands: ['/tools', '/help', '/history'],
    tools: async () => ['code.format_code', 'code.review_code'],
    place: { cwd, roots: [cwd] },
  };

  it.each([
    ['/h', ['/help ', '/history '], '/h'],
    ['/tools co', ['code.format_code', 'code.review_code'], 'co'],
    ['use code.f', ['code.format_code'], 'code.f'],
    ['do', [], 'do'],
    ['review @', ['@src/', '@two words', '@x.py'], '@'],
    ['review @s', ['@src/'], '@s'],
    ['review @src/', ['@src/app.py'], '@src/'],
    ['review @./x', ['@./x.py'], '@./x'],
    ['review @.h', ['@.hidden'], '@.h'],
    ['/attach src/a', ['src/app.py'], 'src/a'],
  ])('of %j', async (line, candidates, end) => {
    expect(await completeLine(line, completable)).toEqual([candidates, end]);
  });

  it('looks at nothing outside the roots', async () => {
    await expect(completeLine('review @../', completable)).rejects.toThrow('outside');
    await expect(completeLine('review @.away/', completable)).rejects.toThrow('outside');
  });
});

function aPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-complete-'));
  mkdirSync(join(folder, 'src'));
  symlinkSync('/etc', join(folder, '.away'));
  for (const name of ['src/app.py', 'x.py', '.hidden', 'two words']) {
    writeFileSync(join(folder, name), '');
  }
  return folder;
}
