import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, runTutti } from './support/run-tutti.ts';

const plan = (path: string): string =>
  JSON.stringify({ name: 'p', steps: [{ id: 'a', tool: 'workspace.read_file', args: { path } }] });

describe('the last failure', { timeout: 60_000 }, () => {
  it('is of a run or of a direct call, whichever failed later in this folder', async () => {
    const home = aFolder();
    const cwd = join(home, 'project');
    const other = join(home, 'other');
    for (const folder of [cwd, other]) mkdirSync(folder);
    const env = { HOME: home, TUTTI_HOME: join(home, 'data') };
    const tutti = async (argv: readonly string[], folder = cwd): Promise<string> =>
      (await runTutti(argv, { cwd: folder, env })).stdout;
    writeFileSync(join(cwd, 'p.json'), plan('of-run.txt'));
    await tutti(['run', 'p.json']);
    await tutti(['call', 'workspace.read_file', 'path=of-call.txt']);
    await tutti(['call', 'workspace.read_file', 'path=elsewhere.txt'], other);
    const asked = [
      ['why', 'last'],
      ['ask', 'why did it fail?'],
      ['ask', 'why did the last call fail?'],
    ];
    for (const argv of asked) expect(await tutti(argv)).toContain('"of-call.txt"');
    expect(await tutti(['why', 'last', 'a'])).toContain('"of-run.txt"');

    await tutti(['run', 'p.json']);
    expect(await tutti(['why', 'last'])).toContain('"of-run.txt"');
    expect(await tutti(['ask', 'why did it fail?'])).toContain('"of-run.txt"');
    expect(await tutti(['ask', 'why did the last call fail?'])).toContain('"of-call.txt"');
  });
});
