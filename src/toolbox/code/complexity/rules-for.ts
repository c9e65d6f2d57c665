import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ownFile } from '../../../kernel/index.ts';
import { hooks as go } from '../languages/go/complexity.ts';
import { hooks as java } from '../languages/java/complexity.ts';
import { hooks as javascript } from '../languages/javascript/complexity.ts';
import { hooks as python } from '../languages/python/complexity.ts';
import { hooks as rust } from '../languages/rust/complexity.ts';
import { rulesSchema, type ComplexityRules } from './complexity-rules.ts';
import type { ProgramLanguage } from './flatten-source.ts';

const languageHooks = { go, java, javascript, python, rust };
const loaded = new Map<string, ComplexityRules>();

/** The rules of a language, from its `complexity.yaml` and `complexity.ts`. Read once. */
export function rulesFor(language: ProgramLanguage): ComplexityRules {
  const name = language === 'typescript' ? 'javascript' : language;
  const known = loaded.get(name);
  if (known) return known;
  const text = readFileSync(ownFile(`toolbox/code/languages/${name}/complexity.yaml`), 'utf8');
  const rules = { ...rulesSchema.parse(parse(text)), ...languageHooks[name] };
  loaded.set(name, rules);
  return rules;
}
