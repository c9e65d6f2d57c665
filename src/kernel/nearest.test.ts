import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const commands = ['call', 'tools', 'resources', 'prompts', 'serve', 'config'];

it.each([
  ['tool', 'tools'],
  ['slevre', 'serve'],
  ['slveer', undefined],
  ['sevre', 'serve'],
  ['cofnig', 'config'],
  ['TOOLS', 'tools'],
  ['resorces', 'resources'],
  ['cal', 'call'],
  ['banana', undefined],
  ['', undefined],
  ['res', 'resources'],
  ['c', undefined],
])('"%s" most likely meant %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant);
});

it('compares only the beginning of very long words', () => {
  const long = 'x'.repeat(1_000_000);
  expect(nearest(long, [`${long}y`, 'z'])).toBe(`${long}y`);
});
