import { z } from 'zod';
import type { GeneratedCode, Generation } from '../../contract/generation/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { fenced, withoutFence } from './ask-model.ts';
import { attemptUntilVerified, type Attempt, type Attempts } from './attempt.ts';
import { howToConnect, NoModelError } from './errors.ts';
import { type GenerationContext, hasModel, scaffoldFacts } from './generation-context.ts';
import { importFrom } from './generate-tests.ts';
import { isParsedLanguage, rulesFor, styleFor } from './language.ts';

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

/** Code for a description, with the evidence of the checks. */
export async function generateCode(
  generation: GenerationContext,
  request: CodeRequest,
  context: CallContext,
): Promise<GeneratedCode> {
  if (!(await hasModel(generation, context))) return codeScaffold(generation, request);
  const attempts = await attemptUntilVerified<Answer>(
    generation,
    {
      subject: 'the code',
      question: (failed) => ({
        prompt: failed ? 'repair-code' : 'generate-code',
        values: valuesFor(request, failed),
        name: 'generated_code',
        schema: answerSchema,
      }),
      candidate: ({ code, tests }) => ({
        language: request.language,
        code: withoutFence(code),
        tests: request.tests ?? withoutFence(tests),
        testsWrittenBy: request.tests === undefined ? 'self' : 'given',
        ownTests: withoutFence(tests),
        request: request.description,
        isCodeGiven: false,
      }),
      needsRepair: (attempt) => !attempt.verdict.hasPassed && isRepairable(attempt, request),
      isBetter: (one, other) =>
        one.verdict.hasPassed || one.verdict.progress >= other.verdict.progress,
    },
    context,
  );
  const result = resultOf(request, attempts);
  const { code_file: file, language } = request;
  if (file === undefined || !isParsedLanguage(language)) return result;
  return { ...result, test_code: importFrom(file, result.test_code, { ...result, language }) };
}

function valuesFor(
  request: CodeRequest,
  failed: Attempt<Answer> | undefined,
): Record<string, string> {
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

/** Given tests stay as they are: weak ones cannot be repaired in the code. */
function isRepairable({ verdict }: Attempt<Answer>, { tests }: CodeRequest): boolean {
  if (verdict.failures.length === 0) return false;
  const { tests: run } = verdict.evidence;
  return tests === undefined || run === null || run.failed > 0 || run.passed === 0;
}

function resultOf(
  { language }: CodeRequest,
  { best: { answer, model, verdict }, count, notes }: Attempts<Answer>,
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
    evidence: { ...evidence, attempts: count, notes: [...evidence.notes, ...notes] },
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
