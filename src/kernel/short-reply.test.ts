import { describe, expect, it } from 'vitest';
import { readChoice, readShortReply } from './short-reply.ts';

describe('a short reply', () => {
  it.each([
    'y',
    'Yes!',
    'yeah',
    'yep do it',
    'sure, go',
    'ok',
    'OK go ahead.',
    'run it',
    'do that',
    'yes please',
    'please do',
    'go for it',
    'sounds good',
    'that one',
    'ja',
    'да',
  ])('"%s" is yes', (text) => {
    expect(readShortReply(text)).toBe('yes');
  });

  it.each([
    'n',
    'No.',
    'nah',
    'nope',
    'none of these',
    'cancel',
    'cancel that',
    'never mind',
    "don't",
    'do not',
    'no thanks',
    'not now',
    'leave it',
    'forget it',
    'stop',
    'neither',
    'nein',
  ])('"%s" is no', (text) => {
    expect(readShortReply(text)).toBe('no');
  });

  it.each(['continue', 'Go on', 'resume', 'done', 'keep going'])('"%s" goes on', (text) => {
    expect(readShortReply(text)).toBe('continue');
  });

  it.each([
    'yes but in Go',
    'no, write it in Go',
    'run it on the other file',
    'run the tests',
    '2',
    'do not delete the tests, rename them',
    'stop the server',
    'go test ./...',
    '',
    'okay then review src',
  ])('"%s" is a message of its own', (text) => {
    expect(readShortReply(text)).toBeUndefined();
  });
});

describe('a choice', () => {
  it.each([
    ['2', 2],
    ['2.', 2],
    ['#2', 2],
    ['option 2', 2],
    ['Plan 2)', 2],
    ['the second one', 2],
    ['2nd', 2],
    ['I want the third', 3],
    ['two', 2],
    ['the first one please', 1],
    ['the last one', -1],
    ['yes, 1', 1],
    ['one', 1],
  ])('"%s" is number %i', (text, number) => {
    expect(readChoice(text)).toBe(number);
  });

  it.each(['yes', 'run 2 tests', 'the first file', '2 and 3', '', 'review line 2'])(
    '"%s" is none',
    (text) => {
      expect(readChoice(text)).toBeUndefined();
    },
  );
});
