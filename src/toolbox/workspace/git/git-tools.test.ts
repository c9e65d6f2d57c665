import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../kernel/index.ts';
import { aWorkspace } from '../../../../testkit/toolbox/workspace/a-workspace.ts';

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
    expect(await call('git_diff', { since: 'the last commit' })).toMatchObject({ files: [] });
    for (const since of ['-p --output=x', 'the first banana']) {
      for (const tool of ['git_diff', 'git_log']) {
        expect(await call(tool, { since })).toMatchObject({ code: 'workspace.no_such_commit' });
      }
    }
    expect(existsSync(join(root, 'x'))).toBe(false);
  });

  it('shows what one commit changed', async () => {
    const { call, root, git } = aRepository();
    writeFileSync(join(root, 'b.txt'), 'B\n');
    git('commit', '-qam', 'second');
    writeFileSync(join(root, 'b.txt'), 'later\n');
    writeFileSync(join(root, 'new.txt'), 'n');
    const last = await call('git_diff', { commit: 'HEAD' });
    expect(last).toMatchObject({ files: [{ path: 'b.txt' }], untracked: [] });
    expect(last['diff']).toContain('+B');
    expect(last['about']).toMatch(/^[0-9a-f]{7,} \d{4}-\d\d-\d\d .+: second$/);
    const first = await call('git_diff', { commit: git('rev-parse', 'HEAD^').trim().slice(0, 8) });
    expect(first).toMatchObject({ base: 'an empty project' });
    expect(first.files).toHaveLength(2);
    expect(await call('git_diff', { commit: 'abcdef1' })).toMatchObject({
      code: 'workspace.no_such_commit',
    });
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
    const { aCallContext } = await import('../../../../testkit/toolbox/call-context.ts');
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

describe('git_commit', () => {
  const subjects = (git: (...args: string[]) => string) =>
    git('log', '--format=%s').trim().split('\n');

  function aChangedRepository() {
    const workspace = aRepository();
    workspace.git('config', 'user.name', 'Ann');
    workspace.git('config', 'user.email', 'ann@example.com');
    writeFileSync(join(workspace.root, 'b.txt'), 'B\n');
    writeFileSync(join(workspace.root, 'src/a.ts'), 'A\n');
    writeFileSync(join(workspace.root, 'new.txt'), 'new\n');
    return workspace;
  }

  it('commits the given paths, new files too, and leaves the rest', async () => {
    const { call, git } = aChangedRepository();
    git('add', 'b.txt');
    const answer = await call('git_commit', { message: 'second', paths: ['src', 'new.txt'] });
    expect(answer).toMatchObject({
      commit: git('rev-parse', 'HEAD').trim(),
      branch: 'main',
      files: [{ path: 'new.txt' }, { path: 'src/a.ts', added: 1, removed: 2 }],
    });
    expect(git('status', '--porcelain')).toBe('M  b.txt\n');
  });

  it('commits what is staged, else every tracked change, and names new files', async () => {
    const { call, git, root } = aChangedRepository();
    git('add', 'b.txt');
    expect(await call('git_commit', { message: 'staged' })).toMatchObject({
      files: [{ path: 'b.txt' }],
    });
    expect(git('status', '--porcelain')).toBe(' M src/a.ts\n?? new.txt\n');
    expect(await call('git_commit', { message: 'rest' })).toMatchObject({
      files: [{ path: 'src/a.ts' }],
    });
    expect(git('status', '--porcelain')).toBe('?? new.txt\n');
    expect(await call('git_commit', { message: 'none' })).toMatchObject({
      code: 'workspace.git_failed',
      message: expect.stringContaining('only when named: new.txt ("." names all)'),
    });
    unlinkSync(join(root, 'new.txt'));
    expect(await call('git_commit', { message: 'none' })).toMatchObject({
      message: expect.stringContaining('nothing to commit'),
    });
    expect(subjects(git)).toEqual(['rest', 'staged', 'first']);
  });

  it('makes the first commit of a repository, with deleted files later', async () => {
    const { call, git, root } = aWorkspace({ 'a.txt': 'a', 'b.txt': 'b' });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Ann');
    git('config', 'user.email', 'ann@example.com');
    expect(await call('git_commit', { message: 'first', paths: ['.'] })).toMatchObject({
      files: [{ path: 'a.txt' }, { path: 'b.txt' }],
    });
    unlinkSync(join(root, 'a.txt'));
    await call('git_commit', { message: 'second', paths: ['a.txt'] });
    expect(git('ls-files')).toBe('b.txt\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('runs no hook', async () => {
    const { call, root, git, place } = aChangedRepository();
    const hook = join(root, '.git/hooks/pre-commit');
    writeFileSync(hook, `#!/bin/sh\ntouch ${place}/trap\n`, { mode: 0o755 });
    await call('git_commit', { message: 'second' });
    expect([existsSync(join(place, 'trap')), subjects(git).length]).toEqual([false, 2]);
  });

  it('sent again under its key makes one commit', async () => {
    const { call, git } = aChangedRepository();
    const key = { 'tutti/idempotencyKey': 'run:commit:0' };
    const first = await call('git_commit', { message: 'second' }, key);
    expect(await call('git_commit', { message: 'second' }, key)).toEqual(first);
    expect(subjects(git)).toEqual(['second', 'first']);
  });

  it('commits what was shown or nothing, and shows without touching the index', async () => {
    const { call, root, git, server } = aChangedRepository();
    const request = { message: 'second', paths: ['b.txt'] };
    const { signal } = new AbortController();
    const shown = await server.preview('git_commit', request, { signal });
    expect(shown?.text).toContain('without running hooks: second');
    expect(shown?.text).toContain('+B');
    expect(git('diff', '--cached', '--name-only')).toBe('');
    writeFileSync(join(root, 'b.txt'), 'other\n');
    const approved = { 'tutti/approvedBasis': shown?.basis };
    expect(await call('git_commit', request, approved)).toMatchObject({
      code: 'workspace.changed_on_disk',
    });
    writeFileSync(join(root, 'b.txt'), 'B\n');
    expect(await call('git_commit', request, approved)).toHaveProperty('commit');
  });

  it('shows which new files stay out of a commit without paths', async () => {
    const { server } = aChangedRepository();
    const { signal } = new AbortController();
    const shown = await server.preview('git_commit', { message: 'second' }, { signal });
    expect(shown?.text).toContain('Left out, not tracked: new.txt');
  });

  it('refuses paths outside the project and does not commit in the middle of a merge', async () => {
    const { call, git } = aChangedRepository();
    expect(await call('git_commit', { message: 'x', paths: ['../x'] })).toMatchObject({
      code: 'workspace.path_refused',
    });
    git('update-ref', 'MERGE_HEAD', 'HEAD');
    expect(await call('git_commit', { message: 'x' })).toMatchObject({
      message: expect.stringContaining('merge'),
    });
  });
});
