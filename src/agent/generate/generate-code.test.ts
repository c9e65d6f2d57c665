import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { aGeneration, OutOfBudgetError } from '../../../testkit/agent/generate/a-generation.ts';

const right = 'def add(a, b):\n    return a + b\n';
const wrong = 'def add(a, b):\n    return a - b\n';
const tests = 'from solution import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n';
const task = { description: 'add two numbers', language: 'python', style: 'pep8' } as const;

describe('generate_code', () => {
  it('calls code self-tested that passes every check on its author’s tests, and says what was checked', async () => {
    const generation = aGeneration([
      { code: right, tests, explanation: 'It adds.', dependencies: [] },
    ]);
    const result = await generation.generateCode(task, aCallContext());
    expect(result).toMatchObject({
      code: right,
      test_code: tests,
      explanation: 'It adds.',
      origin: 'model',
      model: 'scripted',
      level: 'self_tested',
      missing: 'tests or examples from you: the model wrote these tests itself',
      verified: false,
      evidence: {
        parsed: true,
        formatted: true,
        lint_errors: 0,
        built: true,
        tests: { written_by: 'self', passed: 1, failed: 0, skipped: 0, are_effective: true },
        coverage_percent: 100,
        attempts: 1,
        notes: [],
      },
    });
    expect(result.evidence.mutants?.killed).toBeGreaterThan(0);
  });

  it('gives failures back to the model until the code passes', async () => {
    const generation = aGeneration([
      { code: 'SYNTAX', tests },
      { code: wrong, tests },
      { code: `\`\`\`python\n${right}\`\`\``, tests },
    ]);
    const result = await generation.generateCode(task, aCallContext());
    expect(result).toMatchObject({ level: 'self_tested', code: right, evidence: { attempts: 3 } });
    expect(generation.asked[1]).toContain('The code is not valid python: line 1: not valid');
    expect(generation.asked[2]).toContain('Test "test_adds" failed: assert 1 == 2');
    expect(generation.asked[2]).toContain(wrong.trim());
  });

  it('stops after as many repairs as are allowed and returns the attempt that came furthest', async () => {
    const generation = aGeneration(
      [
        { code: wrong, tests },
        { code: 'SYNTAX', tests },
      ],
      {
        maxRepairs: 2,
      },
    );
    const result = await generation.generateCode(task, aCallContext());
    expect(generation.asked).toHaveLength(3);
    expect(result).toMatchObject({ verified: false, code: wrong, evidence: { attempts: 3 } });
    expect(result.evidence.notes.join()).toContain('test_adds');
  });

  it.each([
    ['lint errors', 'LINT = 1\n', tests, /F821/],
    [
      'code that does not load',
      'LOAD = 1\n',
      tests,
      /does not load: importing it ends the program/,
    ],
    [
      'code that does something else without a test runner',
      'NOTICES = 1\n',
      tests,
      /In an ordinary program, without a test runner, the tests do not pass: test_a\./,
    ],
    ['no tests', '', '', /There are no tests/],
    ['tests that are no code', '', 'SYNTAX', /The tests are not valid python/],
    [
      'skipped tests',
      '',
      `${tests}\n\ndef test_more():\n    assert add(2, 2) == "SKIP"\n`,
      /1 of the tests were skipped/,
    ],
  ])('does not verify %s', async (_what, before, given, reason) => {
    const generation = aGeneration([{ code: `${before}${right}`, tests: given }], {
      maxRepairs: 0,
    });
    const result = await generation.generateCode(task, aCallContext());
    expect(result.verified).toBe(false);
    expect(result.evidence.notes.join('\n')).toMatch(reason);
  });

  it('does not verify code whose tests pass whatever it does', async () => {
    const generation = aGeneration([{ code: right, tests }], {
      maxRepairs: 0,
      isRight: () => true,
    });
    const result = await generation.generateCode(task, aCallContext());
    expect(result).toMatchObject({
      verified: false,
      evidence: { tests: { are_effective: false } },
    });
    expect(result.evidence.notes.join()).toContain(
      'pass even when every function of the code fails',
    );
  });

  it('does not verify code whose tests notice errors but no changes', async () => {
    const isRight = (code: string): boolean => !/BaseException|return None$/m.test(code);
    const generation = aGeneration([{ code: right, tests }], { maxRepairs: 0, isRight });
    const result = await generation.generateCode(task, aCallContext());
    expect(result.verified).toBe(false);
    expect(result.evidence.notes[0]).toMatch(
      /^The tests pass whatever these functions return: add\./,
    );
    expect(result.evidence.mutants?.survived).toContain('add: "+" became "-", line 2');
  });

  it('does not verify where another text of the same program fails', async () => {
    const generation = aGeneration([{ code: right, tests }], {
      maxRepairs: 0,
      isRight: (code) => code === right,
    });
    const result = await generation.generateCode(task, aCallContext());
    expect(result.evidence.notes.join()).toContain('look at the text of the code');
  });

  it('holds the code to tests that were given, says so, and leaves them as they are', async () => {
    const generation = aGeneration([{ code: right, tests: 'ignored' }]);
    const given = tests.replaceAll('solution', 'sums');
    const result = await generation.generateCode({ ...task, tests: given }, aCallContext());
    expect(result).toMatchObject({
      level: 'verified',
      missing: null,
      verified: true,
      test_code: given,
      evidence: { tests: { written_by: 'given' } },
    });
    const run = generation.tools.calls.find(({ name }) => name === 'exec.run_tests');
    expect(Object.keys(Object(run?.args['files']))).toEqual(['sums.py', 'test_sums.py']);
    expect(generation.asked[0]).toContain('It has to pass these tests');
  });

  it.each([
    ['add(2, 2) == 5', 'The request says otherwise: add(2, 2) == 5 (assert 1 == 2)'],
    ['add two numbers', undefined],
  ])('runs the examples of the request: %s', async (description, note) => {
    const isRight = (_code: string, test: string): boolean => !test.includes('], 5)');
    const generation = aGeneration([{ code: right, tests }], { maxRepairs: 0, isRight });
    const result = await generation.generateCode({ ...task, description }, aCallContext());
    expect(result.evidence.notes[0]).toBe(note ?? result.evidence.notes[0]);
    expect(result.evidence.examples).toEqual(
      note === undefined
        ? null
        : { passed: 0, failed: [note.slice('The request says otherwise: '.length)] },
    );
    if (note !== undefined) expect(result.level).toBe('built');
  });

  it('does not ask for repairs that only other tests could bring', async () => {
    const generation = aGeneration([{ code: right, tests: '' }], { isRight: () => true });
    const result = await generation.generateCode({ ...task, tests, code: wrong }, aCallContext());
    expect(result).toMatchObject({ verified: false, evidence: { attempts: 1 } });
    expect(generation.asked[0]).toContain('Change this code rather than write it anew');
  });

  it('never calls SQL, HTML or CSS verified, because they cannot be run', async () => {
    const generation = aGeneration([{ code: 'SELECT 1;' }]);
    const result = await generation.generateCode({ ...task, language: 'sql' }, aCallContext());
    expect(result).toMatchObject({
      verified: false,
      evidence: { parsed: true, lint_errors: 0, built: null, tests: null, attempts: 1 },
    });
    expect(result.evidence.notes).toEqual(['Nothing was run: sql cannot be tested here.']);
  });

  it('says when tests could not be run here, without blaming the code', async () => {
    const failing = { 'exec.run_tests': 'sandbox.toolchain_missing' };
    const generation = aGeneration([{ code: right, tests }], { failing });
    const result = await generation.generateCode(task, aCallContext());
    expect(result).toMatchObject({ verified: false, evidence: { attempts: 1, tests: null } });
    expect(result.evidence.notes).toEqual(['The tests were not run: exec.run_tests fails']);
  });

  it('asks for other code where the check before a run refuses it', async () => {
    const failing = { 'exec.run_tests': 'exec.refused_by_check' };
    const generation = aGeneration([{ code: right, tests }], { failing, maxRepairs: 1 });
    await generation.generateCode(task, aCallContext());
    expect(generation.asked).toHaveLength(2);
  });

  it('keeps what it has when the model can be asked no more', async () => {
    const generation = aGeneration([{ code: wrong, tests }, new OutOfBudgetError()]);
    const result = await generation.generateCode(task, aCallContext());
    expect(result).toMatchObject({ verified: false, code: wrong, evidence: { attempts: 1 } });
    expect(result.evidence.notes.at(-1)).toBe('It was not repaired further: The budget is used up');
  });

  it('fails with the model’s own error when nothing was written yet', async () => {
    const generation = aGeneration([new OutOfBudgetError()]);
    await expect(generation.generateCode(task, aCallContext())).rejects.toThrow('budget');
  });

  it('ends when it is cancelled', async () => {
    const cancel = new AbortController();
    const generation = aGeneration([{ code: wrong, tests }, new OutOfBudgetError()]);
    const progress = ({ progress: at }: { progress: number }): void => {
      if (at === 1) cancel.abort(new Error('cancelled'));
    };
    const call = aCallContext({ signal: cancel.signal, progress });
    await expect(generation.generateCode(task, call)).rejects.toThrow('cancelled');
  });

  it('says how to connect a model when there is none', async () => {
    const generation = aGeneration([]);
    const call = generation.generateCode(task, aCallContext());
    await expect(call).rejects.toMatchObject({ code: 'generation.no_model' });
    await expect(call).rejects.toThrow(/STARCODER_ENDPOINT.*tutti models/);
  });

  it('gives a labelled template when there is no model and there are templates', async () => {
    const template = { code: right, explanation: 'e', dependencies: [], test_code: tests };
    const generation = aGeneration([], {
      scaffolds: {
        code: async () => template,
        tests: async () => ({ test_code: tests, test_cases: ['adds'] }),
        formalize: async () => ({
          formalized_description: 'd',
          requirements: [],
          steps: [],
          estimated_complexity: 'low',
        }),
      },
    });
    const code = await generation.generateCode(task, aCallContext());
    expect(code).toMatchObject({ origin: 'template', model: null, verified: false });
    expect(code.notice).toContain('template');
    const some = await generation.generateTests(
      { code: right, coverage_target: 80 },
      aCallContext(),
    );
    expect(some).toMatchObject({ origin: 'template', verified: false, coverage_estimate: 0 });
    const formal = { informal_request: 'r', context: '' };
    expect(await generation.formalizeTask(formal, aCallContext())).toMatchObject({
      origin: 'template',
      notice: expect.stringContaining('words of the request'),
    });
    const context = {
      request: 'r',
      language: 'python',
      libraries: [],
      include_tests: false,
      include_docs: true,
    } as const;
    expect(await generation.generateWithContext(context, aCallContext())).toMatchObject({
      origin: 'template',
      tests: '',
      documentation: '',
    });
  });
});
