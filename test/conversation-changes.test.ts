import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, runTutti } from './support/run-tutti.ts';

/** A conversation in a project of its own, in which each message is a process. */
function aTalk(files: Readonly<Record<string, string>>) {
  const cwd = aFolder();
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  let session: readonly string[] = [];
  const say = async (message: string) => {
    const { stdout } = await runTutti(['ask', message, ...session, '--json'], { cwd });
    session = ['--session', 'last'];
    return JSON.parse(stdout);
  };
  /** Accepts the plan that is shown and approves its effect, whose preview it returns. */
  const accept = async () => {
    const { runId } = await say('yes');
    const { stderr, stdout } = await runTutti(['runs', 'show', runId], { cwd });
    const [, step = ''] = /runs approve \S+ (\S+)/u.exec(stdout + stderr) ?? [];
    await runTutti(['runs', 'approve', runId, step], { cwd });
    await say('continue');
    return stdout + stderr;
  };
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  return { cwd, say, accept, read };
}

describe('undo in a conversation', { timeout: 120_000 }, () => {
  it('takes back the change that is named, also when others came after it', async () => {
    const { say, accept, read } = aTalk({ 'shop.py': 'cost = 1\n', 'notes.md': '# Notes\n' });
    await say('rename cost to price everywhere');
    await accept();
    await say('append "buy milk" to notes.md');
    await accept();
    expect(read('shop.py')).toBe('price = 1\n');
    await say('undo the rename');
    const preview = await accept();
    expect(preview).toContain('replace "cost" with "price" (shop.py)');
    expect(read('shop.py')).toBe('cost = 1\n');
    expect(read('notes.md')).toContain('buy milk');
  });
});

describe('saving in a conversation', { timeout: 120_000 }, () => {
  it('writes what was shown to a file after one approval', async () => {
    const { say, accept, read } = aTalk({ 'shop.py': 'def f( a ):return a\n' });
    await say('review shop.py');
    await say('yes');
    await say('put the findings into found.md');
    expect(await accept()).toContain('+++ b/found.md');
    expect(read('found.md')).toMatch(/shop\.py:1:1/u);
  });
});
