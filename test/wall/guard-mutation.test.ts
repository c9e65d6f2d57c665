import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sampleSeeded } from '../../testkit/sample.ts';

interface Guard {
  readonly guard: string;
  readonly file: string;
  /** A text of the file that occurs once, and the text in its place that switches the guard off. */
  readonly find: string;
  readonly replace: string;
  /** The file of the wall in which a case must fail then. */
  readonly wall: string;
}

const { guards } = JSON.parse(readFileSync('test/wall/guards.json', 'utf8')) as { guards: Guard[] };

/** A copy of the sources with one guard switched off. There is no way to do that in the product. */
function aMutant({ file, find, replace }: Guard): string {
  const root = mkdtempSync(join(tmpdir(), 'tutti-mutant-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync('src', join(root, 'src'), {
    recursive: true,
    filter: (path) => !/\.test\.ts$|testdata/.test(path),
  });
  for (const name of ['node_modules', 'package.json', 'docs']) {
    symlinkSync(join(process.cwd(), name), join(root, name));
  }
  const path = join(root, file);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(find, () => replace),
  );
  return root;
}

interface Outcome {
  /** Cases that failed, at most one. A program that does not start fails the set-up, and no case. */
  readonly failed: number;
  readonly output: string;
}

async function runWall(name: string, root: string): Promise<Outcome> {
  const report = join(root, 'report.json');
  const file = `test/wall/${name}.test.ts`;
  const args = ['run', file, '--bail=1', '--reporter=json', `--outputFile=${report}`];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    env: { ...process.env, TUTTI_WALL_ROOT: root, TUTTI_PROOF: '0' },
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdout.resume();
  await once(child, 'close');
  const { numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as { numFailedTests: number };
  return { failed: numFailedTests, output };
}

describe('the list of guards', () => {
  it('names texts that occur once in the sources', () => {
    expect(guards.length).toBeGreaterThanOrEqual(30);
    for (const { guard, file, find } of guards) {
      expect([guard, readFileSync(file, 'utf8').split(find).length - 1]).toEqual([guard, 1]);
    }
  });
});

describe('the wall', () => {
  it.each(sampleSeeded(guards, 2, 3))(
    'has a case that fails without the guard "$guard"',
    async (guard) => {
      const { failed, output } = await runWall(guard.wall, aMutant(guard));
      expect(failed, output).toBeGreaterThan(0);
    },
    180_000,
  );
});
