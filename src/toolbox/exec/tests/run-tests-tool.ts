import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { runTestsInput, runTestsOutput } from './run-tests-schema.ts';
import { runTests, type TestsContext } from './run-tests.ts';
import { summarizeTests } from './summarize-tests.ts';

/** The tool `run_tests`: the tests of a project nobody trusts, in a sandbox. */
export function runTestsTool(exec: TestsContext): DefinedTool {
  return defineTool({
    name: 'run_tests',
    title: 'Run tests in a sandbox',
    description:
      'Runs the tests of a project (`path`) or of given files in a sandbox without network and tells each test, its duration, the ' +
      'assertion that failed, and which lines no test ran. pytest, unittest, node:test, vitest, go test, cargo test, JUnit. ' +
      'The project is copied and stays as it is. A run that reports no test has failed, whatever its exit code.',
    input: runTestsInput,
    output: runTestsOutput,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    examples: [
      'run the tests of this project',
      'run the tests',
      'run all tests in this folder',
      'do the tests pass?',
      'test the project',
      'which tests fail?',
      'which lines are not covered by tests?',
      'run pytest with coverage',
      'execute the test suite',
      'run the unit tests again',
      'are the tests green?',
      'run them',
    ],
    run: (input, context) => runTests(exec, input, context),
    summarize: summarizeTests,
  });
}
