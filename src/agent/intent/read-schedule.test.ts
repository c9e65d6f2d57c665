import { expect, it } from 'vitest';
import { readSchedule } from './read-schedule.ts';

it.each([
  ['every friday run the linter', 'every friday', 'run the linter'],
  ['run the linter every friday at 9am', 'every friday at 9am', 'run the linter'],
  ['review src daily', 'daily', 'review src'],
  ['tomorrow at 8:30, scan for secrets', 'tomorrow at 8:30', 'scan for secrets'],
  ['scan for secrets every 2 hours', 'every 2 hours', 'scan for secrets'],
  ['remind me on friday to update the changelog', 'on friday', 'update the changelog'],
  ['jeden Montag die Tests laufen lassen', 'jeden Montag', 'die Tests laufen lassen'],
])('reads when and what: "%s"', (words, when, deed) => {
  expect(readSchedule(words)).toEqual({ when, deed });
});

it.each([
  'run the tests',
  'what changed since monday?',
  'what did I do on monday?',
  'write a script that runs every day',
  'show every test',
  'who changed this last week?',
])('finds no schedule in "%s"', (words) => {
  expect(readSchedule(words)).toBeUndefined();
});
