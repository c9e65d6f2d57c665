import { anIntent } from './an-agent.ts';
import type { Script } from './scripted-models.ts';

export const code = 'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n';

export const tools = {
  'code.generate_code': () => ({
    code,
    language: 'python',
    level: 'self_tested',
    missing: 'tests from you',
    verified: false,
  }),
  'code.generate_tests': () => ({ test_code: 'def test_fib(): ...\n', language: 'python' }),
  'code.review_code': () => ({
    overall_score: 91,
    issues: [{ severity: 'minor', message: 'No docstring', line: 1 }],
  }),
};

/** The plan that writes the function, and the intent that leads to it. */
export const write = {
  name: 'Fibonacci',
  steps: [
    { id: 'code', tool: 'code.generate_code', args: { description: 'n-th Fibonacci number' } },
  ],
};
export const fibonacci = anIntent('Write a Fibonacci function', ['code.generate_code']);

/** Answers each kind of request with what is given for it; a list is gone through. */
export function says(answers: Readonly<Record<string, unknown>>): Script {
  return ({ name }, count) => {
    const answer = answers[name];
    return Array.isArray(answer) ? answer[Math.min(count, answer.length - 1)] : answer;
  };
}
