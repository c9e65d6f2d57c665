import type { Language } from '../language.ts';
import { secretPatterns } from '../secrets/secret-patterns.ts';
import { cssRules } from './css/css-rules.ts';
import { goRules } from './go/go-rules.ts';
import { htmlRules } from './html/html-rules.ts';
import { javaRules } from './java/java-rules.ts';
import { javascriptRules } from './javascript/javascript-rules.ts';
import { maliciousRules } from './malicious/malicious-rules.ts';
import { pythonRules } from './python/python-rules.ts';
import { rustRules } from './rust/rust-rules.ts';
import type { SecurityRule } from './security-rule.ts';
import { sqlRules } from './sql/sql-rules.ts';

/** The rules of one language, or of a group that concerns several. */
export interface RuleGroup {
  readonly group: string;
  readonly rules: readonly SecurityRule[];
}

/** Every security rule there is, for documentation. */
export function securityRuleTable(): readonly RuleGroup[] {
  return [
    { group: 'python', rules: [...pythonRules.values()] },
    { group: 'javascript', rules: [...javascriptRules.values()] },
    { group: 'java', rules: [...javaRules.values()] },
    { group: 'go', rules: [...goRules.values()] },
    { group: 'rust', rules: [...rustRules.values()] },
    { group: 'sql', rules: [...sqlRules.values()] },
    { group: 'html', rules: [...htmlRules.values()] },
    { group: 'css', rules: cssRules },
    { group: 'malicious', rules: maliciousRules },
  ];
}

/** How many rules look at a file of this language, those for keys and malicious code included. */
export function countRules(language: Language): number {
  const group = language === 'typescript' ? 'javascript' : language;
  const own = securityRuleTable().find((entry) => entry.group === group)?.rules.length ?? 0;
  const malicious = maliciousRules.filter((rule) => rule.languages.includes(language)).length;
  return own + malicious + secretPatterns.length;
}
