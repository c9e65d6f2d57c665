import { describe, expect, it } from 'vitest';
import { planSchema } from '../../contract/plan/index.ts';
import { decompose, type DecomposeRequest } from './decompose.ts';

const make = (task: string, parts: Partial<DecomposeRequest> = {}) =>
  decompose({
    task,
    hasModel: false,
    meanMs: new Map(),
    pathExists: () => false,
    paths: [],
    ...parts,
  });
const idsOf = (plan: unknown): readonly string[] =>
  planSchema.parse(plan).steps.map(({ id }) => id);

describe('a task in a sentence', () => {
  it.each([
    ['please fix the tests, three of them are red since monday', 'fix a failing test'],
    ['is our api safe? look for secrets', 'harden'],
    ['tidy up this mess', 'clean up'],
    ['are we ready to ship 2.0?', 'release check'],
    ['implement an endpoint for users', 'build a feature'],
    ['write a function that parses dates', 'build a feature'],
    ['audit the login code for vulnerabilities', 'harden'],
    ['refactor billing.py, it is not readable', 'clean up'],
  ])('%s: %s', (task, template) => {
    const made = make(task);
    expect(made.template).toBe(template);
    expect(() => planSchema.parse(made.plan)).not.toThrow();
  });

  it('of no kind that is known is refused, with the kinds there are', () => {
    for (const task of ['', 'hello', 'what is the weather?', 'x'.repeat(3_000)]) {
      expect(() => make(task)).toThrow(/"harden"/);
    }
  });

  it('names its path, or is asked for it', () => {
    const steps = (task: string) =>
      planSchema.parse(make(task, { pathExists: (path) => path === 'lib' }).plan).steps;
    expect(steps('harden src/api')[0]?.inputs).toEqual({ path: 'src/api' });
    expect(steps('clean up @web/app.js.')[0]?.inputs).toEqual({ path: 'web/app.js' });
    expect(steps('tidy the code in lib')[0]?.inputs).toEqual({ path: 'lib' });
    expect(steps('harden lib please')[0]?.inputs).toEqual({ path: 'lib' });
    const everywhere = { pathExists: () => true };
    const [first] = planSchema.parse(make('harden', everywhere).plan).steps;
    expect(first?.inputs).toEqual({ path: '.' });
    expect(make('harden it').questions).toEqual([expect.stringMatching(/Which folder/)]);
  });

  it('changes nothing before what is to be seen of the code as it was', () => {
    const stepsOf = (task: string, parts: Partial<DecomposeRequest> = {}) => {
      const { steps } = planSchema.parse(make(task, parts).plan);
      return Object.fromEntries(steps.map(({ id, when }) => [id, when]));
    };
    expect(stepsOf('clean up src')).toMatchObject({
      cleanup: '${measured.verdict} != "failed" && ${tests.verdict} != "failed"',
    });
    expect(stepsOf('fix the failing tests', { hasModel: true })).toMatchObject({
      fix: '${before.verdict} != "failed"',
      review: '${fix.verdict} != "failed"',
    });
    expect(stepsOf('fix the failing tests').review).toBeUndefined();
  });

  it.each([
    [
      'build a feature: coupons',
      ['app.js', 'b.js', 'x.py', 'a.css', 'b.css', 'c.css'],
      'javascript',
    ],
    ['build a feature: coupons in go', ['app.js'], 'go'],
    ['build a feature: coupons in src/cart.ts', ['app.js'], 'typescript'],
    ['build a feature: coupons', ['page.html', 'README.md'], 'html'],
    ['build a feature: coupons', [], 'python'],
  ])('%s, with %j: %s', (task, paths, language) => {
    const [code] = planSchema.parse(make(task, { paths, hasModel: true }).plan).steps;
    expect(code?.inputs).toMatchObject({ language });
  });

  it('cannot put references into the plan', () => {
    const [step] = planSchema.parse(make('harden ${input.secret} in a/b').plan).steps;
    expect(step?.task).toContain('$${input.secret}');
  });

  it('is estimated by what such tasks took', () => {
    const meanMs = new Map([['security.scan', 100_000]]);
    expect(make('harden a/b', { meanMs }).estimate).toEqual({
      steps: 4,
      seconds: 160,
      from: 'history',
    });
  });

  it('is made smaller after a run that failed: what succeeded is left out, what failed is asked about', () => {
    const step = (status: string, error?: object) => ({
      status,
      startedAt: null,
      endedAt: null,
      attempts: 1,
      ...error,
    });
    const failed = step('failed', { error: { code: 'x', message: 'no parser', details: {} } });
    const after = Object({
      steps: {
        scan: step('succeeded'),
        review: failed,
        fixes: step('cancelled'),
        tests: step('succeeded'),
      },
    });
    const made = make('harden a/b', { after });
    expect(idsOf(made.plan)).toEqual(['review', 'fixes']);
    expect(made.questions[0]).toMatch(/Step "review" failed \(no parser\)/);
  });

  it('puts new code into a file of its own, and tests, scans, refactors and reviews that file', () => {
    const plan = (task: string, parts: Partial<DecomposeRequest> = {}) =>
      planSchema.parse(make(task, { hasModel: true, ...parts }).plan).steps;
    const [code, tests, ...others] = plan('write a function that counts words');
    expect(code).toMatchObject({
      agent: { capability: 'code.add' },
      inputs: { path: 'counts_words.py', tests_path: 'test_counts_words.py' },
    });
    expect(tests?.agent).toEqual({ capability: 'tests.run' });
    expect(others.map(({ inputs }) => inputs?.['path'])).toEqual(
      others.map(() => 'counts_words.py'),
    );
    expect(plan('build a cart in src/cart.ts')[0]?.inputs).toMatchObject({
      path: 'src/cart.ts',
      tests_path: 'src/cart.test.ts',
    });
    const pathExists = (path: string) => path === 'src/cart.ts';
    const beside = make('add coupons to src/cart.ts', { hasModel: true, pathExists });
    expect(planSchema.parse(beside.plan).steps[0]?.inputs?.['path']).toBe('src/coupons.ts');
    expect(beside.questions).toEqual([expect.stringContaining('"src/cart.ts" is there already')]);
  });

  it('writes no new code without a model, says so first, and looks at the code there is', () => {
    const made = make('write a function that counts words in lib', {
      pathExists: (path) => path === 'lib',
    });
    expect(made.questions[0]).toMatch(/^Writing new code needs a model/);
    const { steps } = planSchema.parse(made.plan);
    expect(steps.map(({ id }) => id)).toEqual(['tests', 'scan', 'refactor', 'review']);
    expect(steps.slice(1).map(({ inputs }) => inputs?.['path'])).toEqual(['lib', 'lib', 'lib']);
  });

  it('says which steps need a model', () => {
    const task = 'fix the failing tests in a/b';
    expect(make(task).questions[0]).toMatch(/needs a model/);
    expect(idsOf(make(task, { hasModel: true }).plan)).toContain('fix');
  });
});
