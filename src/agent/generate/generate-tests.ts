import { parse } from 'node:path';
import { z } from 'zod';
import type { GeneratedTests, Generation } from '../../contract/generation/index.ts';
import { type Language, languages } from '../../contract/language/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { fenced, withoutFence } from './ask-model.ts';
import { attemptUntilVerified, type Attempt, type Attempts } from './attempt.ts';
import { howToConnect, NoModelError, UnfitFrameworkError, UnknownLanguageError } from './errors.ts';
import { type GenerationContext, hasModel, scaffoldFacts } from './generation-context.ts';
import {
  isParsedLanguage,
  readLanguage,
  type ParsedLanguage,
  parsedLanguages,
} from './language.ts';
import { placeFiles } from './verify/place-files.ts';
import { tryTool, type ToolCaller } from './tool-caller.ts';

type TestsInput = Parameters<Generation['generateTests']>[0];

/** The request with language and framework decided. */
interface TestsRequest {
  readonly code: string;
  readonly language: ParsedLanguage;
  readonly framework: string;
  readonly coverageTarget: number;
}

const answerSchema = z.object({
  test_code: z.string().describe('The whole test file.'),
  test_cases: z.array(z.string()).default([]).describe('What each test shows, one sentence each.'),
  code_problems: z
    .array(z.string())
    .default([])
    .describe('Mistakes of the code that the tests show; empty when it does what it should.'),
});

type Answer = z.output<typeof answerSchema>;

/** Tests for code, run on it, with measured coverage and mutation score. */
export async function generateTests(
  generation: GenerationContext,
  input: TestsInput,
  context: CallContext,
): Promise<GeneratedTests> {
  const request = await chooseTestFramework(generation, input, context);
  const result = (await hasModel(generation, context))
    ? await writeTests(generation, request, context)
    : await testScaffold(generation, request);
  return { ...result, test_code: importFrom(input.code_file, result.test_code, request) };
}

async function writeTests(
  generation: GenerationContext,
  request: TestsRequest,
  context: CallContext,
): Promise<GeneratedTests> {
  const attempts = await attemptUntilVerified<Answer>(
    generation,
    {
      subject: 'the tests',
      question: (failed) => ({
        prompt: failed ? 'repair-tests' : 'generate-tests',
        values: valuesFor(request, failed),
        name: 'generated_tests',
        schema: answerSchema,
      }),
      candidate: ({ test_code }) => ({
        language: request.language,
        code: request.code,
        tests: withoutFence(test_code),
        testsWrittenBy: 'self',
        isCodeGiven: true,
        framework: request.framework,
      }),
      needsRepair: (attempt) => gapsOf(attempt, request).length > 0 && !isCodeToBlame(attempt),
      isBetter,
    },
    context,
  );
  return resultOf(request, attempts);
}

function valuesFor(
  request: TestsRequest,
  failed: Attempt<Answer> | undefined,
): Record<string, string> {
  const { language, code, framework, coverageTarget } = request;
  return {
    language,
    framework,
    coverage_target: String(coverageTarget),
    rules: readLanguage(language).rules,
    code_file: placeFiles(language, { code, tests: '' }).codeFile,
    code: fenced(code),
    tests: fenced(failed?.verdict.tests ?? ''),
    failures: (failed ? gapsOf(failed, request) : []).map((gap) => `- ${gap}`).join('\n'),
  };
}

const maxSurvivorsShown = 10;

/** What the tests lack; empty when they are as good as requested. */
function gapsOf({ verdict }: Attempt<Answer>, { coverageTarget }: TestsRequest): string[] {
  const { coverage_percent, mutants } = verdict.evidence;
  const gaps = [...verdict.failures];
  if (coverage_percent !== null && coverage_percent < coverageTarget) {
    gaps.push(`They reach ${coverage_percent} % of the lines; ${coverageTarget} % are wanted.`);
  }
  if (gaps.length > 0 && mutants !== null && mutants.survived.length > 0) {
    const shown = mutants.survived.slice(0, maxSurvivorsShown).join('; ');
    gaps.push(`These changes of the code were not noticed: ${shown}.`);
  }
  return gaps;
}

/** The model stands by its failing tests: repairs would only bend them to the code. */
function isCodeToBlame({ answer, verdict }: Attempt<Answer>): boolean {
  return answer.code_problems.length > 0 && (verdict.evidence.tests?.failed ?? 0) > 0;
}

function isBetter(one: Attempt<Answer>, other: Attempt<Answer>): boolean {
  if (one.verdict.hasPassed !== other.verdict.hasPassed) return one.verdict.hasPassed;
  if (one.verdict.progress !== other.verdict.progress) {
    return one.verdict.progress > other.verdict.progress;
  }
  const coverageOf = ({ verdict }: Attempt<Answer>): number =>
    verdict.evidence.coverage_percent ?? 0;
  return coverageOf(one) > coverageOf(other);
}

function resultOf(
  request: TestsRequest,
  { best: { answer, model, verdict }, count, notes }: Attempts<Answer>,
): GeneratedTests {
  const { evidence } = verdict;
  const measured = evidence.coverage_percent;
  const isBelow = measured !== null && measured < request.coverageTarget;
  const below = `tests that reach ${request.coverageTarget} % of the lines; these reach ${measured} %`;
  const problems = answer.code_problems.map((text) => `The code itself looks wrong: ${text}`);
  return {
    test_code: verdict.tests,
    test_count: verdict.testNames.length,
    coverage_estimate: Math.round(measured ?? 0),
    test_cases: answer.test_cases.length > 0 ? answer.test_cases : [...verdict.testNames],
    test_framework: request.framework,
    language: request.language,
    origin: 'model',
    model,
    // Written from the code, they confirm what it does, right or wrong.
    level: isBelow && verdict.level === 'self_tested' ? 'built' : verdict.level,
    missing: isBelow ? below : verdict.missing,
    verified: false,
    evidence: {
      ...evidence,
      attempts: count,
      notes: [...evidence.notes, ...problems, ...notes],
    },
  };
}

async function testScaffold(
  { scaffolds }: GenerationContext,
  { code, language, framework }: TestsRequest,
): Promise<GeneratedTests> {
  if (!scaffolds) throw new NoModelError('Writing tests');
  const { test_code, test_cases } = await scaffolds.tests({ code, language, framework });
  return {
    ...scaffoldFacts,
    test_code,
    test_count: test_cases.length,
    coverage_estimate: 0,
    test_cases: [...test_cases],
    test_framework: framework,
    language,
    notice: `A skeleton to fill in: it tests nothing yet. ${howToConnect}`,
  };
}

/** Names the module under test after its file in the project: verification calls it `solution`. */
export function importFrom(
  file: string | undefined,
  tests: string,
  { code, language }: Pick<TestsRequest, 'code' | 'language'>,
): string {
  const { base, name, dir } = parse(file?.replaceAll('\\', '/') ?? '');
  if (name === '') return tests;
  switch (language) {
    case 'python':
      return importPython(dir, name, tests);
    case 'javascript':
    case 'typescript':
      return tests.replaceAll(
        /(['"])\.\/solution(?:\.\w+)?\1/g,
        (_all, quote) => `${quote}./${base}${quote}`,
      );
    case 'go': {
      const [, own = 'solution'] = /^package\s+(\w+)/m.exec(code) ?? [];
      return tests.replace(/^package\s+solution\b/m, `package ${own}`);
    }
    case 'java':
    case 'rust':
      return tests;
  }
}

/** `src/shop/cart.py` is `shop.cart`; a name that Python cannot import stays `solution`. */
function importPython(dir: string, name: string, tests: string): string {
  const folders = dir.split('/').filter((part) => part !== '' && part !== '.');
  const packages = folders[0] === 'src' ? folders.slice(1) : folders;
  const isName = (part: string): boolean => /^[A-Za-z_]\w*$/.test(part);
  if (!isName(name)) return tests;
  const parent = packages.every(isName) ? packages.join('.') : '';
  const whole = parent === '' ? name : `${parent}.${name}`;
  return tests
    .replaceAll(/\bfrom solution\b|\bimport solution(?= as\b)|(?<=["'])solution(?=\.)/g, (found) =>
      found.replace('solution', whole),
    )
    .replaceAll(
      /\bimport solution\b/g,
      parent === '' ? `import ${name}` : `from ${parent} import ${name}`,
    )
    .replaceAll(/\bsolution\b/g, name);
}

/** The default of the tool, in any language. */
const defaultOfTool = 'pytest';

/**
 * Decides the language of the code and the framework of its tests. A named framework decides the language, or has to fit
 * it; only `pytest`, the default of the tool, gives way to the framework of another language.
 */
async function chooseTestFramework(
  { tools }: GenerationContext,
  input: TestsInput,
  context: CallContext,
): Promise<TestsRequest> {
  const { code, coverage_target: coverageTarget } = input;
  const named = input.test_framework?.trim().toLowerCase() ?? defaultOfTool;
  const isDefault = named === defaultOfTool;
  const fitting = parsedLanguages.filter((one) =>
    Object.hasOwn(readLanguage(one).frameworks, named),
  );
  const known = input.language ?? (fitting.length === 1 && !isDefault ? fitting[0] : undefined);
  const language = known ?? (await detectLanguage(tools, code, context));
  if (!isParsedLanguage(language)) throw new UnfitFrameworkError(named, language, []);
  const { frameworks, defaultFramework } = readLanguage(language);
  const isFit = Object.hasOwn(frameworks, named);
  if (!isFit && !isDefault) throw new UnfitFrameworkError(named, language, Object.keys(frameworks));
  return { code, coverageTarget, language, framework: isFit ? named : defaultFramework };
}

const detectedSchema = z.object({ language: z.enum(languages) });

/** The formatter tries the likely languages and reports which one fits. */
async function detectLanguage(
  tools: ToolCaller,
  code: string,
  context: CallContext,
): Promise<Language> {
  const request = { name: 'code.format_code', args: { code }, schema: detectedSchema };
  const called = await tryTool(tools, request, context);
  if ('failure' in called) throw new UnknownLanguageError();
  return called.value.language;
}
