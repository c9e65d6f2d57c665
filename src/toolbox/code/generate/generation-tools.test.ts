import { afterAll, describe, expect, it } from 'vitest';
import type { Evidence, Generation } from '../../../contract/generation/index.ts';
import { examplesMetaKey } from '../../../contract/tool/index.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { createThreadedCodeServer } from '../index.ts';

const evidence: Evidence = {
  parsed: true,
  formatted: true,
  lint_errors: 0,
  built: true,
  tests: { written_by: 'self', passed: 2, failed: 0, skipped: 0, are_effective: true },
  examples: null,
  coverage_percent: 100,
  branches: { total: 2, run: 2, missing: [] },
  mutants: { planted: 3, killed: 2, survived: ['add: "+" became "-", line 2'] },
  attempts: 2,
  notes: ['A note.'],
};
const facts = {
  origin: 'model',
  model: 'scripted',
  level: 'self_tested',
  missing: 'tests from you',
  verified: false,
  evidence,
} as const;
const code = {
  code: 'x = 1\n',
  language: 'python' as const,
  explanation: 'e',
  dependencies: [],
  test_code: '',
};

const asked: object[] = [];
let isClosed = false;

const generation: Generation & { close(): Promise<void> } = {
  formalizeTask: async (input) => {
    asked.push(input);
    return {
      formalized_description: 'Do it.',
      requirements: ['It works.'],
      steps: ['Begin.'],
      estimated_complexity: 'low',
      origin: 'template',
      model: null,
      notice: 'Connect a model.',
    };
  },
  generateCode: async (input) => {
    asked.push(input);
    return { ...code, ...facts };
  },
  generateTests: async (input) => {
    asked.push(input);
    return {
      ...facts,
      level: 'built',
      test_code: 't\n',
      test_count: 2,
      coverage_estimate: 100,
      test_cases: [],
      test_framework: 'pytest',
      language: 'python',
    };
  },
  generateWithContext: async (input) => {
    asked.push(input);
    const standards = [{ kind: 'standard' as const, source: 'standards://python', excerpt: 'e' }];
    return { ...code, ...facts, tests: '', documentation: '# d\n', standards, library_docs: [] };
  },
  close: async () => {
    isClosed = true;
  },
};

const settings = {
  exclude: [],
  lineLength: 100,
  maxIssues: 50,
  severityLevels: ['critical'] as const,
  osvUrl: '',
  osvDirectory: undefined,
};
const options = { version: '1', roots: [], standardsDirectory: undefined, settings };
const server = createThreadedCodeServer(options, async () => generation);
afterAll(() => server.close());

async function call(name: string, args: object): Promise<{ text: string; isError: boolean }> {
  const result = await server.callTool(name, args, aCallContext());
  return { text: String(result.content[0]?.['text']), isError: result.isError === true };
}

const names = ['formalize_task', 'generate_code', 'generate_tests', 'generate_code_with_context'];

describe('the tools that write code', () => {
  it('are offered beside the others, change nothing, and say what users ask for', async () => {
    const tools = (await server.listTools()).filter(({ name }) => names.includes(name));
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { annotations, _meta } of tools) {
      expect(annotations).toMatchObject({
        readOnlyHint: true,
        openWorldHint: true,
        idempotentHint: false,
      });
      expect(_meta?.[examplesMetaKey]).toHaveProperty('length');
    }
  });

  it('are not offered where nothing writes code', async () => {
    const plain = createThreadedCodeServer(options);
    expect((await plain.listTools()).map(({ name }) => name)).not.toContain('generate_code');
    await plain.close();
  });

  it('take the defaults that the documents name', async () => {
    asked.length = 0;
    await call('generate_code', { description: 'd' });
    await call('generate_tests', { code: 'c' });
    await call('formalize_task', { informal_request: 'r' });
    await call('generate_code_with_context', { request: 'r' });
    expect(asked).toEqual([
      { description: 'd', language: 'python', style: 'pep8' },
      { code: 'c', test_framework: 'pytest', coverage_target: 80 },
      { informal_request: 'r', context: '' },
      { request: 'r', language: 'python', libraries: [], include_tests: true, include_docs: true },
    ]);
  });

  it('pass on what was given', async () => {
    asked.length = 0;
    await call('generate_code', { description: 'd', language: 'go', tests: 't', code: 'c' });
    await call('generate_tests', { code: 'c', language: 'go', coverage_target: 90 });
    expect(asked).toMatchObject([
      { language: 'go', tests: 't', code: 'c' },
      { language: 'go', coverage_target: 90 },
    ]);
  });

  it('tell people what was found out', async () => {
    const { text } = await call('generate_code', { description: 'd' });
    expect(text).toContain(
      'Self-tested, NOT verified (scripted, 2 attempts); 2 tests passed, 0 failed, 0 skipped (written by the model)',
    );
    expect(text).toContain(
      'coverage 100 %; 2 of 3 changes of the code noticed; missing for more: tests from you\n- A note.',
    );
    expect((await call('generate_tests', { code: 'c' })).text).toContain('Built, NOT verified');
    expect((await call('formalize_task', { informal_request: 'r' })).text).toContain(
      'Connect a model.',
    );
    const context = await call('generate_code_with_context', { request: 'r' });
    expect(context.text).toContain('used standards://python');
  });

  it('refuse what the schema does not allow', async () => {
    const { text, isError } = await call('generate_code', { description: 'd', language: 'cobol' });
    expect(isError).toBe(true);
    expect(text).toContain('toolbox.invalid_arguments');
  });

  it('close what was opened for them', async () => {
    await server.close();
    expect(isClosed).toBe(true);
  });
});
