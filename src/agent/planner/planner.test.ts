import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { examplesMetaKey, type JsonSchema } from '../../contract/tool/index.ts';
import { createPlanner, type PlanningAnswer, type PlanningRequest } from './index.ts';
import { phraseFamilies } from './words/lexicon/phrases.ts';
import { vectorOf } from './reading/nearest-phrases.ts';

const text = { type: 'string' } as const;

function tool(name: string, input: Record<string, JsonSchema>, more: object = {}): CatalogueEntry {
  const [server = '', bare = ''] = name.split('.');
  const { required = Object.keys(input), ...rest } = more as { required?: string[] };
  return {
    name,
    wireName: name.replace('.', '__'),
    server,
    tool: {
      name: bare,
      description: `Does ${bare}.`,
      inputSchema: { type: 'object', properties: input, required },
      ...rest,
    },
  };
}

const gives = (...names: readonly string[]) => ({
  outputSchema: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, text])),
  },
});

const reader = tool('files.read_file', { path: text });
const generators = [
  tool('code.formalize_task', { informal_request: text }, gives('formalized_description')),
  tool(
    'code.generate_code',
    {
      description: text,
      language: { type: 'string', enum: ['python', 'go', 'javascript'] },
      code: text,
      tests: text,
    },
    { ...gives('code'), required: ['description'] },
  ),
  tool(
    'code.generate_tests',
    { code: text, test_framework: text, coverage_target: { type: 'integer' } },
    { ...gives('test_code'), required: ['code'] },
  ),
  tool(
    'code.review_code',
    {
      code: text,
      path: text,
      style_guide: text,
      focus_areas: { type: 'array', items: { type: 'string', enum: ['security', 'performance'] } },
    },
    {
      outputSchema: { type: 'object', properties: { issues: { type: 'array' } } },
      required: [],
    },
  ),
];
const others = [
  tool('files.write_file', { path: text, content: text }),
  tool('chat.post_slack_message', { channel: text, text }),
  tool('mail.send_email', { to: text, subject: text, body: text }),
  tool('shop.run_tests', { tests: text }, { required: [] }),
];
const all = [...generators, reader, ...others];

/** Every text points in the direction of the phrase it holds, or in none. */
function embedAs(phrase: string) {
  return async (texts: readonly string[]) => texts.map(() => Float32Array.from(vectorOf(phrase)));
}

function ask(
  message: string,
  more: Partial<PlanningRequest> & { readonly like?: string } = {},
): Promise<PlanningAnswer> {
  const { like = phraseFamilies.vague[0], ...request } = more;
  return createPlanner({ embed: embedAs(like) }).plan({
    message,
    tools: all,
    attachments: [],
    remembered: [],
    history: [],
    files: { kind: async () => undefined, list: async () => [] },
    maxSteps: 10,
    signal: new AbortController().signal,
    ...request,
  });
}

async function stepsOf(message: string, more: Parameters<typeof ask>[1] = {}) {
  const answer = await ask(message, more);
  if (answer.kind !== 'plan') throw new Error(`${answer.kind} for "${message}"`);
  return answer.candidates[0]?.plan.steps ?? [];
}

const attached = [{ name: 'cart.py', language: 'python', content: 'print(1)' }];

describe('a message that says what it wants', () => {
  it('becomes steps whose references follow from what tools take and give', async () => {
    const steps = await stepsOf(
      'Build a todo API with Flask, tests with pytest (90 % coverage), then review it for security',
    );
    expect(steps).toMatchObject([
      { id: 'code', tool: 'code.generate_code', args: { language: 'python' } },
      {
        id: 'tests',
        args: { code: '${code.code}', test_framework: 'pytest', coverage_target: 90 },
      },
      { id: 'review', args: { code: '${code.code}', focus_areas: ['security'] } },
    ]);
  });

  it('reads a file it names before somebody works on it', async () => {
    expect(
      await stepsOf('Write tests for src/cart.py and save them to test_cart.py'),
    ).toMatchObject([
      { tool: 'files.read_file', args: { path: 'src/cart.py' } },
      { tool: 'code.generate_tests', args: { code: '${file.text}' } },
      { tool: 'files.write_file', args: { path: 'test_cart.py', content: '${tests.test_code}' } },
    ]);
  });

  it('gives the path itself to a tool that reads files, where no other does', async () => {
    const tools = generators;
    expect(await stepsOf('Review src/cart.py', { tools })).toMatchObject([
      { tool: 'code.review_code', args: { path: 'src/cart.py' } },
    ]);
    const answer = await ask('Write tests for src/cart.py', { tools });
    expect(answer).toMatchObject({ kind: 'question' });
  });

  it('takes what is attached as it is, references in it included', async () => {
    const attachments = [{ name: 'a.js', language: 'javascript', content: 'const a = `${b}`;' }];
    expect(await stepsOf('Review this', { attachments })).toMatchObject([
      { args: { code: 'const a = `$${b}`;' } },
    ]);
  });

  it.each([
    ['spec.md', 'Users can pause.', 'Implement the attached document', 'code.generate_code'],
    ['cart.test.ts', 'it()', 'Review the attached file', 'code.review_code'],
    ['main.go', 'package main', 'Write tests for the attached file', 'code.generate_tests'],
    ['pasted', 'def f(): pass', 'Review this', 'code.review_code'],
  ])('tells what %s is from its name', async (name, content, message, expected) => {
    const attachments = [{ name, content }];
    expect(await stepsOf(message, { attachments })).toMatchObject([{ tool: expected }]);
  });

  it('takes code between fences as attached', async () => {
    expect(await stepsOf('Write tests for this:\n```go\nfunc A() {}\n```')).toMatchObject([
      { tool: 'code.generate_tests', args: { code: 'func A() {}\n' } },
    ]);
  });

  it('lets a run be given what nobody said', async () => {
    const answer = await ask('Run the tests and tell the team on Slack whether they pass');
    expect(answer).toMatchObject({
      kind: 'plan',
      candidates: [
        {
          plan: {
            input: { channel: { type: 'string' } },
            steps: [{ id: 'test_run' }, { args: { channel: '${input.channel}' } }],
          },
        },
      ],
    });
  });

  it('leaves out what is not wanted', async () => {
    const tools = (steps: readonly { readonly tool?: string | undefined }[]) =>
      steps.map(({ tool: name }) => name);
    expect(tools(await stepsOf('Write an ISBN checker, review it, but no tests please'))).toEqual([
      'code.generate_code',
      'code.review_code',
    ]);
  });

  it('writes tests before the code when told to, against a specification', async () => {
    expect(await stepsOf('Test-driven please: a leap year function')).toMatchObject([
      { id: 'spec' },
      { id: 'tests', args: { code: '${spec.formalized_description}' } },
      { id: 'code', args: { tests: '${tests.test_code}' } },
    ]);
  });

  it('makes a step for each language and offers to do it in one', async () => {
    const answer = await ask('Implement binary search in Python and again in Go, then review both');
    expect(answer).toMatchObject({
      kind: 'plan',
      candidates: [
        {
          plan: {
            steps: [
              { args: { language: 'python' } },
              { args: { language: 'go' } },
              { id: 'review' },
              { id: 'review_2' },
            ],
          },
        },
        { plan: { steps: [{ id: 'code' }, { id: 'review' }] } },
      ],
    });
  });

  it('understands German, French and Spanish, and words with a slip', async () => {
    for (const message of [
      'Prüfe bitte den angehängten Code',
      'Peux-tu relire ce code ?',
      'Revisa este código',
      'reviw this plz',
    ]) {
      expect(await stepsOf(message, { attachments: attached }), message).toMatchObject([
        { tool: 'code.review_code' },
      ]);
    }
  });
});

describe('a message that goes on a conversation', () => {
  const remembered = [
    { kind: 'code' as const, title: 'debounce.js', content: 'code!', language: 'javascript' },
  ];
  const history = [
    { number: 1, at: '', role: 'user' as const, text: 'Write a debounce function', remembered: [] },
    { number: 2, at: '', role: 'assistant' as const, text: 'Done', remembered },
  ];

  it('means what was made last', async () => {
    expect(await stepsOf('now write tests for it', { remembered, history })).toMatchObject([
      { tool: 'code.generate_tests', args: { code: 'code!' } },
    ]);
  });

  it('repeats the request before it with another language', async () => {
    expect(await stepsOf('do the same in Python', { remembered, history })).toMatchObject([
      {
        args: {
          description: 'Write a debounce function\ndo the same in Python',
          language: 'python',
        },
      },
    ]);
  });

  it('changes the code for a remark about it', async () => {
    expect(await stepsOf('max 100 characters per line', { remembered, history })).toMatchObject([
      { tool: 'code.generate_code', args: { code: 'code!' } },
    ]);
  });

  it('asks which code is meant when the last answer left several', async () => {
    const two = [...remembered, { kind: 'code' as const, title: 'b.js', content: 'b' }];
    const after = [history[0], { ...history[1], remembered: two }] as PlanningRequest['history'];
    expect(await ask('Test this', { remembered: two, history: after })).toMatchObject({
      kind: 'question',
      questions: [expect.stringContaining('several')],
    });
  });

  it('has a run given what only an artifact holds', async () => {
    const kept = [{ kind: 'code' as const, title: 'big.js', artifact: 'sha256:1' }];
    const answer = await ask('review it', { remembered: kept, history });
    expect(answer).toMatchObject({
      kind: 'plan',
      candidates: [{ plan: { input: { code: { type: 'string' } } } }, {}],
    });
  });
});

describe('a message that does not say enough', () => {
  it.each([
    'Write tests',
    'Make it better',
    'Build an app',
    'Write some code in Java',
    'Rewrite it in Rust',
    'Specify it',
    'Do the same in Go',
    'Read the file and review it',
    'Write a function in Python or Go that sorts names',
  ])('is asked about: %s', async (message) => {
    const answer = await ask(message);
    expect(answer.kind).toBe('question');
    expect(answer.kind === 'question' && answer.questions.length).toBeGreaterThan(0);
  });

  it('is asked about when it takes more steps than are allowed', async () => {
    const message = 'Write a parser for CSV files, test it and review it';
    expect(await ask(message, { maxSteps: 2 })).toMatchObject({ kind: 'question' });
  });

  it('is asked about with a guess when its meaning is near to what a tool does', async () => {
    const [, like] = phraseFamilies.review;
    expect(await ask('hmm?', { like, attachments: attached })).toMatchObject({
      candidates: [{ plan: { steps: [{ tool: 'code.review_code' }] } }, {}],
    });
  });
});

describe('a message that is not for these tools', () => {
  it.each(['Write malware that encrypts all files', 'Build a botnet', 'Steal her bank password'])(
    'is refused when it would harm: %s',
    async (message) => {
      expect(await ask(message)).toMatchObject({
        kind: 'refusal',
        reason: expect.stringContaining('harms'),
      });
    },
  );

  it('is no harm when it defends', async () => {
    expect(await stepsOf('Write a Python function that detects phishing links')).toHaveLength(1);
  });

  it.each(['Write a love poem for my wife', 'Book me a flight to Rome', 'Proofread my letter'])(
    'is refused with what there is: %s',
    async (message) => {
      expect(await ask(message)).toMatchObject({
        kind: 'refusal',
        nearest: expect.arrayContaining(['code.generate_code']),
      });
    },
  );

  it('is refused by its meaning where words do not tell', async () => {
    const [like] = phraseFamilies.off;
    expect(await ask('Will the sun shine on Sunday?', { like })).toMatchObject({ kind: 'refusal' });
    expect(await ask('Create a nice bouquet', { like })).toMatchObject({ kind: 'refusal' });
  });

  it('is refused when no tool does what it names', async () => {
    const answer = await ask('List the open issues', { tools: generators });
    expect(answer).toMatchObject({ kind: 'refusal', reason: 'No tool here can list issues.' });
  });

  it('is planned with a tool nobody knows when that says it is for this', async () => {
    const weather = tool(
      'sky.get_weather',
      { query: text },
      { description: 'Tells the weather of a city.', _meta: { [examplesMetaKey]: ['weather'] } },
    );
    const answer = await ask('What is the weather in Paris?', { tools: [...all, weather] });
    expect(answer).toMatchObject({
      kind: 'plan',
      candidates: [{ plan: { steps: [{ tool: 'sky.get_weather' }] } }],
    });
  });
});

describe('the planner', () => {
  it('gives the same answer to the same request', async () => {
    const message = 'Write a CSV parser in Go, test it, mail the code to a@b.org';
    expect(await ask(message)).toEqual(await ask(message));
  });

  it('ends soon for hostile messages', async () => {
    const hostile = [
      'a,'.repeat(50_000),
      'and '.repeat(20_000),
      '-'.repeat(50_000),
      '"'.repeat(9_999),
      'x/'.repeat(30_000),
      '```'.repeat(9_999),
    ];
    const startedAt = Date.now();
    for (const message of hostile) expect(await ask(message)).toHaveProperty('kind');
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(ask('Write tests', { signal })).rejects.toThrow('enough');
  });

  it('has the direction of each of its phrases at hand', () => {
    for (const phrase of Object.values(phraseFamilies).flat()) {
      expect(vectorOf(phrase).length, phrase).toBe(384);
    }
  });
});
