import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { followPage, parseConsoleBlocks } from './support/console-page.ts';
import { aFolder, runTutti } from './support/run-tutti.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

const limitMs = 300_000;

// Both pages run tests in the sandbox, which needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(
  `a reader who types what the page says${whyNoBubblewrap}`,
  () => {
    it.each(['README.md', 'docs/tutorial.md'])(
      'gets the output of %s',
      { timeout: limitMs },
      (page) => {
        const folder = mkdtempSync(join(tmpdir(), 'tutti-'));
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
        const steps = parseConsoleBlocks(readFileSync(page, 'utf8'));
        expect(steps.length).toBeGreaterThan(2);
        expect(followPage(steps, folder)).toEqual([]);
      },
    );
  },
);

/** Lines of the `sh` blocks of a page, without comments. */
function shellLines(page: string): string[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)];
  return blocks
    .flatMap((match) => (match[1] ?? '').split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');
}

describe('a command without shown output', () => {
  const pages = ['README.md', 'docs/tutorial.md'];
  const lines = pages.flatMap((page) => shellLines(page).map((line) => ({ page, line })));
  const told = lines.filter(({ line }) => line.startsWith('tutti '));
  it.each(told)('works in a new home, or asks first: $line ($page)', async ({ line }) => {
    const cwd = aFolder();
    // A client to connect to.
    mkdirSync(join(cwd, '.cursor'));
    const { exitCode, stderr } = await runTutti(line.split(/ +/).slice(1), { cwd });
    // 4: without a terminal nothing is written before the reader agrees.
    expect([0, 4], stderr).toContain(exitCode);
    expect(stderr).not.toContain('error:');
  });

  it('that begins with make names a target', () => {
    const makefile = readFileSync('Makefile', 'utf8');
    const help = lines.flatMap(({ line }) => /\bmake ([\w-]+)/.exec(line)?.[1] ?? []);
    expect(help).toContain('install');
    for (const target of help) expect(makefile).toMatch(new RegExp(`^${target}:`, 'm'));
  });
});
