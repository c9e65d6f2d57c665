import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import { createPlanner, type PlanningAnswer, type PlanningRequest } from './index.ts';

const text: JsonSchema = { type: 'string' };

function tool(name: string, input: Record<string, JsonSchema>): CatalogueEntry {
  const [server = '', bare = ''] = name.split('.');
  const inputSchema = { type: 'object', properties: input, required: [] };
  return {
    name,
    wireName: name.replace('.', '__'),
    server,
    tool: { name: bare, description: `Does ${bare}.`, inputSchema },
  };
}

const tools = [
  tool('code.formalize_task', { informal_request: text }),
  tool('code.generate_code', { description: text, code: text }),
  tool('code.generate_code_with_context', {
    request: text,
    libraries: { type: 'array', items: text },
  }),
  tool('code.generate_tests', { code: text }),
  tool('code.review_code', { code: text, path: text }),
  tool('code.analyze_complexity', { code: text, path: text }),
  tool('exec.run_code', { code: text }),
  tool('files.read_file', { path: text }),
  tool('files.write_file', { path: text, content: text }),
  tool('office.list_issues', { label: text }),
  tool('office.run_tests', { tests: text }),
  tool('office.create_issue', { body: text }),
  tool('office.create_pull_request', { title: text }),
  tool('office.post_slack_message', { channel: text, text }),
];

const attached = [{ kind: 'code', name: 'cart.py', language: 'python', content: 'print(1)' }];

function ask(message: string, more: Partial<PlanningRequest> = {}): Promise<PlanningAnswer> {
  const embed = async (texts: readonly string[]) => texts.map(() => new Float32Array(384));
  return createPlanner({ embed }).plan({
    message,
    tools,
    attachments: [],
    remembered: [],
    history: [],
    files: { kind: async () => undefined, list: async () => [] },
    maxSteps: 10,
    signal: new AbortController().signal,
    ...more,
  });
}

function names(answer: PlanningAnswer, at = 0): readonly string[] {
  const plan = answer.kind === 'refusal' ? undefined : answer.candidates[at]?.plan;
  return plan?.steps.map((step) => step.tool?.split('.').at(-1) ?? '') ?? [];
}

describe('a plan that may not be what was meant', () => {
  it.each([
    ['Write a dice bot in Python, test it, mangle it', '"mangle it"'],
    ['Write a dice bot in Python; when that is done turn it into Go', 'could not place'],
    ['Write a CSV parser in Go. Deflate it, please.', 'could not place'],
    ['Embiggen and code a word counter in Go', '"Embiggen"'],
    ['Write a parser in Java with tests and a walkthrough', '"a walkthrough"'],
    ['Write an event bus in Go about unit tests', 'write tests'],
    ['Write a tax calculator in Python and tell #ops, src/', 'src/'],
    ['Write a heap in Java and review both', 'how often'],
    ['I want to build something cool with AI in Python', 'Not much'],
    ['Write a queue in Go. Review? Not needed.', 'left out'],
  ])('is asked about with the plan as the first candidate: %s', async (message, reason) => {
    const answer = await ask(message);
    expect(answer.kind).toBe('question');
    const question = answer.kind === 'question' ? answer.questions.join(' ') : '';
    expect(question).toMatch(/^Did you mean: write code/u);
    expect(question).toContain(reason);
    expect(names(answer)).toContain('generate_code');
  });

  it('comes with what else may be meant', async () => {
    const answer = await ask('Write a dice bot in Python, test it, mangle it');
    expect(names(answer, 1)).toEqual(['generate_code', 'generate_tests', 'review_code']);
  });

  it.each([
    ['Run a critical eye over this', 'run a program'],
    ['Would a senior engineer approve this PR diff?', 'open a pull request'],
  ])('is asked about when one word alone chose its tool: %s', async (message, deed) => {
    const answer = await ask(message, { attachments: attached });
    expect(answer).toMatchObject({ kind: 'question' });
    expect(answer.kind === 'question' && answer.questions[0]).toContain(deed);
  });

  it('is no doubt when what was not understood is politeness, background or a value', async () => {
    for (const message of [
      'Great. Write a stack in Go, lines under 80 characters, then test it.',
      'We have a web shop and postal codes are mistyped a lot. Write a checker in Python.',
      'Write a function to fetch a page and print it, in Go',
      'Write a base64 encoder in Rust; neither tests nor review required',
    ])
      expect(await ask(message), message).toMatchObject({ kind: 'plan' });
  });
});

describe('a plan for what was said', () => {
  it.each([
    [
      'Review shop/pricing.py and measure its complexity',
      'read_file,review_code,analyze_complexity',
    ],
    ['Write a stopwatch in React without any tests', 'generate_code'],
    ['Write a URL parser in Go but please skip tests and review', 'generate_code'],
    ['Write a backup script in bash and put it in bin/backup.sh', 'generate_code,write_file'],
    ['Do the tests pass? If not open an issue.', 'run_tests,create_issue'],
    ['A parking ticket machine in Java', 'generate_code'],
  ])('is made for: %s', async (message, wanted) => {
    const answer = await ask(message);
    expect(answer.kind, JSON.stringify(answer)).toBe('plan');
    expect(names(answer).join()).toBe(wanted);
  });

  it('builds a specification that is given instead of writing another', async () => {
    const attachments = [{ kind: 'spec', name: 'spec.md', content: 'a shop' }];
    const answer = await ask('Based on the attached spec, write the service in Go', {
      attachments,
    });
    expect(names(answer)).toEqual(['generate_code']);
  });

  it('changes what a remark was about', async () => {
    const given = (kind: 'tests' | 'spec') => ({
      remembered: [{ kind, content: 'x', title: kind } as const],
    });
    const tests = await ask('Two of those tests are redundant, remove them', given('tests'));
    expect(names(tests)).toEqual(['generate_tests']);
    const spec = await ask('it must also mention refunds', given('spec'));
    expect(names(spec)).toEqual(['formalize_task']);
  });

  it('looks into the documentation of libraries that are named', async () => {
    const answer = await ask(
      'Write an HTTP client in Python, using the docs of httpx and pydantic, following our standards',
    );
    expect(answer.kind !== 'refusal' && answer.candidates[0]?.plan.steps[0]).toMatchObject({
      tool: 'code.generate_code_with_context',
      args: { libraries: ['httpx', 'pydantic'] },
    });
    const standard = await ask('Write a Django view for invoices by our coding standards');
    expect(standard.kind !== 'refusal' && standard.candidates[0]?.plan.steps[0]).toMatchObject({
      tool: 'code.generate_code_with_context',
      args: { libraries: ['django'] },
    });
    expect(names(await ask('Write a date parser in Go with docs'))).toEqual(['generate_code']);
  });

  it('knows a file that is attached by its name in the message', async () => {
    const answer = await ask('Write tests for cart.py', {
      attachments: attached,
      tools: tools.filter(({ name }) => name !== 'files.read_file'),
    });
    expect(answer.kind).toBe('plan');
    expect(names(answer)).toEqual(['generate_tests']);
  });
});
