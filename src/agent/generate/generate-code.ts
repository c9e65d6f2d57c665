import { z } from 'zod';
import type { GeneratedCode, Generation } from '../../contract/generation/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { askModel, fenced, withoutFence } from './ask-model.ts';
import { howToConnect, NoModelError } from './errors.ts';
import { hasModel, tryAgain, type GenerationContext } from './generation-context.ts';
import { rulesFor, styleFor } from './language-profile.ts';
import { scaffoldFacts } from './scaffolds.ts';
import { verifyCode, type Verdict } from './verify/verify-code.ts';

export type CodeRequest = Parameters<Generation['generateCode']>[0] & {
  /** Standards and documentation to keep to. */
  readonly material?: string;
};

const answerSchema = z.object({
  code: z.string(),
  explanation: z.string().default(''),
  dependencies: z.array(z.string()).default([]),
  tests: z.string().default('').describe('The whole test file.'),
});

type Answer = z.output<typeof answerSchema>;

/** Code for a description, with the evidence of what was checked. Failures go back to the model, so often as settings allow. */
export async function generateCode(
  generation: GenerationContext,
  request: CodeRequest,
  context: CallContext,
): Promise<GeneratedCode> {
  if (!(await hasModel(generation, context))) return codeScaffold(generation, request);
  let attempt = await attemptCode(generation, request, { context, number: 1 });
  let best = attempt;
  let problem: string | undefined;
  for (let number = 2; number <= generation.maxRepairs + 1; number += 1) {
    if (attempt.verdict.hasPassed || !canBeCured(attempt, request)) break;
    const failed = attempt;
    const next = await tryAgain(
      () => attemptCode(generation, request, { context, number, failed }),
      context,
    );
    if ('problem' in next) {
      problem = next.problem;
      break;
    }
    attempt = next.value;
    if (attempt.verdict.hasPassed || attempt.verdict.progress >= best.verdict.progress) {
      best = attempt;
    }
  }
  return resultOf(request, best, { attempts: attempt.number, problem });
}

interface Attempt {
  readonly number: number;
  readonly answer: Answer;
  readonly model: string;
  readonly verdict: Verdict;
}

interface AttemptCall {
  readonly context: CallContext;
  readonly number: number;
  /** What has to be repaired. */
  readonly failed?: Attempt;
}

async function attemptCode(
  generation: GenerationContext,
  request: CodeRequest,
  { context, number, failed }: AttemptCall,
): Promise<Attempt> {
  const total = generation.maxRepairs + 1;
  const tell = (message: string): void =>
    context.progress({ progress: number - 1, total, message: `attempt ${number}: ${message}` });
  tell(failed ? 'the model repairs the code' : 'the model writes the code');
  const { value, model } = await askModel(
    generation.models,
    {
      prompt: failed ? 'repair-code' : 'generate-code',
      values: valuesFor(request, failed),
      name: 'generated_code',
      schema: answerSchema,
    },
    { limits: generation.limits, context },
  );
  tell('the code is checked');
  const verdict = await verifyCode(
    generation,
    {
      language: request.language,
      code: withoutFence(value.code),
      tests: request.tests ?? withoutFence(value.tests),
      testsWrittenBy: request.tests === undefined ? 'self' : 'given',
      ownTests: withoutFence(value.tests),
      request: request.description,
      isCodeGiven: false,
    },
    context,
  );
  return { number, answer: value, model, verdict };
}

function valuesFor(request: CodeRequest, failed: Attempt | undefined): Record<string, string> {
  const { language, description, style, tests, code, material = '' } = request;
  const parts = [
    material,
    ...(code === undefined
      ? []
      : [`\nChange this code rather than write it anew:\n${fenced(code)}`]),
    ...(tests === undefined
      ? []
      : [`\nIt has to pass these tests, which stay as they are:\n${fenced(tests)}`]),
  ];
  return {
    language,
    description,
    style: styleFor(language, style),
    rules: rulesFor(language),
    material: parts.join('\n'),
    code: fenced(failed?.verdict.code ?? ''),
    tests: fenced(failed?.verdict.tests ?? ''),
    tests_too: tests === undefined ? ' and the whole test file' : '',
    failures: (failed?.verdict.failures ?? []).map((failure) => `- ${failure}`).join('\n'),
  };
}

/** Tests that were given stay as they are: what is wrong with them no repair of the code can cure. */
function canBeCured({ verdict }: Attempt, { tests }: CodeRequest): boolean {
  if (verdict.failures.length === 0) return false;
  const { tests: run } = verdict.evidence;
  return tests === undefined || run === null || run.failed > 0 || run.passed === 0;
}

function resultOf(
  { language }: CodeRequest,
  { answer, model, verdict }: Attempt,
  { attempts, problem }: { readonly attempts: number; readonly problem: string | undefined },
): GeneratedCode {
  const { evidence, level, missing, code, tests } = verdict;
  return {
    code,
    language,
    explanation: answer.explanation,
    dependencies: answer.dependencies,
    test_code: tests,
    origin: 'model',
    model,
    level,
    missing,
    verified: level === 'verified',
    evidence: {
      ...evidence,
      attempts,
      notes: [...evidence.notes, ...(problem === undefined ? [] : [problem])],
    },
  };
}

async function codeScaffold(
  { scaffolds }: GenerationContext,
  { description, language }: CodeRequest,
): Promise<GeneratedCode> {
  if (!scaffolds) throw new NoModelError('Writing code');
  const { code, explanation, dependencies, test_code } = await scaffolds.code({
    description,
    language,
  });
  return {
    ...scaffoldFacts,
    code,
    language,
    explanation,
    dependencies: [...dependencies],
    test_code,
    notice: `A template to start from, not the code you asked for. ${howToConnect}`,
  };
}
