import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aContexts } from '../../../testkit/memory/a-contexts.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { runMain, type Ran } from '../../../testkit/cli/run-main.ts';

/** A terminal in a folder of its own, with contexts on a real store. */
function aTerminal() {
  const cwd = aDirectory();
  const { contexts } = aContexts();
  const settings = {
    warnings: [],
    describe: () => [{ key: 'roots', value: [cwd], source: 'default', description: '' }],
  };
  const run = async (argv: readonly string[], stdin?: string): Promise<Ran> => {
    const compose = await createFakeSystem().compose();
    const openSystem: typeof compose.openSystem = async (wanted) => ({
      ...(await compose.openSystem(wanted)),
      contexts,
      settings,
    });
    return runMain(['contexts', ...argv], {
      ...(stdin !== undefined && { stdin }),
      io: { cwd, compose: async () => ({ ...compose, openSystem }) },
    });
  };
  return { cwd, run };
}

describe('tutti contexts', () => {
  it('makes versions of files, standard input and texts, shows and compares them', async () => {
    const { cwd, run } = aTerminal();
    writeFileSync(join(cwd, 'style.md'), 'Tabs.\n');
    const made = await run(['create', 'style', '@style.md', '-', 'Be short.', '@@here'], 'piped');
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^style@1: 4 items/)]);
    const shown = JSON.parse((await run(['show', 'style', '--json'])).stdout);
    expect(
      shown.context.items.map((item: { kind: string; title: string; text: string }) => [
        item.kind,
        item.title,
        item.text,
      ]),
    ).toEqual([
      ['file', 'style.md', 'Tabs.\n'],
      ['text', 'standard input', 'piped'],
      ['text', 'Be short.', 'Be short.'],
      ['text', '@here', '@here'],
    ]);
    writeFileSync(join(cwd, 'style.md'), 'Spaces.\n');
    await run(['create', 'style', '@style.md', '--add']);
    const { stdout } = await run(['diff', 'style@1', 'style']);
    expect(stdout).toContain('changed style.md (file)\n@@ -1,1 +1,1 @@\n-Tabs.\n+Spaces.');
    expect((await run(['diff', 'style', 'style@2'])).stdout).toBe('The items are the same\n');
    expect((await run(['versions', 'style'])).stdout.split('\n')).toHaveLength(3);
    expect((await run([])).stdout).toMatch(/^style@2 {2}ctx-[0-9a-f]{12} /);
  });

  it('says what was left out of a text', async () => {
    const { run } = aTerminal();
    await run(['create', 'long', 'word '.repeat(500), 'short']);
    const { stdout, stderr } = await run(['text', 'long', '--tokens', '100']);
    expect(stdout).toContain('… (cut)');
    expect(stderr).toMatch(/cut to fit into 100 tokens: word[^]*left out: short/);
  });

  it('exports to a file that is not replaced unasked, and imports it again', async () => {
    const { cwd, run } = aTerminal();
    await run(['create', 'a', 'x']);
    expect((await run(['export', 'a', 'a.jsonl'])).exitCode).toBe(0);
    expect((await run(['export', 'a', 'a.jsonl'])).exitCode).toBe(2);
    expect((await run(['export', 'a', 'a.jsonl', '--force'])).exitCode).toBe(0);
    await run(['remove', 'a']);
    expect((await run(['show', 'a'])).exitCode).toBe(2);
    expect((await run(['import', 'a.jsonl'])).stdout).toMatch(/^1 version imported, 0 known/);
    expect((await run(['export', 'a'])).stdout).toBe(readFileSync(join(cwd, 'a.jsonl'), 'utf8'));
    expect((await run(['import', '-'], '{}')).stderr).toContain('line 1');
  });

  it('shares with callers and says with whom', async () => {
    const { run } = aTerminal();
    await run(['create', 'a', 'x']);
    expect((await run(['share', 'a', 'acme/bob'])).stdout).toBe('a can be read by acme/bob\n');
    expect((await run(['unshare', 'a', 'acme/bob'])).stdout).toContain('no other caller');
    expect((await run(['share', 'a', 'not a caller'])).stderr).toContain('share_refused');
  });

  it('is named by a prompt, whose messages it then follows', async () => {
    const { stdout } = await runMain(['prompts', 'fake.greet', 'who=Ada', '--context', 'notes']);
    expect(stdout).toBe('[user]\nGreet Ada\n\n[user]\nUse tabs.\n');
  });
});

describe('tutti feedback and tutti learned', () => {
  it('store an opinion, and show the weeks', async () => {
    const given = await runMain(['feedback', 'r1', 'down', 'too', 'slow', '--json']);
    expect(JSON.parse(given.stdout)).toMatchObject({ isGood: false, reason: 'too slow' });
    expect((await runMain(['feedback', 'r1', 'maybe'])).exitCode).toBe(2);
    expect((await runMain(['feedback'])).stdout).toContain('There is no feedback yet');
    const { stdout } = await runMain(['learned', '--weeks', '1']);
    expect(stdout).toMatch(/^week +runs[^]*2026-W47 +8 +2 +1 +– +1 +1 min +3 +1 +4 +1/);
    expect((await runMain(['learned', '--weeks', '0'])).exitCode).toBe(2);
  });
});
