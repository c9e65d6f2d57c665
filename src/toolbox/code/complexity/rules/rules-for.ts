import type { ComplexityRules } from '../complexity-rules.ts';
import type { ProgramLanguage } from '../flatten-source.ts';
import { goRules } from './go-rules.ts';
import { javaRules } from './java-rules.ts';
import { javascriptRules } from './javascript-rules.ts';
import { pythonRules } from './python-rules.ts';
import { rustRules } from './rust-rules.ts';

const rulesByLanguage: Readonly<Record<ProgramLanguage, ComplexityRules>> = {
  python: pythonRules,
  javascript: javascriptRules,
  typescript: javascriptRules,
  java: javaRules,
  go: goRules,
  rust: rustRules,
};

export function rulesFor(language: ProgramLanguage): ComplexityRules {
  return rulesByLanguage[language];
}
