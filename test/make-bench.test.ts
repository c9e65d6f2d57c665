import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { aFolder } from './support/run-tutti.ts';

/** A checkout in which everything is built, and a `node` that notes what it is to run and fails where it is told to. */
function aCheckout(failing: string) {
  const folder = aFolder();
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    // Older than the stamps below.
    utimesSync(join(folder, path), 1, 1);
  };
  copyFileSync('Makefile', join(folder, 'Makefile'));
  const peers = ['bench/gateway', 'bench/workflow', 'bench/agent'];
  for (const at of ['.', ...peers]) {
    for (const name of ['package.json', 'package-lock.json']) put(join(at, name), '{}');
  }
  for (const path of ['scripts/install.sh', 'scripts/build.ts', 'tsconfig.json']) put(path, '');
  const stub = `#!/bin/sh\necho "$*" >>ran\ncase "$*" in *${failing}*) exit 1;; esac\n`;
  put('node_modules/.bin/node', stub);
  chmodSync(join(folder, 'node_modules/.bin/node'), 0o755);
  for (const at of ['.', ...peers]) {
    mkdirSync(join(folder, at, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, at, 'node_modules/.installed'), '');
  }
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/.built'), '');
  return (target: string) => {
    const env = { PATH: ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter) };
    const { status, stdout } = spawnSync('make', [target], { cwd: folder, env, encoding: 'utf8' });
    return { status, stdout, ran: readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n') };
  };
}

it('"make bench" goes on after a bench that misses its limit, and names it at the end', () => {
  const { status, stdout, ran } = aCheckout('bench/planning')('bench');
  expect(ran).toHaveLength(9);
  expect(ran).toContain('bench/planning/run.ts');
  expect(ran.at(-1)).toBe('bench/run.ts');
  expect(stdout.trim().split('\n').at(-1)).toBe('Missed a limit, or failed: bench-planning');
  expect(status).not.toBe(0);
});

it('"make bench" ends with 0 where all are within their limits', () => {
  expect(aCheckout('bench/none')('bench')).toMatchObject({ status: 0 });
});

it('"make bench-planning" alone ends with what it measured', () => {
  expect(aCheckout('bench/planning')('bench-planning').status).not.toBe(0);
});
