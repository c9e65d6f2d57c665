import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aFolder, runTutti } from './support/run-tutti.ts';

it('tutti baseline accepts what is there, and reviews and scans then list only what is new', async () => {
  const cwd = aFolder();
  const file = join(cwd, 'app.py');
  writeFileSync(file, 'import os\n\n\ndef run(cmd):\n    os.system(cmd)\n');
  writeFileSync(join(cwd, 'other.py'), '"""Numbers."""\n\nLIMIT = 3\n');
  const made = await runTutti(['baseline'], { cwd });
  expect(made.stdout).toMatch(/^\d+ findings accepted in \.tutti\/baseline\.json/);
  expect(readFileSync(join(cwd, '.tutti', 'baseline.json'), 'utf8')).toContain('"app.py"');
  for (const [tool, field] of [
    ['review_code', 'issues'],
    ['scan_security', 'findings'],
  ] as const) {
    const call = ['call', `code.${tool}`, 'path=.', '--json'];
    const before = JSON.parse((await runTutti(call, { cwd })).stdout);
    expect(before[field]).toEqual([]);
    expect(before.known).toBeGreaterThan(0);
  }
  writeFileSync(file, `"""Runs."""\n${readFileSync(file, 'utf8')}    eval(cmd)\n`);
  const { stdout } = await runTutti(['call', 'code.scan_security', 'path=.'], { cwd });
  expect(stdout).toContain('1 finding in 2 files');
  expect(stdout).toContain('python/S307');
}, 60_000);
