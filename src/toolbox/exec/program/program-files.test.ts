import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anExecContext } from '../../../../testkit/toolbox/exec/an-exec-server.ts';
import { FakeSandbox } from '../../../../testkit/toolbox/exec/fake-sandbox.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { createExecServer } from '../exec-server.ts';

function aProject(files: Readonly<Record<string, string | Uint8Array>>) {
  const root = mkdtempSync(join(tmpdir(), 'tutti-program-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const sandbox = new FakeSandbox({ stdout: 'ran' });
  const checked: string[] = [];
  const server = createExecServer({
    ...anExecContext,
    roots: [root],
    sandbox: async () => sandbox,
    scanCode: async (given) => {
      checked.push(JSON.stringify(given));
      return [];
    },
  });
  const run = (args: object) => server.callTool('run_code', { ...args }, aCallContext());
  return { run, sandbox, checked };
}

describe('run_code with a path', () => {
  it('takes the language from the ending and the texts of the folder along', async () => {
    const { run, sandbox, checked } = aProject({
      'src/app.py': 'import cart',
      'src/cart.py': 'x = 1',
      'src/data.json': '{}',
      'src/logo.bin': new Uint8Array([0, 255]),
      'other.py': '',
    });
    const result = await run({ path: 'src/app.py' });
    expect(result.isError ?? false, JSON.stringify(result)).toBe(false);
    const [started] = sandbox.runs;
    expect(Object.keys(started?.files ?? {}).toSorted()).toEqual([
      'app.py',
      'cart.py',
      'data.json',
    ]);
    expect(JSON.stringify(started?.program)).toContain('app.py');
    expect(checked.join()).toContain('import cart');
    expect(checked.join()).not.toContain('data.json');
  });

  it.each([
    [{ path: 'notes.txt' }, 'exec.invalid_program'],
    [{ path: 'a.py', code: 'x' }, 'exec.invalid_program'],
    [{ path: '../a.py' }, 'code.outside_roots'],
    [{ path: 'gone.py' }, 'code.no_files'],
    [{ code: 'x' }, 'exec.invalid_program'],
  ])('is refused as %j', async (args, code) => {
    const { run, sandbox } = aProject({ 'a.py': '', 'notes.txt': '' });
    expect(JSON.stringify(await run(args))).toContain(code);
    expect(sandbox.runs).toEqual([]);
  });
});
