import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { aGeneration, OutOfBudgetError } from '../../../testkit/agent/generate/a-generation.ts';

const code = 'def add(a, b):\n    return a + b\n';
const tests = 'from solution import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n';
const input = { code, coverage_target: 80 };

describe('generate_tests', () => {
  it('runs the tests on the code, measures coverage and plants mistakes', async () => {
    const generation = aGeneration([{ test_code: tests, test_cases: ['It adds.'] }], {
      coverage: 87.6,
    });
    const result = await generation.generateTests(input, aCallContext());
    expect(result).toMatchObject({
      test_code: tests,
      test_count: 1,
      coverage_estimate: 88,
      test_cases: ['It adds.'],
      test_framework: 'pytest',
      language: 'python',
      level: 'self_tested',
      verified: false,
      evidence: { tests: { written_by: 'self', passed: 1 }, attempts: 1 },
    });
    expect(result.evidence.mutants?.planted).toBeGreaterThan(0);
    expect(generation.asked[0]).toContain('at least 80 % are wanted');
  });

  it.each([
    ['python', code, tests, 'src/cart.py', 'from cart import add'],
    ['python', code, tests, 'src/my-cart.py', 'from solution import add'],
    ['python', code, tests, 'src/shop/cart.py', 'from shop.cart import add'],
    [
      'python',
      code,
      'import solution\nsolution.add\n',
      'src/shop/cart.py',
      'from shop import cart\ncart.add',
    ],
    ['python', code, 'import solution as s\n', 'shop/cart.py', 'import shop.cart as s'],
    ['python', code, 'patch("solution.add")\n', './shop/cart.py', 'patch("shop.cart.add")'],
    ['python', code, 'import solution\n', 'my-shop/cart.py', 'import cart'],
    [
      'typescript',
      'export const one = 1;\n',
      "import { one } from './solution.ts';\n",
      'src/cart.ts',
      "import { one } from './cart.ts';",
    ],
    ['go', 'package cart\n', 'package solution\n', 'cart/cart.go', 'package cart'],
  ] as const)(
    'names the module after its file in the project: %s',
    async (language, own, test_code, code_file, imported) => {
      const generation = aGeneration([{ test_code }]);
      const request = { ...input, code: own, language, code_file };
      const result = await generation.generateTests(request, aCallContext());
      expect(result.test_code).toContain(imported);
    },
  );

  it('asks for more tests while they reach less than was asked for, and says so in the end', async () => {
    const generation = aGeneration([{ test_code: tests }], { coverage: 50, maxRepairs: 1 });
    const result = await generation.generateTests(input, aCallContext());
    expect(generation.asked[1]).toContain('They reach 50 % of the lines; 80 % are wanted.');
    expect(result).toMatchObject({
      level: 'built',
      missing: 'tests that reach 80 % of the lines; these reach 50 %',
      verified: false,
      coverage_estimate: 50,
      evidence: { attempts: 2 },
    });
    expect(result.test_cases).toEqual(['test_adds']);
  });

  it('has tests repaired that fail on the code', async () => {
    const wrong = tests.replace('== 3', '== "WRONG"');
    const generation = aGeneration([{ test_code: wrong }, { test_code: tests }]);
    const result = await generation.generateTests(input, aCallContext());
    expect(result).toMatchObject({ level: 'self_tested', evidence: { attempts: 2 } });
    expect(generation.asked[1]).toContain('Test "test_adds" failed');
  });

  it('says that the code looks wrong rather than bend the tests to it', async () => {
    const problem = 'add subtracts.';
    const generation = aGeneration([{ test_code: tests, code_problems: [problem] }], {
      isRight: () => false,
    });
    const result = await generation.generateTests(input, aCallContext());
    expect(result).toMatchObject({ verified: false, evidence: { attempts: 1 } });
    expect(result.evidence.notes).toContain(`The code itself looks wrong: ${problem}`);
  });

  it('names what was not noticed when it asks again', async () => {
    const isRight = (text: string): boolean => !/BaseException|return None$/m.test(text);
    const generation = aGeneration([{ test_code: tests }], { isRight, maxRepairs: 1 });
    const result = await generation.generateTests(input, aCallContext());
    expect(result.verified).toBe(false);
    expect(generation.asked[1]).toContain('These changes of the code were not noticed: add:');
  });

  it('keeps the better tests when the model can be asked no more', async () => {
    const generation = aGeneration([{ test_code: tests }, new OutOfBudgetError()], {
      coverage: 50,
    });
    const result = await generation.generateTests(input, aCallContext());
    expect(result.evidence.notes.at(-1)).toContain('It was not repaired further');
  });

  it('writes tests of frameworks that are not here, and does not claim that they ran', async () => {
    const generation = aGeneration([{ test_code: tests }]);
    const result = await generation.generateTests(
      { ...input, language: 'javascript', test_framework: 'Jest' },
      aCallContext(),
    );
    expect(result).toMatchObject({ verified: false, test_framework: 'jest', test_count: 0 });
    expect(result.evidence.notes).toContain(
      'The tests were not run: jest is not installed in the sandbox.',
    );
  });

  it.each([
    [{ test_framework: 'junit' }, { language: 'java', framework: 'junit' }],
    [{ test_framework: 'unittest' }, { language: 'python', framework: 'unittest' }],
    [
      { test_framework: 'pytest', language: 'go' as const },
      { language: 'go', framework: 'testing' },
    ],
    [{ language: 'rust' as const }, { language: 'rust', framework: 'cargo' }],
  ])('takes the framework and the language that %j means', async (wanted, expected) => {
    const generation = aGeneration([{ test_code: 'SYNTAX' }], { maxRepairs: 0 });
    const result = await generation.generateTests({ ...input, ...wanted }, aCallContext());
    expect({ language: result.language, framework: result.test_framework }).toEqual(expected);
  });

  it('refuses a framework of another language, and code of which nobody knows the language', async () => {
    const generation = aGeneration([{ test_code: tests }], {
      failing: { 'code.format_code': 'code.unknown_language' },
    });
    const ask = (wanted: object): Promise<unknown> =>
      generation.generateTests({ ...input, ...wanted }, aCallContext());
    await expect(ask({ language: 'go', test_framework: 'junit' })).rejects.toThrow(
      'Tests for go cannot be written with "junit": take testing, go test',
    );
    await expect(ask({ language: 'css' })).rejects.toMatchObject({
      code: 'generation.unfit_framework',
    });
    await expect(ask({})).rejects.toMatchObject({ code: 'generation.unknown_language' });
  });
});
