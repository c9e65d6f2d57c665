import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../kernel/index.ts';
import { aWorkspace } from '../testing/a-workspace.ts';

function aRepository() {
  const workspace = aWorkspace({ 'src/a.ts': 'one\ntwo\n', 'b.txt': 'b\n' });
  workspace.git('init', '-q', '-b', 'main');
  workspace.git('add', '.');
  workspace.git('commit', '-qm', 'first', '--date', '2020-01-01T00:00:00Z');
  return workspace;
}

describe('git_status', () => {
  it('tells what changed, what is staged and what is untracked', async () => {
    const { call, root, git } = aRepository();
    writeFileSync(join(root, 'src/a.ts'), 'one\n');
    writeFileSync(join(root, 'new file.txt'), 'x');
    git('mv', 'b.txt', 'c.txt');
    expect(await call('git_status', {})).toMatchObject({
      branch: 'main',
      clean: false,
      files: [
        { path: 'c.txt', status: 'renamed', staged: true, unstaged: false, from: 'b.txt' },
        { path: 'src/a.ts', status: 'modified', staged: false, unstaged: true },
        { path: 'new file.txt', status: 'untracked' },
      ],
    });
  });

  it('starts no program that the repository names', async () => {
    const { call, root, git, place } = aRepository();
    const trap = join(place, 'trap');
    for (const key of ['core.fsmonitor', 'diff.external', 'filter.x.clean', 'filter.x.process']) {
      git('config', key, `touch ${trap}; cat`);
    }
    git('config', 'diff.x.textconv', `touch ${trap}; cat`);
    writeFileSync(join(root, '.gitattributes'), '* filter=x diff=x\n');
    writeFileSync(join(root, 'src/a.ts'), 'other\n');
    await call('git_status', {});
    await call('git_diff', {});
    await call('git_log', {});
    await call('git_blame', { path: 'src/a.ts' });
    expect(existsSync(trap)).toBe(false);
  });

  it.each(['git_status', 'git_diff', 'git_log'])(
    '%s says that there is no repository',
    async (tool) => {
      expect(await aWorkspace({ 'a.txt': 'a' }).call(tool, {})).toMatchObject({
        code: 'workspace.git_failed',
        message: expect.stringContaining('not in a Git repository'),
      });
    },
  );
});

describe('git_diff', () => {
  it('shows what is not committed, and what is only staged', async () => {
    const { call, root, git } = aRepository();
    writeFileSync(join(root, 'b.txt'), 'B\n');
    git('add', '.');
    writeFileSync(join(root, 'src/a.ts'), 'one\n');
    const all = await call('git_diff', {});
    expect(all.files).toEqual([
      { path: 'b.txt', added: 1, removed: 1 },
      { path: 'src/a.ts', added: 0, removed: 1 },
    ]);
    expect(all['diff']).toContain('-two');
    expect((await call('git_diff', { staged: true })).files).toHaveLength(1);
    expect((await call('git_diff', { path: 'src' })).files).toMatchObject([{ path: 'src/a.ts' }]);
  });

  it('compares with a time or a commit', async () => {
    const { call, root, git } = aRepository();
    const first = git('rev-parse', 'HEAD').trim();
    writeFileSync(join(root, 'b.txt'), 'B\n');
    git('commit', '-qam', 'second');
    expect(await call('git_diff', { since: first })).toMatchObject({ files: [{ path: 'b.txt' }] });
    expect(await call('git_diff', { since: 'yesterday' })).toMatchObject({
      base: 'an empty project',
      files: [{ path: 'b.txt' }, { path: 'src/a.ts' }],
    });
    expect(await call('git_diff', { since: '-p --output=x' })).toMatchObject({ files: [] });
    expect(existsSync(join(root, 'x'))).toBe(false);
  });

  it('works before the first commit', async () => {
    const { call, git } = aWorkspace({ 'a.txt': 'a\n' });
    git('init', '-q');
    expect(await call('git_diff', {})).toMatchObject({ files: [], untracked: ['a.txt'] });
    expect(await call('git_log', {})).toMatchObject({ commits: [] });
  });
});

describe('git_log', () => {
  it('lists commits, newest first, by path, author, time and number', async () => {
    const { call, root, git } = aRepository();
    writeFileSync(join(root, 'b.txt'), 'B\n');
    git('commit', '-qam', 'second\n\nwith a body', '--author', 'Bob <bob@example.com>');
    const subjects = async (args: object) =>
      (await call('git_log', args)).commits.map(({ subject }) => subject);
    expect(await subjects({})).toEqual(['second', 'first']);
    expect(await subjects({ path: 'src/a.ts' })).toEqual(['first']);
    expect(await subjects({ author: 'BOB' })).toEqual(['second']);
    expect(await subjects({ since: 'HEAD~1' })).toEqual(['second']);
    expect(await call('git_log', { limit: 1 })).toMatchObject({
      commits: [{ author: 'Bob', body: 'with a body' }],
      truncated: true,
    });
  });
});

describe('git_blame', () => {
  it('tells who changed each line', async () => {
    const { call, root } = aRepository();
    writeFileSync(join(root, 'src/a.ts'), 'one\nnew\n');
    expect(await call('git_blame', { path: 'src/a.ts' })).toMatchObject({
      lines: [
        { line: 1, author: 'Ann', summary: 'first', text: 'one' },
        { line: 2, hash: '0'.repeat(40), text: 'new' },
      ],
    });
    expect(await call('git_blame', { path: 'src/a.ts', start_line: 2, end_line: 2 })).toMatchObject(
      {
        lines: [{ line: 2 }],
      },
    );
  });

  it('of a folder inside a larger repository is about paths of the folder', async () => {
    const { root, place, git } = aWorkspace({ 'inner/a.txt': 'a\n' });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    writeFileSync(join(root, 'inner/a.txt'), 'b\n');
    const { createWorkspaceServer } = await import('../workspace-server.ts');
    const { aCallContext } = await import('../../testing/call-context.ts');
    const inner = createWorkspaceServer({
      version: '1',
      roots: [join(root, 'inner')],
      home: place,
      log: silentLog,
    });
    for (const tool of ['git_status', 'git_diff']) {
      const { structuredContent } = await inner.callTool(tool, {}, aCallContext());
      expect(structuredContent).toMatchObject({ files: [{ path: 'a.txt' }] });
    }
  });
});
