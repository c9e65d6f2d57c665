import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { aFolder } from './support/run-tutti.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const ask = 'npm config get update-notifier';

it.each([
  ['here', ['sh', '-c', ask]],
  ['in a recipe', ['make', '--silent', `--eval=probe: ; @${ask}`, 'probe']],
  [
    'in a recipe for another folder',
    ['make', '--silent', `--eval=probe: ; @${ask} --prefix test/servers`, 'probe'],
  ],
])('npm %s says nothing about newer versions of itself', (_where, [command = '', ...args]) => {
  // A user without settings of their own.
  const env = { PATH: process.env['PATH'], HOME: aFolder() };
  expect(execFileSync(command, args, { cwd, env, encoding: 'utf8' })).toBe('false\n');
});
