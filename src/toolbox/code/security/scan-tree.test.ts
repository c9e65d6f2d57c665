import { describe, expect, it } from 'vitest';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { Language } from '../language.ts';
import { inlinePath } from '../source-files.ts';
import { scanTree } from './scan-tree.ts';

const context = aCodeContext();

async function found(
  language: Language,
  text: string,
  path: string = inlinePath,
): Promise<string[]> {
  const { findings } = await scanTree({ path, text, language }, context);
  return findings.map(({ rule, line, column }) => `${rule}:${line}:${column}`);
}

describe('the rule engine over syntax trees', () => {
  it('reports the line and column of the matched code', async () => {
    const text = 'package a\nfunc f(b []byte) { x := md5.Sum(b) }\n';
    expect(await found('go', text)).toEqual(['go/weak-hash:2:25']);
  });

  it('resolves imports, whatever they are called here', async () => {
    for (const text of [
      "import { exec as run } from 'node:child_process';\nrun(command);",
      "const { exec: run } = require('child_process');\nrun(command);",
      "const run = require('child_process').exec;\nrun(command);",
      "import * as cp from 'child_process';\ncp?.exec(command);",
    ]) {
      expect(await found('javascript', text), text).toEqual(['javascript/command-injection:2:1']);
    }
    expect(await found('javascript', 'exec(command);')).toEqual([]);
  });

  it('follows what a client sent through variables', async () => {
    const text =
      'const { name } = req.query;\nconst file = `${name}.txt`;\nimport fs from "fs";\nfs.readFile(file);';
    expect(await found('javascript', text)).toEqual(['javascript/path-traversal:4:1']);
  });

  it('reads TypeScript without a name in either dialect', async () => {
    expect(await found('typescript', 'const a = <string>eval(x);')).toHaveLength(1);
    expect(
      await found('typescript', 'const a = (x: string) => <b title={eval(x)} />;'),
    ).toHaveLength(1);
    expect(await found('typescript', 'const a = <b title={eval(x)} />;', 'a.tsx')).toHaveLength(1);
  });

  it('says where a text does not parse, and scans the rest', async () => {
    const text = 'eval(x);\nfunction (\n';
    const scan = await scanTree({ path: 'a.js', text, language: 'javascript' }, context);
    expect(scan.findings).toHaveLength(1);
    expect(scan.unparsed?.line).toBe(2);
  });

  it('reports each place once for each rule', async () => {
    const text = 'class A { Object f() { return new Cookie("a", b); } }';
    expect(await found('java', text)).toEqual(['java/cookie-flags:1:31']);
  });
});
