import { expect, it } from 'vitest';
import { languages } from '../language.ts';
import { readLintData } from './lint-data.ts';

it.each(['go', 'java', 'rust'] as const)(
  'reads a query and a message for each rule of %s',
  (language) => {
    const rules = readLintData(language).rules;
    expect(rules.length).toBeGreaterThan(25);
    for (const { name, query, message } of rules) {
      expect(query, name).toContain('@at');
      expect(message, name).toMatch(/[^.]$/);
    }
  },
);

it('reads how each rule of an engine is presented', () => {
  const { byName, safeFixes } = readLintData('python');
  expect(byName.get('F821')).toMatchObject({ severity: 'critical', area: 'correctness' });
  expect(safeFixes).toContain('F401');
  expect(readLintData('javascript').byName.get('eqeqeq')?.options).toEqual([
    'always',
    { null: 'ignore' },
  ]);
  for (const language of languages) expect(readLintData(language).rules).not.toEqual([]);
});

it('has a regular expression for each rule of SQL but one', () => {
  const patterns = readLintData('sql').rules.flatMap(({ pattern, statement }) =>
    pattern === undefined ? [] : [new RegExp(pattern, 'dg'), new RegExp(statement ?? '')],
  );
  expect(patterns).toHaveLength(2 * (readLintData('sql').rules.length - 1));
});
