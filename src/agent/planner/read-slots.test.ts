import { describe, expect, it } from 'vitest';
import { readSlots } from './read-slots.ts';
import { readWords } from './read-words.ts';

function slots(message: string): ReturnType<typeof readSlots> {
  return readSlots(readWords(message), message);
}

describe('several words to search for', () => {
  it.each([
    ['find all TODO and FIXME comments', 'TODO|FIXME'],
    ['list every XXX, HACK or TODO', 'XXX|HACK|TODO'],
    ['grep for total and sum in src', 'total|sum'],
  ])('are one regular expression: %s', (message, symbol) => {
    expect(slots(message)).toMatchObject({ symbol, single: { regex: 'true' } });
  });

  it('are none in "review and test it"', () => {
    expect(slots('review and test it').single['regex']).toBeUndefined();
  });
});

describe('values behind a cue', () => {
  it.each([
    ['rename getUser to fetchUser everywhere', 'getUser', 'fetchUser'],
    ['replace the port 8000 with 9000', '8000', '9000'],
    ['change "Sign in" to "Log in"', 'Sign in', 'Log in'],
    ['ersetze foo durch bar', 'foo', 'bar'],
    ['change RATES to TAX_RATES in tax.py', 'RATES', 'TAX_RATES'],
    ['rename run_app to start everywhere', 'run_app', 'start'],
    ['rename format to print', 'format', 'print'],
    ['rename the variable to total', undefined, 'total'],
    ['change the color to red', undefined, 'red'],
    ['rename add -> plus', 'add', 'plus'],
    ['rename the function run in app.py to start', 'run', 'start'],
    ['set LIMIT = 5 to LIMIT = 20 in train.py', 'LIMIT = 5', 'LIMIT = 20'],
    ['replace the loop with a comprehension', undefined, undefined],
  ])('%s', (message, find, replacement) => {
    const { single } = slots(message);
    expect([single['find'], single['replacement']]).toEqual([find, replacement]);
  });

  it.each([
    ['commits by anna', 'anna'],
    ['what did bob change last week', 'bob'],
    ['what did I change', undefined],
  ])('%s', (message, author) => {
    expect(slots(message).single).toMatchObject({ author });
  });

  it('the message of a commit is all that follows, or what is quoted', () => {
    expect(slots('commit with message fix the total').message).toBe('fix the total');
    expect(slots('commit with the message "a, b" please').message).toBe('a, b');
  });

  it('a text keeps what stands between its words, without the file it goes to', () => {
    expect(slots('create a.ini with content a=1').single['text']).toBe('a=1');
  });
});

describe('names', () => {
  it.each([
    ['where is run used?', 'run'],
    ['who calls format', 'format'],
    ['which files import test', 'test'],
    ['find all usages of the function parse', 'parse'],
    ['who uses it', undefined],
  ])('are names, whatever the word means: %s', (message, name) => {
    expect(slots(message).symbol).toBe(name);
  });
});

describe('numbers', () => {
  it('are lines, limits, widths and percentages by the words beside them', () => {
    expect(slots('lines 10 to 20').single).toMatchObject({ startLine: '10', endLine: '20' });
    expect(slots('line 10').single).toMatchObject({ startLine: '10', endLine: '10' });
    expect(slots('commits since 2026-11-01').single).toMatchObject({ since: '2026-11-01' });
    expect(slots('since 2 weeks ago').single).toMatchObject({ since: '2 weeks ago' });
    expect(slots('last 3 commits').single).toMatchObject({ limit: '3' });
    expect(slots('wrap at 80 columns').single).toMatchObject({ lineLength: '80' });
    expect(slots('cover 90 %').single).toMatchObject({ coverage: '90' });
  });
});
