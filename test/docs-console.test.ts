import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { followPage, parseConsoleBlocks } from './support/console-page.ts';
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
