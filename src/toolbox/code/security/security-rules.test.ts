import { describe, expect, it } from 'vitest';
import { Query } from 'web-tree-sitter';
import { SyntaxTrees, type GrammarName } from '../syntax-tree.ts';
import { languages } from '../language.ts';
import { countRules, readRules, ruleGroups, type RuleGroup } from './security-rules.ts';

const trees = new SyntaxTrees();

const grammarsOf: Readonly<Partial<Record<RuleGroup, readonly GrammarName[]>>> = {
  python: ['python'],
  javascript: ['javascript', 'typescript', 'tsx'],
  java: ['java'],
  go: ['go'],
  rust: ['rust'],
  malicious: ['python', 'javascript', 'typescript', 'tsx'],
};

/** What every match offers, see `select-subjects.ts`. */
const everywhere = /^(?:file|imported|around|arguments|(?:any|last) argument|argument \d)$/;

describe.each(ruleGroups)('the %s rules', (group) => {
  const { rules, shapes } = readRules(group);

  it('each say what they mean in constant text and carry the name of their group', () => {
    for (const [name, rule] of rules) {
      expect(rule.id).toBe(`${group}/${name}`);
      expect(rule.cwe).toMatch(/^CWE-\d+$/);
      expect(rule.message, name).toMatch(/\.$/);
      expect(rule.fix, name).toMatch(/\.$/);
    }
  });

  it('each have a way to match, or are a rule of Ruff', () => {
    const without = [...rules.values()].filter(
      (rule) => rule.match.length + rule.find.length === 0,
    );
    const own = without.filter(({ name }) => group !== 'python' || !/^S\d{3}$/.test(name));
    expect(own.map(({ id }) => id)).toEqual([]);
  });

  it('name shapes that exist, and captures or fields that these have', async () => {
    const fields = new Set<string>();
    for (const name of grammarsOf[group] ?? []) {
      for (const field of (await trees.grammar(name)).fields) fields.add(field ?? '');
    }
    for (const { id, match } of rules.values()) {
      for (const { on, when } of match) {
        const queries = on.map((shape) => shapes[shape]?.query);
        expect(queries, id).not.toContain(undefined);
        for (const selector of group === 'html' ? [] : Object.keys(when)) {
          const [first = ''] = selector.split('.');
          const isKnown =
            everywhere.test(first) ||
            fields.has(first) ||
            queries.every((query) => query?.includes(`@${first}`));
          expect(isKnown, `${id}: ${selector}`).toBe(true);
        }
      }
    }
  });

  it('have queries that fit the grammars they are for', async () => {
    for (const name of grammarsOf[group] ?? []) {
      const grammar = await trees.grammar(name);
      for (const [shape, { query, grammars }] of Object.entries(shapes)) {
        if (!(grammars?.includes(name) ?? true)) continue;
        const compiled = new Query(grammar, query);
        expect(compiled.patternCount(), `${group}: ${shape}`).toBe(1);
        compiled.delete();
      }
    }
  });
});

it('there are rules for every language', () => {
  for (const language of languages) expect(countRules(language), language).toBeGreaterThan(7);
});
