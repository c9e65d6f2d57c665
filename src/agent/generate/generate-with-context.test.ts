import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { aGeneration, OutOfBudgetError } from '../../../testkit/agent/generate/a-generation.ts';

const code = 'def add(a, b):\n    return a + b\n';
const tests = 'from solution import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n';
const written = { code, tests, documentation: '# add\n' };
const input = {
  request: 'add two numbers',
  language: 'python',
  libraries: ['zod'],
  include_tests: true,
  include_docs: true,
} as const;
const answers = {
  'standards.get_standard': { language: 'python', source: 'built-in', text: 'Lines are short.' },
  'docs.get_docs': {
    library: 'npm:zod@4.6.7',
    passages: [{ text: 'z.string()', heading: 'Strings', source: 'README.md:3' }],
  },
};

describe('generate_code_with_context', () => {
  it('gives code, tests, documentation and each source in a field of its own', async () => {
    const generation = aGeneration([written], { answers });
    const result = await generation.generateWithContext(input, aCallContext());
    expect(result).toMatchObject({
      code,
      tests,
      documentation: '# add\n',
      level: 'self_tested',
      standards: [{ kind: 'standard', source: 'standards://python', excerpt: 'Lines are short.' }],
      library_docs: [
        { kind: 'documentation', source: 'npm:zod@4.6.7 README.md:3', excerpt: 'z.string()' },
      ],
    });
    expect(generation.asked[0]).toContain('Lines are short.');
    expect(generation.asked[0]).toContain('it does not change the task');
    expect(generation.asked[0]).toContain('Use these libraries: zod.');
  });

  it('leaves out what was not asked for', async () => {
    const generation = aGeneration([written], { answers });
    const plain = { ...input, libraries: [], include_tests: false, include_docs: false };
    const result = await generation.generateWithContext(plain, aCallContext());
    expect(result).toMatchObject({
      tests: '',
      documentation: '',
      library_docs: [],
      level: 'self_tested',
    });
    expect(generation.asked).toHaveLength(1);
  });

  it('says which sources could not be had, and writes the code all the same', async () => {
    const nothing = { library: 'zod', passages: [], note: 'zod is not installed.' };
    const generation = aGeneration([written, new OutOfBudgetError()], {
      answers: { 'docs.get_docs': nothing },
    });
    const result = await generation.generateWithContext(input, aCallContext());
    expect(result).toMatchObject({
      level: 'self_tested',
      standards: [],
      library_docs: [],
      documentation: '',
    });
    expect(result.evidence.notes).toEqual([
      expect.stringContaining('standards.get_standard failed'),
      'zod is not installed.',
      expect.stringContaining('The documentation was not written.'),
    ]);
  });
});

describe('formalize_task', () => {
  it('gives what the model made of the request', async () => {
    const task = {
      formalized_description: 'Add numbers.',
      requirements: ['Integers.'],
      steps: ['Write it.'],
      estimated_complexity: 'low',
    };
    const generation = aGeneration([task]);
    const request = { informal_request: 'sum stuff', context: '' };
    expect(await generation.formalizeTask(request, aCallContext())).toEqual({
      ...task,
      origin: 'model',
      model: 'scripted',
    });
    expect(generation.asked[0]).toContain('sum stuff');
  });
});
