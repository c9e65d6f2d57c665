import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { Language } from '../language.ts';
import { scanFileSecurity } from './scan-file-security.ts';
import { readRules, type RuleGroup } from './security-rules.ts';

interface Case {
  readonly rule: string;
  readonly kind: 'bad' | 'good';
  readonly code: string;
}

const groups: readonly { readonly group: RuleGroup; readonly language: Language }[] = [
  { group: 'javascript', language: 'javascript' },
  { group: 'java', language: 'java' },
  { group: 'go', language: 'go' },
  { group: 'rust', language: 'rust' },
  { group: 'sql', language: 'sql' },
  { group: 'html', language: 'html' },
  { group: 'css', language: 'css' },
  { group: 'malicious', language: 'python' },
  { group: 'malicious', language: 'javascript' },
];

const context = aCodeContext();

describe.each(groups)('the $group rules on $language', ({ group, language }) => {
  const cases = readCases(group, group === 'malicious' ? `malicious-${language}` : group);
  const rules = [...readRules(group).rules.values()].filter(
    ({ find }) => group !== 'malicious' || find.some((it) => it.languages?.includes(language)),
  );

  it('each have a case they must find and a clean twin they must not', () => {
    const wanting = rules.filter(
      ({ id }) =>
        !cases.some((it) => it.rule === id && it.kind === 'bad') ||
        !cases.some((it) => it.rule === id && it.kind === 'good'),
    );
    expect(wanting.map(({ id }) => id)).toEqual([]);
    const known = new Set(rules.map(({ id }) => id));
    expect(cases.filter(({ rule }) => !known.has(rule))).toEqual([]);
  });

  it.each(cases.filter(({ kind }) => kind === 'bad'))('$rule finds: $code', async (it) => {
    expect(await rulesFoundIn(it.code, language)).toContain(it.rule);
  });

  it.each(cases.filter(({ kind }) => kind === 'good'))('$rule leaves alone: $code', async (it) => {
    expect(await rulesFoundIn(it.code, language)).not.toContain(it.rule);
  });
});

async function rulesFoundIn(text: string, language: Language): Promise<readonly string[]> {
  const path = language === 'javascript' ? 'case.jsx' : 'case';
  const findings = await scanFileSecurity({ path, text, language }, context);
  return findings.map(({ rule }) => rule);
}

function readCases(group: string, file: string): readonly Case[] {
  const text = readFileSync(new URL(`testdata/${file}.txt`, import.meta.url), 'utf8');
  return text.split(/^## /m).flatMap((section) => {
    const [head = '', ...blocks] = section.split(/^--- /m);
    return blocks.map((block): Case => {
      const [kind = '', ...code] = block.split('\n');
      return {
        rule: `${group}/${head.trim()}`,
        kind: kind.trim() === 'bad' ? 'bad' : 'good',
        code: code.join('\n').trimEnd(),
      };
    });
  });
}
