import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../kernel/index.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aWorkspace } from '../../../../testkit/toolbox/workspace/a-workspace.ts';
import { createWorkspaceServer } from '../workspace-server.ts';

/** All there is in a folder, but for the data directory. */
function entriesOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !name.startsWith('home')).sort();
}

describe('apply_changes', () => {
  it('writes one file and shows the diff', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'one\ntwo\n' });
    expect(await call('apply_changes', { path: 'a.txt', content: 'one\n2\n' })).toMatchObject({
      change_id: expect.any(String),
      files: [{ path: 'a.txt', action: 'modified', added: 1, removed: 1 }],
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n2\n');
  });

  it('adds to the end of a file, on a line of its own and with its line endings', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'one', 'b.txt': 'one\r\n' });
    const changes = ['a.txt', 'b.txt', 'new.txt'].map((path) => ({ path, append: 'two\n' }));
    await call('apply_changes', { changes });
    const texts = changes.map(({ path }) => readFileSync(join(root, path), 'utf8'));
    expect(texts).toEqual(['one\ntwo\n', 'one\r\ntwo\r\n', 'two\n']);
  });

  it('creates, patches and deletes several files together', async () => {
    const { call, root } = aWorkspace({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b' });
    const answer = await call('apply_changes', {
      changes: [
        { path: 'a.txt', diff: '@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n' },
        { path: 'new/deep/c.txt', content: 'c' },
        { path: 'b.txt', delete: true },
      ],
    });
    expect(answer.files.map(({ action }) => action)).toEqual(['modified', 'created', 'deleted']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('1\nzwei\n3\n');
    expect(readFileSync(join(root, 'new/deep/c.txt'), 'utf8')).toBe('c');
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
  });

  it('refuses to write back what stands in place of hidden secrets', async () => {
    const { call, root } = aWorkspace({ 'a.py': 'KEY = "x"\nn = 1\n' });
    const content = 'KEY = "[hidden aws-access-key-id]"\nn = 2\n';
    expect(await call('apply_changes', { path: 'a.py', content })).toMatchObject({
      code: 'workspace.invalid_change',
    });
    expect(readFileSync(join(root, 'a.py'), 'utf8')).toContain('n = 1');
  });

  it('changes nothing when one of several changes is refused', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'a' });
    const changes = [
      { path: 'a.txt', content: 'A' },
      { path: 'new/b.txt', content: 'b' },
      { path: 'a.txt/c.txt', content: 'c' },
    ];
    expect(await call('apply_changes', { changes })).toMatchObject({
      code: 'workspace.path_refused',
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it.each([
    ['CRLF', 'a\r\nb\r\n', 'x\nb\n', 'x\r\nb\r\n'],
    ['CRLF given as such', 'a\r\n', 'x\r\ny\r\n', 'x\r\ny\r\n'],
    ['mixed endings', 'a\r\nb\nc\r\n', 'a\nnew\nb\nc\n', 'a\r\nnew\r\nb\nc\r\n'],
    ['LF', 'a\nb\n', 'x\ny', 'x\ny'],
    ['no final newline', 'a\r\nb', 'a\nc', 'a\r\nc'],
    ['a byte order mark', '\ufeffa\n', 'b\n', '\ufeffb\n'],
    ['a byte order mark given again', '\ufeffa\n', '\ufeffb\n', '\ufeffb\n'],
  ])('keeps %s', async (_name, before, content, after) => {
    const { call, root } = aWorkspace({ 'a.txt': before });
    await call('apply_changes', { path: 'a.txt', content });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(after);
  });

  it('keeps UTF-16 and permissions', async () => {
    const { call, root } = aWorkspace({ 'a.txt': Buffer.from('\ufeffä\r\n', 'utf16le') });
    chmodSync(join(root, 'a.txt'), 0o751);
    await call('apply_changes', { path: 'a.txt', diff: '@@ -1 +1 @@\n-ä\n+ö\n' });
    expect(readFileSync(join(root, 'a.txt'))).toEqual(Buffer.from('\ufeffö\r\n', 'utf16le'));
    expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o751);
  });

  it('gives no id when every file already is as wanted', async () => {
    const { call } = aWorkspace({ 'a.txt': 'a' });
    expect(await call('apply_changes', { path: 'a.txt', content: 'a' })).toMatchObject({
      change_id: null,
      files: [{ action: 'unchanged' }],
      diff: '',
    });
  });

  it('refuses what changed since it was read', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'a' });
    const { hash } = await call('read_file', { path: 'a.txt' });
    writeFileSync(join(root, 'a.txt'), 'edited');
    const change = { path: 'a.txt', content: 'b', expected_hash: hash };
    expect(await call('apply_changes', change)).toMatchObject({
      code: 'workspace.changed_on_disk',
      message: expect.stringContaining('"a.txt"'),
    });
    unlinkSync(join(root, 'a.txt'));
    expect(await call('apply_changes', change)).toMatchObject({
      code: 'workspace.changed_on_disk',
    });
    expect(existsSync(join(root, 'a.txt'))).toBe(false);
  });

  it('replaces one name of a file with several, and says so', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'a' });
    linkSync(join(root, 'a.txt'), join(root, 'b.txt'));
    const answer = await call('apply_changes', { path: 'a.txt', content: 'A' });
    expect(answer.files[0]?.['note']).toContain('1 other hard link keeps');
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('a');
  });

  it.each([
    [{ path: '../x.txt', content: '' }, 'workspace.path_refused'],
    [{ path: '/etc/passwd', content: '' }, 'workspace.path_refused'],
    [{ path: '.git/hooks/pre-commit', content: '' }, 'workspace.path_refused'],
    [{ path: 'sub/.GIT/config', content: '' }, 'workspace.path_refused'],
    [{ path: '.tutti/x', content: '' }, 'workspace.path_refused'],
    [{ path: 'TUTTI.yaml', content: '' }, 'workspace.path_refused'],
    [{ path: 'link.txt', content: '' }, 'workspace.path_refused'],
    [{ path: 'dangling.txt', content: '' }, 'workspace.path_refused'],
    [{ path: 'linked/new.txt', content: '' }, 'workspace.path_refused'],
    [{ path: 'pipe', content: '' }, 'workspace.path_refused'],
    [{ path: 'folder', content: '' }, 'workspace.path_refused'],
    [{ path: '.', content: '' }, 'workspace.path_refused'],
    [{ path: 'huge.bin', content: '' }, 'workspace.too_large'],
    [{ path: 'huge.bin', delete: true }, 'workspace.too_large'],
    [{ path: 'binary.dat', content: 'x' }, 'workspace.not_text'],
    [{ path: 'a.txt', content: 'a\0b' }, 'workspace.not_text'],
    [{ path: 'a.txt', content: '\ud800' }, 'workspace.not_text'],
    [{ path: 'new.txt', delete: true }, 'workspace.no_such_file'],
    [{ path: 'a.txt' }, 'workspace.invalid_change'],
    [{ path: 'a.txt', content: 'x', diff: 'y' }, 'workspace.invalid_change'],
    [{ content: 'x' }, 'workspace.invalid_change'],
    [{ changes: [{ path: 'a.txt', content: '' }], path: 'a.txt' }, 'workspace.invalid_change'],
    [
      {
        changes: [
          { path: 'a.txt', content: '1' },
          { path: './a.txt', content: '2' },
        ],
      },
      'workspace.invalid_change',
    ],
    [{ path: 'a.txt', diff: 'no diff' }, 'workspace.diff_refused'],
    [{ path: 'a.txt', diff: '@@ -1 +1 @@\n-other\n+x\n' }, 'workspace.diff_refused'],
    [{ path: 'a.txt', content: 'x', mode: 1 }, 'toolbox.invalid_arguments'],
  ])('refuses %j with %s and touches nothing', async (args, code) => {
    const { call, root, place } = aWorkspace({
      'a.txt': 'a',
      'binary.dat': Buffer.from([1, 0]),
      'folder/x': 'x',
      'huge.bin': '',
      '.git/config': 'x',
    });
    mkdirSync(join(place, 'outside'));
    truncateSync(join(root, 'huge.bin'), 1_073_741_824);
    symlinkSync(join(root, 'a.txt'), join(root, 'link.txt'));
    symlinkSync(join(place, 'nowhere'), join(root, 'dangling.txt'));
    symlinkSync(join(place, 'outside'), join(root, 'linked'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const before = entriesOf(place);
    expect(await call('apply_changes', args)).toMatchObject({ code });
    expect(entriesOf(place)).toEqual(before);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
  });
});

describe('a diff', () => {
  it.each([
    ['wrong counts', '@@ -1,9 +1,1 @@\n 1\n-2\n+two\n 3\n'],
    ['no numbers', '@@ @@\n 1\n-2\n+two\n 3\n'],
    ['file names', '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n'],
    [
      'the head of Git',
      'diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -2 +2 @@\n-2\n+two\n',
    ],
    ['lines that moved', '@@ -40,2 +40,2 @@\n-2\n+two\n 3\n'],
    ['CRLF', '@@ -1,3 +1,3 @@\r\n 1\r\n-2\r\n+two\r\n 3\r\n'],
  ])('with %s is applied', async (_name, diff) => {
    const { call, root } = aWorkspace({ 'a.txt': '1\n2\n3\n' });
    expect(await call('apply_changes', { path: 'a.txt', diff })).not.toHaveProperty('code');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('1\ntwo\n3\n');
  });

  it('creates a file and may leave out its last newline', async () => {
    const { call, root } = aWorkspace();
    const diff =
      '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n';
    await call('apply_changes', { path: 'a.txt', diff });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('1\n2');
  });

  it('about several files is refused', async () => {
    const { call } = aWorkspace({ 'a.txt': '1\n' });
    const one = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-1\n+2\n`;
    expect(await call('apply_changes', { path: 'a.txt', diff: one('a') + one('b') })).toMatchObject(
      {
        code: 'workspace.diff_refused',
        message: expect.stringContaining('several files'),
      },
    );
  });
});

describe('undo_changes', () => {
  it('restores contents, permissions, deleted and created files as a whole', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'a\r\n', 'b.bin': Buffer.from([0, 1]) });
    chmodSync(join(root, 'b.bin'), 0o640);
    const done = await call('apply_changes', {
      changes: [
        { path: 'a.txt', content: 'A\n' },
        { path: 'b.bin', delete: true },
        { path: 'new/c.txt', content: 'c' },
      ],
    });
    const undone = await call('undo_changes', {});
    expect(undone.files.map(({ action }) => action)).toEqual(['modified', 'created', 'deleted']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a\r\n');
    expect(readFileSync(join(root, 'b.bin'))).toEqual(Buffer.from([0, 1]));
    expect(statSync(join(root, 'b.bin')).mode & 0o777).toBe(0o640);
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'b.bin']);
    expect(await call('undo_changes', { change_id: done['change_id'] })).toMatchObject({
      code: 'workspace.no_such_change',
    });
    expect(await call('undo_changes', {})).toMatchObject({ code: 'workspace.no_such_change' });
    await call('undo_changes', { change_id: undone['change_id'] });
    expect(readFileSync(join(root, 'new/c.txt'), 'utf8')).toBe('c');
  });

  it('undoes one change after the other, or the named one', async () => {
    const { call, root } = aWorkspace({ 'a.txt': '0', 'b.txt': '0' });
    const first = await call('apply_changes', { path: 'b.txt', content: '1' });
    await call('apply_changes', { path: 'a.txt', content: '1' });
    await call('apply_changes', { path: 'a.txt', content: '2' });
    const now = () => [
      readFileSync(join(root, 'a.txt'), 'utf8'),
      readFileSync(join(root, 'b.txt'), 'utf8'),
    ];
    await call('undo_changes', { change_id: first['change_id'] });
    expect(now()).toEqual(['2', '0']);
    await call('undo_changes', {});
    expect(now()).toEqual(['1', '0']);
    await call('undo_changes', {});
    expect(now()).toEqual(['0', '0']);
  });

  it.each([
    ['content', (path: string) => writeFileSync(path, 'edited')],
    ['permissions', (path: string) => chmodSync(path, 0o600)],
    ['absence', (path: string) => unlinkSync(path)],
  ])('refuses when the %s of a file changed since, and names it', async (_name, edit) => {
    const { call, root } = aWorkspace({ 'a.txt': 'a', 'b.txt': 'b' });
    await call('apply_changes', {
      changes: [
        { path: 'a.txt', content: 'A' },
        { path: 'b.txt', content: 'B' },
      ],
    });
    edit(join(root, 'b.txt'));
    expect(await call('undo_changes', {})).toMatchObject({
      code: 'workspace.changed_on_disk',
      message: expect.stringMatching(/^"b\.txt" changed/),
    });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('A');
  });
});

describe('undo_changes without a change_id', () => {
  it('leaves the changes of other projects alone', async () => {
    const [here, there] = [aWorkspace({ 'a.txt': '0' }), aWorkspace({ 'b.txt': '0' })];
    const options = { version: '1', home: here.home, log: silentLog, roots: [there.root] };
    const other = createWorkspaceServer(options);
    await here.call('apply_changes', { path: 'a.txt', content: '1' });
    await other.callTool('apply_changes', { path: 'b.txt', content: '1' }, aCallContext());
    expect(await here.call('undo_changes', {})).toMatchObject({ files: [{ path: 'a.txt' }] });
    expect(readFileSync(join(here.root, 'a.txt'), 'utf8')).toBe('0');
    expect(await here.call('undo_changes', {})).toMatchObject({
      code: 'workspace.no_such_change',
      message: 'There is nothing to undo here',
    });
    expect(readFileSync(join(there.root, 'b.txt'), 'utf8')).toBe('1');
  });

  it('undoes no change that reaches beyond the roots', async () => {
    const [here, there] = [aWorkspace({ 'a.txt': '0' }), aWorkspace({})];
    const roots = [here.root, there.root];
    const both = createWorkspaceServer({ version: '1', home: here.home, log: silentLog, roots });
    const changes = [
      { path: 'a.txt', content: '1' },
      { path: join(there.root, 'c.txt'), content: '1' },
    ];
    await both.callTool('apply_changes', { changes }, aCallContext());
    expect(await here.call('undo_changes', {})).toMatchObject({
      message: 'There is nothing to undo here',
    });
  });

  it('is refused with the reason when another change was made after it was approved', async () => {
    const { call, server } = aWorkspace({ 'a.txt': '0', 'b.txt': '0' });
    await call('apply_changes', { path: 'a.txt', content: '1' });
    const signal = new AbortController().signal;
    const shown = await server.preview('undo_changes', {}, { signal });
    await call('apply_changes', { path: 'b.txt', content: '1' });
    const approved = { 'tutti/approvedBasis': shown?.basis };
    expect(await call('undo_changes', {}, approved)).toMatchObject({
      code: 'workspace.changed_on_disk',
      message: 'Another change has been made since the change was shown. Nothing was changed',
    });
  });
});

describe('a call of a plan', () => {
  const key = { 'tutti/idempotencyKey': 'run:step:0' };

  it('that is sent again is the same call', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'a' });
    const first = await call('apply_changes', { path: 'a.txt', content: 'b' }, key);
    writeFileSync(join(root, 'a.txt'), 'edited');
    expect(await call('apply_changes', { path: 'a.txt', content: 'b' }, key)).toEqual(first);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('edited');
    expect(await call('apply_changes', { path: 'a.txt', content: 'c' }, key)).not.toEqual(first);
  });

  it('undoes once', async () => {
    const { call, root } = aWorkspace({ 'a.txt': '0' });
    await call('apply_changes', { path: 'a.txt', content: '1' });
    await call('apply_changes', { path: 'a.txt', content: '2' });
    const first = await call('undo_changes', {}, key);
    expect(await call('undo_changes', {}, key)).toEqual(first);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('1');
  });

  it('is refused when a file is not what its approved preview showed', async () => {
    const { call, root, server } = aWorkspace({ 'a.txt': 'a' });
    const args = { path: 'a.txt', content: 'b' };
    const signal = new AbortController().signal;
    const shown = await server.preview('apply_changes', args, { signal });
    expect(shown?.text).toContain('-a\n');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
    writeFileSync(join(root, 'a.txt'), 'edited');
    const approved = { 'tutti/approvedBasis': shown?.basis };
    expect(await call('apply_changes', args, approved)).toMatchObject({
      code: 'workspace.changed_on_disk',
      message: expect.stringContaining('since the change was shown'),
    });
    writeFileSync(join(root, 'a.txt'), 'a');
    expect(await call('apply_changes', args, approved)).not.toHaveProperty('code');
  });
});
