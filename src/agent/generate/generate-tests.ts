import { z } from 'zod';
import type { GeneratedTests, Generation } from '../../contract/generation/index.ts';
import type { Language } from '../../contract/language/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { askModel, fenced, withoutFence } from './ask-model.ts';
import { chooseTestFramework } from './choose-test-framework.ts';
import { howToConnect, NoModelError } from './errors.ts';
import { hasModel, tryAgain, type GenerationContext } from './generation-context.ts';
import { languageProfiles } from './language-profile.ts';
import { scaffoldFacts } from './scaffolds.ts';
import type { ParsedLanguage } from './syntax-parser.ts';
import { placeFiles } from './verify/place-files.ts';
import { verifyCode, type Verdict } from './verify/verify-code.ts';

type TestsInput = Parameters<Generation['generateTests']>[0];

/** The request with what was not said decided. */
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

/** Tests for code, run on it, with the coverage that was measured and the changes that they notice. */
export async function generateTests(
  generation: GenerationContext,
  input: TestsInput,
  context: CallContext,
): Promise<GeneratedTests> {
  const request = await decide(generation, input, context);
  if (!(await hasModel(generation, context))) return testScaffold(generation, request);
  let attempt = await attemptTests(generation, request, { context, number: 1 });
  let best = attempt;
  let problem: string | undefined;
  for (let number = 2; number <= generation.maxRepairs + 1; number += 1) {
    if (wishesOf(attempt, request).length === 0 || isCodeToBlame(attempt)) break;
    const failed = attempt;
    const next = await tryAgain(
      () => attemptTests(generation, request, { context, number, failed }),
      context,
    );
    if ('problem' in next) {
      problem = next.problem;
      break;
    }
    attempt = next.value;
    if (isBetter(attempt, best)) best = attempt;
  }
  return resultOf(request, best, { attempts: attempt.number, problem });
}

async function decide(
  generation: GenerationContext,
  { code, language, test_framework, coverage_target }: TestsInput,
  context: CallContext,
): Promise<TestsRequest> {
  const chosen = await chooseTestFramework(
    { code, language, framework: test_framework },
    { tools: generation.tools, context },
  );
  return { code, ...chosen, coverageTarget: coverage_target };
}

interface Attempt {
  readonly number: number;
  readonly answer: z.output<typeof answerSchema>;
  readonly model: string;
  readonly verdict: Verdict;
}

async function attemptTests(
  generation: GenerationContext,
  request: TestsRequest,
  call: { readonly context: CallContext; readonly number: number; readonly failed?: Attempt },
): Promise<Attempt> {
  const { context, number, failed } = call;
  const total = generation.maxRepairs + 1;
  context.progress({
    progress: number - 1,
    total,
    message: `attempt ${number}: tests are written`,
  });
  const { value, model } = await askModel(
    generation.models,
    {
      prompt: failed ? 'repair-tests' : 'generate-tests',
      values: valuesFor(request, failed),
      name: 'generated_tests',
      schema: answerSchema,
    },
    { limits: generation.limits, context },
  );
  context.progress({ progress: number - 1, total, message: `attempt ${number}: tests are run` });
  const verdict = await verifyCode(
    generation,
    {
      language: request.language,
      code: request.code,
      tests: withoutFence(value.test_code),
      testsWrittenBy: 'self',
      isCodeGiven: true,
      framework: request.framework,
    },
    context,
  );
  return { number, answer: value, model, verdict };
}

function valuesFor(request: TestsRequest, failed: Attempt | undefined): Record<string, string> {
  const { language, code, framework, coverageTarget } = request;
  return {
    language,
    framework,
    coverage_target: String(coverageTarget),
    rules: languageProfiles[language].rules,
    code_file: placeFiles(language, { code, tests: '' }).codeFile,
    code: fenced(code),
    tests: fenced(failed?.verdict.tests ?? ''),
    failures: (failed ? wishesOf(failed, request) : []).map((wish) => `- ${wish}`).join('\n'),
  };
}

const maxSurvivorsShown = 10;

/** What would make the tests better; empty when they are as good as was asked for. */
function wishesOf({ verdict }: Attempt, { coverageTarget }: TestsRequest): string[] {
  const { coverage_percent, mutants } = verdict.evidence;
  const wishes = [...verdict.failures];
  if (coverage_percent !== null && coverage_percent < coverageTarget) {
    wishes.push(`They reach ${coverage_percent} % of the lines; ${coverageTarget} % are wanted.`);
  }
  if (wishes.length > 0 && mutants !== null && mutants.survived.length > 0) {
    const shown = mutants.survived.slice(0, maxSurvivorsShown).join('; ');
    wishes.push(`These changes of the code were not noticed: ${shown}.`);
  }
  return wishes;
}

/** The model stands by its tests: more rounds would only bend them to the code. */
function isCodeToBlame({ answer, verdict }: Attempt): boolean {
  return answer.code_problems.length > 0 && (verdict.evidence.tests?.failed ?? 0) > 0;
}

function isBetter(one: Attempt, other: Attempt): boolean {
  if (one.verdict.hasPassed !== other.verdict.hasPassed) return one.verdict.hasPassed;
  if (one.verdict.progress !== other.verdict.progress) {
    return one.verdict.progress > other.verdict.progress;
  }
  const coverageOf = ({ verdict }: Attempt): number => verdict.evidence.coverage_percent ?? 0;
  return coverageOf(one) > coverageOf(other);
}

function resultOf(
  request: TestsRequest,
  { answer, model, verdict }: Attempt,
  { attempts, problem }: { readonly attempts: number; readonly problem: string | undefined },
): GeneratedTests {
  const { evidence } = verdict;
  const measured = evidence.coverage_percent;
  const isBelow = measured !== null && measured < request.coverageTarget;
  const below = `tests that reach ${request.coverageTarget} % of the lines; these reach ${measured} %`;
  const notes = [
    ...evidence.notes,
    ...answer.code_problems.map((mistake) => `The code itself looks wrong: ${mistake}`),
    ...(problem === undefined ? [] : [problem]),
  ];
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
    evidence: { ...evidence, attempts, notes },
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
    language: language satisfies Language,
    notice: `A skeleton to fill in: it tests nothing yet. ${howToConnect}`,
  };
}
