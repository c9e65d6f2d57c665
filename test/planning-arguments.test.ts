import { beforeAll, describe, expect, it } from 'vitest';
import { createPlanner, type PlanningAnswer } from '../src/agent/planner/index.ts';
import type { CatalogueEntry } from '../src/contract/catalogue/index.ts';
import { examplePhrases } from '../src/toolbox/phrases/index.ts';
import { planAll } from './support/planning/plan-all.ts';
import { aRequest } from './support/planning/planning-requests.ts';
import { planningTools } from './support/planning/planning-tools.ts';

const files = [
  'README.md',
  'main.py',
  'options.py',
  'data/rows.csv',
  'lib/parse.py',
  'tests/test_parse.py',
];
const planner = createPlanner(examplePhrases);
let tools: readonly CatalogueEntry[];

beforeAll(async () => {
  tools = (await planningTools()).filter(({ server }) => server !== 'office');
}, 60_000);

async function ask(request: string): Promise<PlanningAnswer> {
  const [planned] = await planAll(planner, [{ ...aRequest(request), files }], tools);
  expect(planned?.errors).toEqual([]);
  if (!planned) throw new Error('nothing was planned');
  return planned.answer;
}

async function firstStep(request: string) {
  const answer = await ask(request);
  if (answer.kind !== 'plan') throw new Error(`not a plan: ${JSON.stringify(answer)}`);
  const steps = answer.candidates[0]?.plan.steps ?? [];
  return { count: steps.length, tool: steps[0]?.tool, args: steps[0]?.args, answer };
}

describe('arguments that a message names', () => {
  it.each([
    ['run pytest -k parse', 'exec.run_tests', { filter: 'parse', framework: 'pytest' }],
    ['run test_rows only', 'exec.run_tests', { filter: 'test_rows' }],
    ['jot call the bank into todo.txt', 'workspace.apply_changes', { append: 'call the bank\n' }],
    ['todo.md containing: buy bread', 'workspace.apply_changes', { content: 'buy bread\n' }],
    [
      'change LIMIT = 5 to LIMIT = 20',
      'workspace.replace_text',
      { find: 'LIMIT = 5', replace_with: 'LIMIT = 20' },
    ],
    [
      'run main.py --rows 12 data/rows.csv',
      'exec.run_code',
      { path: 'main.py', args: ['--rows', '12', 'data/rows.csv'] },
    ],
    [
      'run main.py with arguments one "two three"',
      'exec.run_code',
      { path: 'main.py', args: ['one', 'two three'] },
    ],
    ['run tests/test_parse.py', 'exec.run_tests', { path: 'tests/test_parse.py' }],
    ['list *.md', 'workspace.list_files', { pattern: '*.md' }],
    ['list *.py in lib', 'workspace.list_files', { path: 'lib', pattern: '*.py' }],
    ['show lines 3-9 of main.py', 'workspace.read_file', { offset: 3, limit: 7 }],
    ['show the last 12 lines of main.py', 'workspace.read_file', { offset: -12 }],
    ['show the first 12 lines of main.py', 'workspace.read_file', { limit: 12 }],
    ['search for TODO only in lib', 'workspace.search_text', { query: 'TODO', path: 'lib' }],
  ])('arrive: "%s"', async (request, tool, args) => {
    const step = await firstStep(request);
    expect(step).toMatchObject({ count: 1, tool, args });
    expect(step.answer).not.toHaveProperty('notUnderstood');
  });

  it.each([
    ['run pytest -k parse -x', '-x'],
    ['review lib/parse.py --pedantic', '--pedantic'],
    ['run the tests 3 times', '3'],
    ['run main.py 3 times', '3'],
  ])('are told where no tool takes them: "%s"', async (request, unused) => {
    const { answer } = await firstStep(request);
    expect(answer).toHaveProperty('notUnderstood');
    expect('notUnderstood' in answer ? answer.notUnderstood : []).toContain(unused);
  });
});

describe('a value that is to be set', () => {
  it.each([
    ['set VERBOSE to false in options.py', 'VERBOSE', 'false'],
    ['bump the version in options.py to 1.2.3', 'version', '1.2.3'],
    ['change LIMIT from 10 to 20 in options.py', 'LIMIT', '20'],
    ['please raise the limit in options.py to 90', 'limit', '90'],
    ['turn verbose off in options.py', 'verbose', 'off'],
    ['batch size should be 64 in options.py', 'batch size', '64'],
  ])('is that of the name: "%s"', async (request, find, value) => {
    expect(await firstStep(request)).toMatchObject({
      tool: 'workspace.replace_text',
      args: { find, replace_with: value, replaces: 'value', path: 'options.py' },
    });
  });

  it('is no text to replace where old and new text are given', async () => {
    const { args } = await firstStep('change LIMIT = 5 to LIMIT = 20 in options.py');
    expect(args).toMatchObject({ find: 'LIMIT = 5', replace_with: 'LIMIT = 20' });
    expect(args).not.toHaveProperty('replaces');
  });

  it('is asked for where the message does not say which text is replaced', async () => {
    const { args } = await firstStep('change the caption of Window to Main in lib');
    expect(args).toMatchObject({ find: '${input.find}' });
  });
});

describe('a few words that speak of no work on a project', () => {
  it.each([
    'order sushi',
    'bake bread',
    'call grandpa',
    'buy soap',
    'wash the dishes',
    'feed the goldfish',
    'mow the lawn',
    'visit aunt',
  ])('are refused with what can be done, not as harm: "%s"', async (request) => {
    expect(await ask(request)).toMatchObject({
      kind: 'refusal',
      reason: expect.stringContaining('Tutti can') as string,
    });
  });

  it.each(['hack a bank', 'forge passports', 'poison my neighbour', 'spy on my wife'])(
    'are refused as harm where one of them is a sign of it: "%s"',
    async (request) => {
      expect(await ask(request)).toMatchObject({ kind: 'refusal', isFinal: true });
    },
  );
});

describe('values that the schema of an argument lists', () => {
  it.each([
    ['format main.py, tabs please', { path: 'main.py', indent: 'tabs' }],
    ['format lib with a 4-space indent', { path: 'lib', indent: '4 spaces' }],
    ['only critical vulnerabilities in lib', { path: 'lib', min_severity: 'critical' }],
  ])('are taken as they are said: "%s"', async (request, args) => {
    expect((await firstStep(request)).args).toMatchObject(args);
  });

  it('are not taken from words that mean something else', async () => {
    const { args } = await firstStep('review lib/parse.py and ignore the style');
    expect(args).not.toHaveProperty('baseline');
  });
});

describe('names and texts', () => {
  it.each([
    ['where is json.loadAll called', 'workspace.search_text', { query: 'json.loadAll' }],
    ['look for the term banana', 'workspace.search_text', { query: 'banana' }],
    ['add the line build/ to .gitignore', 'workspace.apply_changes', { append: 'build/\n' }],
    ['flask docs about request contexts', 'docs.get_docs', { topic: 'request contexts' }],
    [
      'trash options.py',
      'workspace.apply_changes',
      { changes: [{ path: 'options.py', delete: true }] },
    ],
    ['the last four commits', 'workspace.git_log', { limit: 4 }],
  ])('arrive whole: "%s"', async (request, tool, args) => {
    expect(await firstStep(request)).toMatchObject({ tool, args });
  });
});

async function stepsOf(request: string) {
  const answer = await ask(request);
  return answer.kind === 'plan' ? (answer.candidates[0]?.plan.steps ?? []) : [];
}

describe('several steps', () => {
  it('wait for a change of files that comes before them', async () => {
    const [change, tests] = await stepsOf('rename rows to lines in lib and run the tests');
    expect(change).toMatchObject({ tool: 'workspace.replace_text' });
    expect(tests).toMatchObject({ when: `exists(\${${change?.id}})` });
  });

  it.each([
    ['run the tests and if they pass commit as "ok"', 'true'],
    ['run the tests and if they fail show the last commit', 'false'],
  ])('hang on what the message makes a condition: "%s"', async (request, isGreen) => {
    const [tests, after] = await stepsOf(request);
    expect(after).toMatchObject({ when: `\${${tests?.id}.ok} == ${isGreen}` });
  });

  it('go on with the file that was reviewed, not with what the review proposes', async () => {
    const [, second] = await stepsOf('review main.py and then measure its complexity');
    expect(second).toMatchObject({ tool: 'code.analyze_complexity', args: { path: 'main.py' } });
  });

  it('take every folder that is named', async () => {
    const steps = await stepsOf('format lib and tests');
    expect(steps.map(({ args }) => args?.['path'])).toEqual(['lib', 'tests']);
  });
});
