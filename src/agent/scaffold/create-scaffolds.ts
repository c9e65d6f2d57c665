import type { Language } from '../../contract/language/index.ts';
import { formalizeByRules, type RuleFormalization } from './formalize-by-rules.ts';
import { functionNames } from './function-names.ts';
import { scaffoldKind } from './scaffold-kind.ts';
import { scaffoldNames } from './scaffold-names.ts';
import { templatesOf } from './template-of.ts';

/** Templates for those who have no model: programs that run, with the part that needs thought left open. */
export function createScaffolds() {
  return { code: scaffoldCode, tests: scaffoldTests, formalize };
}

interface CodeInput {
  readonly description: string;
  readonly language: Language;
}

async function scaffoldCode({ description, language }: CodeInput) {
  const kind = scaffoldKind(description);
  const templates = templatesOf[language];
  const code = templates.code[kind](scaffoldNames(description, 'solution'));
  return {
    code,
    explanation: `A ${kindWords[kind]} in ${language} from a template: names come from the description, what it is to do is left open.`,
    dependencies: [],
    test_code: templates.tests?.(testedNames(code, language)) ?? '',
  };
}

const kindWords = {
  function: 'function',
  class: 'class',
  cli: 'command-line program',
  rest: 'REST resource',
} as const;

interface TestsInput {
  readonly code: string;
  readonly language: Language;
}

/** Of the language's usual framework, whichever was asked for: a skeleton is to be filled in anyway. */
async function scaffoldTests({ code, language }: TestsInput) {
  const names = testedNames(code, language);
  const skeleton = templatesOf[language].tests;
  return {
    test_code: skeleton?.(names) ?? '',
    test_cases: skeleton ? names.map((name) => `${name}: typical input, bad input`) : [],
  };
}

function testedNames(code: string, language: Language): string[] {
  const names = functionNames(code, language);
  return names.length > 0 ? names : ['solution'];
}

async function formalize(input: {
  readonly informal_request: string;
  readonly context: string;
}): Promise<RuleFormalization> {
  return formalizeByRules(input.informal_request, input.context);
}
