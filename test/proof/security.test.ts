import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scanFileSecurity } from '../../src/toolbox/code/security/scan-file-security.ts';
import { aCodeContext } from '../../testkit/toolbox/code-context.ts';
import { banditVersion, runBandit } from '../support/run-bandit.ts';
import { isCi, isProof, sampleSeeded } from '../../testkit/sample.ts';

/** All of the standard library takes a minute on a calm machine. */
const maxProofMs = 600_000;
/** Where the Python rules stand against bandit: same file, same line, same number of the rule. */
const minRecall = 0.85;
const maxExtraPerCleanFile = 0.05;

const folder = fileURLToPath(new URL('../data/security/python', import.meta.url));
const reference = z
  .object({ bandit: z.string(), files: z.record(z.string(), z.array(z.string())) })
  .parse(
    JSON.parse(
      readFileSync(new URL('../data/security/bandit-findings.json', import.meta.url), 'utf8'),
    ),
  );
const cases = Object.entries(reference.files);
const context = aCodeContext();
const installed = banditVersion();
const stdlib = '/usr/lib/python3.11';

/** Ours in bandit's terms: `B602:14`. Rules bandit has no number for keep their own name. */
async function ownFindings(path: string, text: string): Promise<readonly string[]> {
  const findings = await scanFileSecurity({ path, text, language: 'python' }, context);
  return findings.map(({ rule, line }) => `${rule.replace(/^python\/S/, 'B')}:${line}`);
}

describe('the Python rules against bandit', () => {
  it('are compared on at least 150 pairs that together use every rule bandit reports', () => {
    const vulnerable = cases.filter(([file]) => file.endsWith('.vulnerable.py'));
    expect(vulnerable.length).toBeGreaterThanOrEqual(150);
    for (const [file] of vulnerable) {
      expect(reference.files[file.replace('.vulnerable.', '.clean.')], file).toBeDefined();
    }
    const used = new Set(cases.flatMap(([, found]) => found.map((key) => key.split(':')[0])));
    expect(used.size).toBeGreaterThanOrEqual(64);
  });

  it('find at least 85 % of what bandit finds, on the same line', async () => {
    const missed: string[] = [];
    let total = 0;
    for (const [file, expected] of cases) {
      const own = new Set(await ownFindings(file, readFileSync(`${folder}/${file}`, 'utf8')));
      total += expected.length;
      missed.push(...expected.filter((key) => !own.has(key)).map((key) => `${file} ${key}`));
    }
    expect(total).toBeGreaterThan(300);
    expect(1 - missed.length / total, missed.join('\n')).toBeGreaterThanOrEqual(minRecall);
  });

  it('add at most 5 findings per 100 clean twins to those of bandit', async () => {
    const extra: string[] = [];
    const clean = cases.filter(([file]) => file.endsWith('.clean.py'));
    for (const [file, expected] of clean) {
      const own = await ownFindings(file, readFileSync(`${folder}/${file}`, 'utf8'));
      extra.push(...own.filter((key) => !expected.includes(key)).map((key) => `${file} ${key}`));
    }
    expect(extra.length / clean.length, extra.join('\n')).toBeLessThanOrEqual(maxExtraPerCleanFile);
  });
});

// Another version of bandit reports other findings; `make test` installs Debian's.
describe.skipIf(installed !== reference.bandit && !isCi)(
  `with bandit ${reference.bandit} at hand (Debian package "bandit"; found: ${installed ?? 'none'})`,
  () => {
    it('the committed findings are what it reports', () => {
      const files = cases.map(([file]) => file);
      const fresh = [...runBandit(folder, files)].map(([file, findings]) => [
        file,
        findings.map(({ test, line }) => `${test}:${line}`),
      ]);
      expect(Object.fromEntries(fresh)).toEqual(reference.files);
    });

    it(
      'at least 85 % of its findings in the standard library are found, on the same line',
      { timeout: maxProofMs },
      async () => {
        const names = readdirSync(stdlib, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.py'))
          .sort();
        const chosen = sampleSeeded(names, isProof ? names.length : 60);
        const missed: string[] = [];
        let total = 0;
        for (const [file, findings] of runBandit(stdlib, chosen)) {
          const text = readFileSync(`${stdlib}/${file}`, 'utf8');
          const own = new Set(await ownFindings(file, text));
          const expected = new Set(findings.map(({ test, line }) => `${test}:${line}`));
          total += expected.size;
          for (const key of expected) if (!own.has(key)) missed.push(`${file} ${key}`);
        }
        expect(total).toBeGreaterThan(20);
        expect(1 - missed.length / total, missed.join('\n')).toBeGreaterThanOrEqual(minRecall);
      },
    );
  },
);
