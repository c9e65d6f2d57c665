import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aWorkspace } from '../../../testkit/toolbox/workspace/a-workspace.ts';

describe('replace_text', () => {
  it('replaces whole words in all files of the project, as one change', async () => {
    const { call, root } = aWorkspace({
      'a.py': 'total = get(1)\nget_all = get\r\n',
      'src/b.py': 'widget()\nget()',
      '.gitignore': 'out/\n',
      'out/c.py': 'get()',
    });
    const { files } = await call('replace_text', { find: 'get', replace_with: 'load$1' });
    expect(files.map(({ path }) => path)).toEqual(['a.py', 'src/b.py']);
    expect(readFileSync(join(root, 'a.py'), 'utf8')).toBe(
      'total = load$1(1)\nget_all = load$1\r\n',
    );
    expect(readFileSync(join(root, 'src/b.py'), 'utf8')).toBe('widget()\nload$1()');
    expect(readFileSync(join(root, 'out/c.py'), 'utf8')).toBe('get()');
    await call('undo_changes', {});
    expect(readFileSync(join(root, 'src/b.py'), 'utf8')).toBe('widget()\nget()');
  });

  it('replaces parts of words where asked to, in the folder that is named', async () => {
    const { call, root } = aWorkspace({
      'a.txt': 'cats',
      'in/b.txt': 'cats (a+b)',
      'in/c.txt': 'cats',
    });
    await call('replace_text', {
      find: 'cat',
      replace_with: 'dog',
      path: 'in',
      whole_words: false,
      exclude: ['in/c.txt'],
    });
    await call('replace_text', { find: '(a+b)', replace_with: '', path: 'in/b.txt' });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('cats');
    expect(readFileSync(join(root, 'in/b.txt'), 'utf8')).toBe('dogs ');
    expect(readFileSync(join(root, 'in/c.txt'), 'utf8')).toBe('cats');
  });

  it('says so where the text is nowhere, and leaves binary files alone', async () => {
    const { call, root } = aWorkspace({ 'a.txt': 'one' });
    writeFileSync(join(root, 'b.bin'), Buffer.from([0, 1, 116, 119, 111, 0]));
    expect(await call('replace_text', { find: 'two', replace_with: '2' })).toMatchObject({
      code: 'workspace.text_not_found',
      message: '"two" is nowhere in the project, so nothing was replaced',
    });
  });

  it('sets the value of a name in the one line that gives it one', async () => {
    const { call, root } = aWorkspace({
      'settings.py': 'DEBUG = True\r\nDEBUG_SQL = True\r\n',
      'src/a.py': 'if DEBUG == True:\n    pass\n',
    });
    await call('replace_text', { find: 'debug', replace_with: 'off', replaces: 'value' });
    expect(readFileSync(join(root, 'settings.py'), 'utf8')).toBe(
      'DEBUG = False\r\nDEBUG_SQL = True\r\n',
    );
    expect(readFileSync(join(root, 'src/a.py'), 'utf8')).toContain('if DEBUG == True:');
  });

  it('changes nothing where a name has no value, several, or one that is computed', async () => {
    const text = 'A = 1\nB = f(1)\n';
    const { call, root } = aWorkspace({ 'a.py': text, 'b.py': 'A = 2\n' });
    const set = (find: string) =>
      call('replace_text', { find, replace_with: '3', replaces: 'value' });
    expect(await set('C')).toMatchObject({ code: 'workspace.text_not_found' });
    expect(await set('A')).toMatchObject({
      message: expect.stringContaining('2 lines: a.py:1, b.py:1') as string,
    });
    expect(await set('B')).toMatchObject({
      message: expect.stringContaining('more than a plain value') as string,
    });
    expect(readFileSync(join(root, 'a.py'), 'utf8')).toBe(text);
  });
});
