import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { windowsCommand } from './start-program.ts';

function aPath(...files: string[]): Record<string, string> {
  const folder = aDirectory();
  for (const file of files) writeFileSync(join(folder, file), '');
  return { Path: folder, PathExt: '.exe;.cmd', ComSpec: 'C:\\cmd.exe' };
}

describe('a command on Windows', () => {
  it('is passed on as it is when it is a program, or nothing that is known', () => {
    const env = aPath('node.exe', 'node.cmd');
    const args = ['a b', '"'];
    expect(windowsCommand('node', args, env)).toEqual({ command: 'node', args, isVerbatim: false });
    expect(windowsCommand('deno', args, env)).toEqual({ command: 'deno', args, isVerbatim: false });
    expect(windowsCommand('deno', args, {}).isVerbatim).toBe(false);
  });

  it('goes through the command interpreter when it is a batch file', () => {
    const native = windowsCommand('npx', ['-y', 'some-server'], aPath('npx.cmd'));
    expect(native.command).toBe('C:\\cmd.exe');
    expect(native.args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    expect(native.args[3]).toBe('"npx ^^^"-y^^^" ^^^"some-server^^^""');
    expect(native.isVerbatim).toBe(true);
  });

  it('has arguments that cannot become commands of their own', () => {
    const hostile = ['a & calc', '%PATH%', 'say "hi"', 'ends with \\', 'x|y>z<w^v'];
    const line = windowsCommand('npx', hostile, aPath('npx.cmd')).args[3] ?? '';
    const bare = line.slice(1, -1).replaceAll(/\^\^\^[&|<>^%" ]|\^[ ]/g, '');
    expect(bare).not.toMatch(/[&|<>%]/);
    expect(line).toContain('say^^^ \\^^^"hi\\^^^"');
    expect(line).toContain('\\\\^^^"');
  });
});
