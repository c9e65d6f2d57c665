import { describe, expect, it } from 'vitest';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { scanPython } from './scan-python.ts';

const context = aCodeContext();

async function scan(text: string) {
  const { findings, ...rest } = await scanPython(
    { path: 'a.py', text, language: 'python' },
    context,
  );
  return { ...rest, found: findings.map(({ rule, line }) => `${rule}:${line}`) };
}

describe('Python', () => {
  it('is read by Ruff, and by our rules for what only bandit has', async () => {
    const text = 'import pickle\nfrom lxml import etree\npickle.loads(x)\netree.parse(y)\n';
    expect((await scan(text)).found.toSorted()).toEqual([
      'python/S301:3',
      'python/S320:4',
      'python/S403:1',
      'python/S410:2',
    ]);
  });

  it('of version 2 is read but for its statements', async () => {
    const text = 'import os\nif x:\n    print "a"\nos.system(x)\nexec "b"\n';
    expect(await scan(text)).toMatchObject({ found: ['python/S605:4'], unparsed: { line: 3 } });
  });

  it('with a broken function is read around it', async () => {
    const text = 'eval(a)\ndef f(:\n    return 1\n\ndef g():\n    eval(b)\n';
    const { found, unparsed } = await scan(text);
    expect(found).toEqual(['python/S307:1', 'python/S307:6']);
    expect(unparsed?.line).toBe(2);
  });

  it('takes a fixed command for less severe', async () => {
    const text = 'import os\nos.system("ls")\nos.system(x)\n';
    const { findings } = await scanPython({ path: 'a.py', text, language: 'python' }, context);
    const severities = findings.filter(({ rule }) => rule.endsWith('S605'));
    expect(severities.map(({ severity }) => severity)).toEqual(['minor', 'critical']);
  });

  it('of more than 10,000 lines is read in parts that know the imports', async () => {
    const text = `from os import system as run\n${'a = b\n'.repeat(12_000)}run(a)\n`;
    expect(await scan(text)).toMatchObject({ found: ['python/S605:12002'], note: undefined });
  });

  it('says so where one statement is longer than that', async () => {
    const { note } = await scan(`x = [\n${'1,\n'.repeat(12_000)}]\n`);
    expect(note).toContain('more than 10000 lines');
  });
});
