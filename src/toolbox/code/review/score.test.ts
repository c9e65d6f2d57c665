import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../testkit/sample.ts';
import { severities, type Finding } from '../finding.ts';
import { mergeFindings, scoreOf } from './score.ts';

function aFinding(parts: Partial<Finding> = {}): Finding {
  return { severity: 'minor', rule: 'x/y', message: 'm', file: 'f', line: 1, column: 1, ...parts };
}

describe('the score', () => {
  it('is 100 without findings and falls with each, the worse the more', () => {
    expect(scoreOf([])).toBe(100);
    const one = severities.map((severity) => scoreOf([aFinding({ severity })]));
    expect(one).toEqual([71.4, 90.9, 98, 99.5]);
  });

  it('is 0 while a file does not parse, so that making it parse cannot lower it', () => {
    expect(scoreOf([aFinding({ rule: 'python/syntax-error' })])).toBe(0);
  });

  it('of a folder is by its size: the same findings weigh less in more lines', () => {
    const findings = Array.from({ length: 50 }, () => aFinding());
    expect(scoreOf(findings, 100)).toBe(50);
    expect(scoreOf(findings, 250)).toBe(50);
    expect(scoreOf(findings, 2_250)).toBe(90);
  });

  it('of a folder with a critical finding is never high, however large it is', () => {
    expect(scoreOf([aFinding({ severity: 'critical' })], 1_000_000)).toBe(75);
  });

  it('never rises when a finding is added and never falls when one is taken away', () => {
    const random = seededRandom(7);
    const pick = <Item>(items: readonly Item[]): Item =>
      items[Math.floor(random() * items.length)] as Item;
    const rules = ['python/S110', 'python/E722', 'python/F401', 'secrets/x', 'python/S105'];
    for (let round = 0; round < 500; round += 1) {
      const findings = Array.from({ length: Math.floor(random() * 40) }, () =>
        aFinding({
          severity: pick(severities),
          rule: pick(rules),
          file: pick(['a', 'b', 'c']),
          line: Math.ceil(random() * 4),
        }),
      );
      const lines = Math.floor(random() * 2_000);
      const whole = scoreOf(mergeFindings(findings), lines);
      expect(whole).toBeGreaterThanOrEqual(0);
      expect(whole).toBeLessThanOrEqual(100);
      findings.forEach((_, index) => {
        const fewer = mergeFindings(findings.toSpliced(index, 1));
        expect(scoreOf(fewer, lines)).toBeGreaterThanOrEqual(whole);
      });
    }
  });
});

describe('merging findings', () => {
  it('keeps the worst report of one cause on one line, worst first', () => {
    const merged = mergeFindings([
      aFinding({ rule: 'python/S110', severity: 'minor' }),
      aFinding({ rule: 'python/E722', severity: 'major' }),
      aFinding({ rule: 'python/E722', severity: 'major', line: 2 }),
      aFinding({ rule: 'python/F821', severity: 'critical', line: 3 }),
    ]);
    expect(merged.map(({ rule, line }) => [rule, line])).toEqual([
      ['python/F821', 3],
      ['python/E722', 1],
      ['python/E722', 2],
    ]);
  });

  it('keeps findings of one rule at different columns of a line', () => {
    expect(mergeFindings([aFinding(), aFinding({ column: 9 }), aFinding()])).toHaveLength(2);
  });
});
