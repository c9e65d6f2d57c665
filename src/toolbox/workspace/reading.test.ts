import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../kernel/index.ts';
import { aWorkspace, type Answer } from '../../../testkit/toolbox/workspace/a-workspace.ts';

describe('read_file', () => {
  it('gives the text of a file with what a later change needs to know', async () => {
    const { call } = aWorkspace({ 'src/a.ts': 'one\ntwo\nthree' });
    expect(await call('read_file', { path: 'src/a.ts' })).toMatchObject({
      path: 'src/a.ts',
      content: 'one\ntwo\nthree',
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      lines: 3,
      truncated: false,
      encoding: 'utf-8',
      line_endings: 'lf',
    });
  });

  it('gives a range of lines', async () => {
    const { call } = aWorkspace({ 'a.txt': 'one\ntwo\nthree\n' });
    expect(await call('read_file', { path: 'a.txt', offset: 2, limit: 1 })).toMatchObject({
      content: 'two\n',
      truncated: true,
      lines: 3,
    });
  });

  it.each([
    ['utf-8', 'lf', Buffer.from('a\nä\n')],
    ['utf-8-bom', 'crlf', Buffer.from('\ufeffa\r\nä\r\n')],
    ['utf-16le', 'mixed', Buffer.from('\ufeffa\r\nä\n', 'utf16le')],
    ['utf-16be', 'none', Buffer.from('\ufeffaä', 'utf16le').swap16()],
  ])('reads %s with line endings %s', async (encoding, endings, bytes) => {
    const { call } = aWorkspace({ 'a.txt': bytes });
    const answer = await call('read_file', { path: 'a.txt' });
    expect(answer).toMatchObject({ encoding, line_endings: endings });
    expect(answer['content']).toMatch(/^a\r?\n?ä/);
  });

  it.each([
    ['binary.dat', 'workspace.not_text', 'binary'],
    ['latin1.txt', 'workspace.not_text', 'encoding'],
    ['missing.txt', 'workspace.no_such_file', 'missing.txt'],
    ['huge.bin', 'workspace.too_large', '1073741824 bytes'],
    ['folder', 'workspace.path_refused', 'folder'],
    ['link.txt', 'workspace.path_refused', 'symbolic link'],
    ['linked/inner.txt', 'workspace.path_refused', 'symbolic link'],
    ['pipe', 'workspace.path_refused', 'named pipe'],
    ['../outside.txt', 'workspace.path_refused', '".."'],
    ['folder/../a.txt', 'workspace.path_refused', '".."'],
    ['/etc/hosts', 'workspace.path_refused', 'outside'],
    ['.git/config', 'workspace.path_refused', 'Git'],
    ['.GIT/config', 'workspace.path_refused', 'Git'],
    ['folder/.Git./config', 'workspace.path_refused', 'Git'],
    ['.g\u200cit/config', 'workspace.path_refused', 'Git'],
    ['GIT~1/config', 'workspace.path_refused', 'Git'],
    ['.tutti/standards/a.md', 'workspace.path_refused', 'Tutti'],
    ['Tutti.YAML', 'workspace.path_refused', 'Tutti'],
    ['a\0.txt', 'workspace.path_refused', 'control characters'],
  ])('refuses %j with %s', async (path, code, words) => {
    const { call, root, place } = aWorkspace({
      'a.txt': 'a',
      'binary.dat': Buffer.from([1, 0, 2]),
      'latin1.txt': Buffer.from([0x61, 0xe4]),
      'folder/inner.txt': 'inner',
      'huge.bin': '',
      '.git/config': 'x',
    });
    writeFileSync(join(place, 'outside.txt'), 'outside');
    truncateSync(join(root, 'huge.bin'), 1_073_741_824);
    symlinkSync(join(root, 'a.txt'), join(root, 'link.txt'));
    symlinkSync(join(root, 'folder'), join(root, 'linked'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const answer = await call('read_file', { path });
    expect(answer).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('refuses a socket', async () => {
    const { call, root } = aWorkspace();
    const listening = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => listening.once('listening', resolve));
    const answer = await call('read_file', { path: 'socket' });
    listening.close();
    expect(answer).toMatchObject({ message: expect.stringContaining('socket') });
  });

  it('refuses the data directory where it lies in a root', async () => {
    const { server } = aWorkspace();
    const { root } = aWorkspace({ 'data/secret.txt': 'x' });
    const { createWorkspaceServer } = await import('./workspace-server.ts');
    const own = createWorkspaceServer({
      version: '1',
      roots: [root],
      home: join(root, 'data'),
      log: silentLog,
    });
    const { aCallContext } = await import('../../../testkit/toolbox/call-context.ts');
    const result = await own.callTool('read_file', { path: 'data/secret.txt' }, aCallContext());
    expect(result.content[0]?.['text']).toContain('data directory of Tutti');
    expect(server.name).toBe('workspace');
  });

  it('reads through a hard link, which is a file like others', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'a' });
    linkSync(join(root, 'a.txt'), join(root, 'b.txt'));
    expect(await call('read_file', { path: 'b.txt' })).toMatchObject({ content: 'a' });
  });
});

describe('list_files', () => {
  const project = {
    '.gitignore': '*.log\n/build/\n!keep.log\n',
    'src/a.ts': 'a',
    'src/b.js': 'bb',
    'src/.gitignore': 'generated.ts\n',
    'src/generated.ts': 'x',
    'generated.ts': 'x',
    'debug.log': 'x',
    'keep.log': 'x',
    'build/out.js': 'x',
    'src/build/in.js': 'x',
    'node_modules/p/index.js': 'x',
  };
  const paths = ({ files }: Answer) => files.map(({ path }) => path);

  it('lists what Git does not ignore, the same with and without a repository', async () => {
    const { call, git } = aWorkspace(project);
    const before = paths(await call('list_files', {}));
    git('init', '-q');
    const expected = git('ls-files', '-co', '--exclude-standard').trim().split('\n');
    expect(before).toEqual(expected.filter((path) => !path.startsWith('node_modules')).sort());
    expect(paths(await call('list_files', {}))).toEqual(before);
  });

  it('lists one folder, by the rules of the folders above it', async () => {
    const { call, git } = aWorkspace({ ...project, 'src/x.log': 'x' });
    git('init', '-q');
    expect(paths(await call('list_files', { path: 'src' }))).toEqual([
      'src/.gitignore',
      'src/a.ts',
      'src/b.js',
      'src/build/in.js',
    ]);
  });

  it('filters by a pattern and says what it left out', async () => {
    const { call } = aWorkspace(project);
    expect(paths(await call('list_files', { pattern: '*.ts' }))).toEqual([
      'generated.ts',
      'src/a.ts',
    ]);
    expect(paths(await call('list_files', { pattern: 'src/**/*.js' }))).toEqual([
      'src/b.js',
      'src/build/in.js',
    ]);
    expect(await call('list_files', { limit: 1 })).toMatchObject({ total: 7, truncated: true });
  });

  it('names links and follows none', async () => {
    const { call, root, place } = aWorkspace();
    mkdirSync(join(place, 'elsewhere'));
    writeFileSync(join(place, 'elsewhere', 'secret'), 'x');
    symlinkSync(join(place, 'elsewhere'), join(root, 'link'));
    expect(await call('list_files', {})).toMatchObject({ files: [{ path: 'link', kind: 'link' }] });
  });

  it('refuses a folder that is not there', async () => {
    expect(await aWorkspace().call('list_files', { path: 'no' })).toMatchObject({
      code: 'workspace.no_such_file',
    });
  });
});

describe('search_text', () => {
  it('finds text in all files, whatever its case, with line and column', async () => {
    const { call } = aWorkspace({ 'a.ts': 'x\n  // Todo (one)\r\n', 'b/c.md': 'TODO (one)' });
    expect(await call('search_text', { query: 'todo (' })).toMatchObject({
      matches: [
        { path: 'a.ts', line: 2, column: 6, text: '  // Todo (one)' },
        { path: 'b/c.md', line: 1, column: 1 },
      ],
      total: 2,
      truncated: false,
    });
    expect(await call('search_text', { query: 'TODO', case_sensitive: true })).toMatchObject({
      total: 1,
    });
  });

  it('leaves out what the call excludes', async () => {
    const { call } = aWorkspace({ 'a.ts': 'one', 'b/c.ts': 'one', 'b/d.md': 'one' });
    expect(await call('search_text', { query: 'one', exclude: ['*.md', '/a.ts'] })).toMatchObject({
      matches: [{ path: 'b/c.ts' }],
      total: 1,
    });
    expect(await call('list_files', { exclude: ['b'] })).toMatchObject({
      files: [{ path: 'a.ts' }],
      total: 1,
    });
  });

  it('takes regular expressions and refuses those that are wrong or take for ever', async () => {
    const { call } = aWorkspace({ 'a.ts': `let a1;\n${'a'.repeat(40)}!\n` });
    expect(await call('search_text', { query: '\\ba\\d', regex: true })).toMatchObject({
      total: 1,
    });
    expect(await call('search_text', { query: 'let\\-?', regex: true })).toMatchObject({
      total: 1,
    });
    for (const query of ['(', '(a+)+$']) {
      expect(await call('search_text', { query, regex: true })).toMatchObject({
        code: 'workspace.invalid_pattern',
      });
    }
  });

  it('counts the files it could not search', async () => {
    const { call } = aWorkspace({ 'a.bin': Buffer.from([0, 1]), 'b.txt': 'find me' });
    expect(await call('search_text', { query: 'me' })).toMatchObject({
      total: 1,
      files_searched: 1,
      files_skipped: 1,
    });
  });
});
