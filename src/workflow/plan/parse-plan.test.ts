import { describe, expect, it } from 'vitest';
import { parsePlan, type ParseOptions } from './parse-plan.ts';

async function problemsOf(text: string, options: ParseOptions = {}) {
  const { problems, plan } = await parsePlan({ kind: 'text', text }, options);
  expect(plan === undefined).toBe(problems.length > 0);
  return problems;
}

/** `code@line path` of every problem. */
async function shortly(text: string, options?: ParseOptions): Promise<string[]> {
  const problems = await problemsOf(text, options);
  return problems.map(({ code, line, path }) => `${code}@${line} ${path}`);
}

const good = `
goal: Say hello
input: { who: { type: string, default: Ann } }
steps:
  - id: greet
    tool: s.greet
    args: { who: "\${input.who}" }
  - id: both
    plan:
      steps: [{ id: inner, tool: s.t, args: { x: 1 } }]
output: "\${greet.text}"
`;

describe('parsing a plan', () => {
  it('reads YAML, JSON, JSON with comments, and data alike', async () => {
    const { plan, compiled } = await parsePlan({ kind: 'text', text: good });
    expect(plan?.version).toBe(1);
    expect(compiled?.steps).toHaveLength(2);
    const text = JSON.stringify(plan);
    expect((await parsePlan({ kind: 'text', text })).plan).toEqual(plan);
    const commented = `\uFEFF{ # why\n${text.slice(1, -1)},\n}`;
    expect((await parsePlan({ kind: 'text', text: commented })).plan).toEqual(plan);
    expect((await parsePlan({ kind: 'data', plan })).plan).toEqual(plan);
  });

  it('says the line of any place, or of what is around it, in YAML and JSON', async () => {
    const yaml = await parsePlan({ kind: 'text', text: good });
    expect(yaml.lineOf('goal')).toBe(2);
    expect(yaml.lineOf('steps[0].args.who')).toBe(7);
    expect(yaml.lineOf('steps[1].plan.steps[0].args.x')).toBe(10);
    expect(yaml.lineOf('steps[1].nothing.here')).toBe(8);
    expect(yaml.lineOf('no path [')).toBe(2);
    const text = JSON.stringify(yaml.plan, null, 1);
    const lines = text.split('\n');
    const json = await parsePlan({ kind: 'text', text });
    expect(lines[(json.lineOf('steps[0].args.who') ?? 0) - 1]).toContain('"who":');
    expect(lines[(json.lineOf('steps[1].plan.steps[0].args.x') ?? 0) - 1]).toContain('"x": 1');
    expect(lines[(json.lineOf('output') ?? 0) - 1]).toContain('"output"');
    expect(json.lineOf('nowhere')).toBe(1);
    const data = await parsePlan({ kind: 'data', plan: yaml.plan });
    expect(data.placeOf('goal')).toEqual({ line: null });
  });

  it('follows aliases, in values and in lines', async () => {
    const text =
      'steps:\n  - &s\n    id: a\n    tool: s.t\n    args: &x { v: 1 }\n  - id: b\n    tool: s.t\n    args: *x\n';
    const parsed = await parsePlan({ kind: 'text', text });
    expect(parsed.plan?.steps[1]?.args).toEqual({ v: 1 });
    expect(parsed.lineOf('steps[1].args.v')).toBe(5);
  });

  it('reports everything that is wrong at once, by line', async () => {
    const text = `stepz: 1
steps:
  - id: 1a
    tol: s.t
  - id: b
    tool: s.t
    sleep: 3
    depends_on: [a]
  - id: b
    tool: 4
    args: [1]
    onFailure: skp
  - { id: input, wait: {} }
  - { id: c, args: { a: 1 } }
  - 5
  - { id: d, wait: go, retry: 3, concurrency: 2, onFailure: repair }
  - { id: e, approval: false }
  - { id: f, tool: s.t, retry: { attempts: many, foo: 1 } }
  - { id: g, tool: s.t, retry: 1000, when: [], on: [] }
`;
    expect(await shortly(text)).toEqual([
      'plan.unknown_field@1 stepz',
      'plan.wrong_value@3 steps[0].id',
      'plan.step_kind@3 steps[0]',
      'plan.unknown_field@4 steps[0].tol',
      'plan.step_kind@7 steps[1].sleep',
      'plan.unknown_field@8 steps[1].depends_on',
      'plan.duplicate_step@9 steps[2].id',
      'plan.wrong_value@10 steps[2].tool',
      'plan.wrong_value@11 steps[2].args',
      'plan.wrong_value@12 steps[2].onFailure',
      'plan.wrong_value@13 steps[3].wait.signal',
      'plan.reserved_step@13 steps[3].id',
      'plan.step_kind@14 steps[4]',
      'plan.wrong_value@15 steps[5]',
      'plan.misplaced_field@16 steps[6].retry',
      'plan.misplaced_field@16 steps[6].concurrency',
      'plan.misplaced_field@16 steps[6].onFailure',
      'plan.misplaced_field@17 steps[7].approval',
      'plan.wrong_value@18 steps[8].retry.attempts',
      'plan.unknown_field@18 steps[8].retry.foo',
      'plan.wrong_value@19 steps[9].when',
      'plan.wrong_value@19 steps[9].retry',
      'plan.unknown_field@19 steps[9].on',
    ]);
  });

  it('says what was meant, and in whose step', async () => {
    const text =
      'steps:\n  - id: outer\n    plan:\n      steps:\n        - { id: inner, tol: s.t, onFailure: skp }\n';
    const problems = await problemsOf(text);
    expect(problems.map(({ step }) => step)).toEqual(problems.map(() => 'outer/inner'));
    const messages = problems.map(({ message }) => message).join('\n');
    expect(messages).toContain('did you mean "tool"?');
    expect(messages).toContain('Did you mean "skip"?');
    expect((await problemsOf('steps: [{ id: a, tool: s.t, if: x }]'))[0]?.message).toContain(
      'a condition is written "when"',
    );
  });

  it('finds wrong references with their lines', async () => {
    expect(
      await shortly('steps:\n - id: a\n   tool: s.t\n   args:\n    x: "${b.x}"\n   when: "("'),
    ).toEqual(['plan.unknown_reference@5 steps[0].args.x', 'plan.bad_condition@6 steps[0].when']);
  });

  it('finds keys that are there twice', async () => {
    expect(await shortly('steps:\n  - id: a\n    tool: x\n    tool: y\n')).toEqual([
      'plan.duplicate_key@4 ',
    ]);
    expect(await shortly('{"steps":[\n{"id":"a",\n"tool":"x\\"",\n"to\\u006fl":"y"}]}')).toEqual([
      'plan.duplicate_key@4 steps[0].tool',
    ]);
  });

  it.each([
    ['', 'plan.bad_syntax'],
    ['just words', 'plan.wrong_value'],
    ['[1]', 'plan.wrong_value'],
    ['steps:\n\t- id: a', 'plan.bad_syntax'],
    ['{"steps": [', 'plan.bad_syntax'],
    ['a: 1\n---\nb: 2', 'plan.bad_syntax'],
    ['steps: !!js/function "x"', 'plan.bad_syntax'],
    ['steps: []', 'plan.wrong_value'],
    ['version: 2\nsteps: [{ id: a, tool: s.t }]', 'plan.wrong_value'],
    ['steps: [{ id: a, tool: s.t, args: { x: .nan } }]', 'plan.wrong_value'],
    ['a: &a [*a]', 'plan.too_deep'],
  ])('refuses %j', async (text, code) => {
    expect((await problemsOf(text))[0]?.code).toBe(code);
  });

  it('refuses data that is no JSON', async () => {
    for (const value of [undefined, () => 1, new Date(0), 1n]) {
      const plan = { steps: [{ id: 'a', tool: 's.t', args: { value } }] };
      const { problems } = await parsePlan({ kind: 'data', plan });
      expect(problems).toMatchObject([{ code: 'plan.wrong_value', path: 'steps[0].args.value' }]);
    }
    expect((await parsePlan({ kind: 'data', plan: null })).problems).toHaveLength(1);
  });
});

describe('hostile plans', () => {
  it('cannot blow up by aliases', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level += 1) {
      const before = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => before).join(', ')}]`);
    }
    const [problem] = await problemsOf(lines.join('\n'));
    expect(problem?.message).toContain('aliases cannot be followed');
  });

  it.each([
    ['{"steps":[{"id":"a","tool":"x","args":{"__proto__":{"polluted":1}}}]}', '__proto__'],
    ['steps: [{ id: a, tool: x, args: { __proto__: { polluted: 1 } } }]', '__proto__'],
    ['{"steps":[{"id":"a","tool":"x","args":{"constructor":{"prototype":{}}}}]}', 'constructor'],
  ])('cannot reach prototypes: %s', async (text, key) => {
    expect(await problemsOf(text)).toMatchObject([
      { code: 'plan.forbidden_key', path: `steps[0].args.${key}`, step: 'a' },
    ]);
    expect(Object({}).polluted).toBeUndefined();
  });

  it.each([
    ['open lists', '['.repeat(100_000)],
    ['closed lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['dashes', '- '.repeat(100_000)],
    ['indents', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['lists within the reach of the parser', `a: ${'['.repeat(200)}${']'.repeat(200)}`],
  ])('cannot be nested without end: %s', async (_what, text) => {
    expect((await problemsOf(text)).map(({ code }) => code)).toEqual(['plan.too_deep']);
  });

  it('are refused when they are too long, too wide or have too many steps', async () => {
    const steps = Array.from({ length: 30 }, (_, index) => ({ id: `s${index}`, tool: 's.t' }));
    const text = JSON.stringify({ steps });
    const code = async (limits: ParseOptions['limits']) =>
      (await problemsOf(text, { limits: limits ?? {} })).map((problem) => problem.code);
    expect(await code({ maxBytes: 100 })).toEqual(['plan.too_large']);
    expect(await code({ maxNodes: 50 })).toEqual(['plan.too_large']);
    expect(await code({ maxSteps: 29 })).toEqual(['plan.too_many_steps']);
    expect(await code({ maxSteps: 30 })).toEqual([]);
  });

  it('are described by at most 100 problems', async () => {
    const fields = Array.from({ length: 5_000 }, (_, index) => `"k${index}": 1`);
    expect(await problemsOf(`{${fields.join(',')}}`)).toHaveLength(100);
    expect(await problemsOf(fields.join('\n').replaceAll('"', ''))).toHaveLength(100);
    const twice = Array.from({ length: 300 }, () => 'x: 1').join('\n');
    expect(await problemsOf(twice)).toHaveLength(100);
  });
});

describe('sub-plans in files', () => {
  const files: Readonly<Record<string, string>> = {
    '/plans/sub.yaml': 'steps:\n  - { id: a, plan: more/deep.json }\n',
    '/plans/more/deep.json': '{"steps": [{"id": "b", "tool": "s.t"}]}',
    '/plans/bad.yaml': 'steps:\n  - id: q\n    tool: s.t\n    args: { x: "${nope.x}" }\n',
    '/plans/worse.yaml': 'steps:\n  - id: q\n    tol: s.t\n',
    '/plans/self.yaml': 'steps: [{ id: a, plan: self.yaml }]',
    '/plans/wide.yaml': `steps: [${Array.from({ length: 60 }, (_, index) => `{ id: s${index}, tool: s.t }`).join(', ')}]`,
  };
  const readFile = async (path: string): Promise<string> => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  const parse = (text: string, options: ParseOptions = { readFile }) =>
    parsePlan({ kind: 'text', text, file: '/plans/main.yaml' }, options);

  it('are put in their place, each relative to the file that names it', async () => {
    const { plan } = await parse('steps: [{ id: top, plan: sub.yaml }]');
    expect(plan?.steps[0]?.plan).toMatchObject({
      steps: [{ id: 'a', plan: { steps: [{ id: 'b', tool: 's.t' }] } }],
    });
  });

  it('have their problems in their own lines', async () => {
    const parsed = await parse('steps:\n  - { id: top, plan: bad.yaml }\n');
    expect(parsed.problems).toMatchObject([
      {
        step: 'top/q',
        path: 'steps[0].plan.steps[0].args.x',
        line: 4,
        file: 'bad.yaml',
        code: 'plan.unknown_reference',
      },
    ]);
    expect(parsed.placeOf('steps[0].plan.steps[0].tool')).toEqual({ line: 3, file: 'bad.yaml' });
    expect(parsed.placeOf('steps[0].id')).toEqual({ line: 2 });
    const worse = await parse('steps: [{ id: top, plan: worse.yaml }]');
    expect(worse.problems).toMatchObject([
      { step: 'top/q', line: 2, file: 'worse.yaml', code: 'plan.step_kind' },
      { step: 'top/q', line: 3, file: 'worse.yaml', code: 'plan.unknown_field' },
    ]);
  });

  it.each([
    ['../other.yaml', 'in the folder of the plan'],
    ['/plans/sub.yaml', 'in the folder of the plan'],
    ['gone.yaml', 'no such file'],
    ['self.yaml', 'contains itself'],
    ['main.yaml', 'contains itself'],
  ])('are refused: %s', async (name, reason) => {
    const { problems, plan } = await parse(`steps: [{ id: top, plan: ${name} }]`);
    expect(plan).toBeUndefined();
    expect(problems[0]).toMatchObject({ code: 'plan.sub_plan_file' });
    expect(problems[0]?.message).toContain(reason);
  });

  it('are refused where the plan came from no file, or nobody may read files', async () => {
    const text = 'steps: [{ id: top, plan: sub.yaml }]';
    const fromNowhere = await parsePlan({ kind: 'text', text }, { readFile });
    const { problems } = await parse(text, {});
    for (const problem of [fromNowhere.problems[0], problems[0]]) {
      expect(problem?.message).toContain('did not come from a file');
    }
  });

  it('count with their steps, and may not be nested deeper than five', async () => {
    const twice = 'steps: [{ id: a, plan: wide.yaml }, { id: b, plan: wide.yaml }]';
    const { problems } = await parse(twice, { readFile, limits: { maxSteps: 100 } });
    expect(problems).toMatchObject([{ code: 'plan.too_many_steps' }]);
    let text = '{ steps: [{ id: z, tool: s.t }] }';
    for (let depth = 0; depth < 4; depth += 1) text = `{ steps: [{ id: a, plan: ${text} }] }`;
    expect((await parse(text)).problems).toEqual([]);
    const deeper = await parse(`{ steps: [{ id: a, plan: ${text} }] }`);
    expect(deeper.problems.map(({ code }) => code)).toEqual(['plan.too_deep']);
    const viaFile = await parse(
      `steps: [{ id: a, plan: ${text.replace('tool: s.t', 'plan: sub.yaml')} }]`,
    );
    expect(viaFile.problems.map(({ code }) => code)).toEqual(['plan.too_deep']);
  });
});

describe('what people and models often write', () => {
  const step = (args: string): string => `steps:\n  - { id: a, tool: s.t, args: ${args} }\n`;
  it.each([
    [step('{ x: ${input.y} }'), 'a reference stands in quotes: "${input.y}"'],
    [step('{ x: "${a.list.0.name}" }'), 'write [0]'],
    [step('{ x: "${{ a.b }}" }'), 'one pair of braces'],
    [`${step('{}')}output: \${steps.a.output}`, 'begins with the id of the step alone: ${a…}'],
    ['steps: []', 'is an empty list'],
    ['{\n// why\n"steps": []}', 'A comment begins with "#"'],
    ['input: { x: string }\nsteps: [{ id: a, sleep: 1 }]', 'a JSON Schema such as {type: string}'],
    ['steps: [{ id: a, tool: s.t, timeoutMs: 30s }]', 'milliseconds, as a whole number'],
    ['steps: [{ id: a, sleep: 1 }]\n---\nx: 1', 'a plan is one document'],
    [
      'steps: [{ id: a, sleep: 1 }, { id: s, plan: { steps: [{ id: b, sleep: "${a}" }] } }]',
      'outside of this sub-plan',
    ],
  ])('is told what to write instead: %s', async (text, message) => {
    const { problems } = await parsePlan({ kind: 'text', text });
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
  });
});
