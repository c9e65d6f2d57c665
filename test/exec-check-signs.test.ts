import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Ruff } from '../src/toolbox/code/engines/ruff.ts';
import { readRules } from '../src/toolbox/code/security/security-rules.ts';
import { scanFileSecurity } from '../src/toolbox/code/security/scan-file-security.ts';
import {
  hasPythonSign,
  isPlainlyHarmless,
  harmlessRules,
} from '../src/toolbox/exec/check/is-plainly-harmless.ts';
import { aCodeContext } from '../testkit/toolbox/code-context.ts';
import { sampleSeeded } from '../testkit/sample.ts';

const fixtures = fileURLToPath(new URL('data/security/python', import.meta.url));
const stdlib = '/usr/lib/python3.11';
const maxLength = 60_000;
const ruff = new Ruff();
const context = aCodeContext();

function textsOf(folder: string, count: number): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return sampleSeeded(
    paths.filter((path) => path.endsWith('.py')),
    count,
  )
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .filter((text) => text.length <= maxLength);
}

function stdlibTexts(): string[] {
  try {
    return textsOf(stdlib, 150);
  } catch {
    return [];
  }
}

async function ruffFindings(text: string) {
  const found = await ruff.check(text, { lint: { select: ['S'], ignore: ['S113'] } });
  return found.filter(
    ({ code }) => readRules('python').rules.has(code ?? '') && !harmlessRules.has(`python/${code}`),
  );
}

describe('the signs without which no engine is asked', () => {
  const texts = [...textsOf(fixtures, 1_000), ...stdlibTexts()];

  it('stand in the statement or an import of everything Ruff finds', async () => {
    let findings = 0;
    for (const text of texts) {
      const lines = text.split('\n');
      const imports = lines.filter((line) => /^\s*(?:import|from)\b/.test(line)).join('\n');
      for (const { code, start_location, end_location } of await ruffFindings(text)) {
        // The name of a call may stand a few lines above the argument that is reported.
        const from = Math.max(0, start_location.row - 5);
        const statement = lines.slice(from, end_location.row).join('\n');
        expect(hasPythonSign(`${statement}\n${imports}`), `${code}: ${statement}`).toBe(true);
        findings += 1;
      }
    }
    expect(findings).toBeGreaterThan(200);
  });

  it('are missing only where the whole scan finds nothing', async () => {
    let without = 0;
    for (const text of texts) {
      const file = { path: 'a.py', text, language: 'python' } as const;
      if (!(await isPlainlyHarmless(file))) continue;
      const found = await scanFileSecurity(file, context);
      const told = found.filter(({ rule }) => !harmlessRules.has(rule));
      expect(told, text.slice(0, 500)).toEqual([]);
      without += 1;
    }
    expect(without).toBeGreaterThan(10);
  });

  it('leave secrets and malicious code to the scanner', async () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    for (const text of [`x = "${token}"`, `url = "stratum+tcp://pool.example:3333"`]) {
      expect(await isPlainlyHarmless({ path: 'a.py', text, language: 'python' })).toBe(false);
    }
  });

  it.each([
    'open("/t" "mp/x", "w")',
    "open('/t''mp/x', 'w')",
    'open("\\x2ftmp/x", "w")',
    'serve("0.0.0.0")',
    'ｅｘｅｃ(x)',
    'PASS = "x1y2z3"',
    'db.run("select * from a where b = %s" % c)',
    'db.run("update"\n" a set b = " + c)',
  ])('are seen in %s', (text) => {
    expect(hasPythonSign(text)).toBe(true);
  });

  it.each([
    'print(1)',
    'import os, sys, math\nfor i in range(3):\n    print("a", \'b\', f"{i}", "")\n',
    'def f(x):\n    """What it does."""\n    if not x:\n        pass\n    d.update(x)\n',
  ])('are not seen in %j', (text) => {
    expect(hasPythonSign(text)).toBe(false);
  });
});
