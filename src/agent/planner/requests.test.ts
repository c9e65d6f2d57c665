import { describe, expect, it } from 'vitest';
import { ask, firstPlan, tools } from '../../../testkit/agent/ask-planner.ts';

describe('what a message names', () => {
  it.each(['any secrets? and also run the tests', 'find secrets. Then also run the tests'])(
    'asks for both halves: "%s"',
    async (message) => {
      expect(await firstPlan(message)).toMatchObject([
        { tool: 'code.scan_secrets' },
        { tool: 'exec.run_tests' },
      ]);
    },
  );

  it.each([
    ['show the newest commit', 'HEAD'],
    ['what did commit HEAD~2 change?', 'HEAD~2'],
  ])('is one commit: "%s"', async (message, commit) => {
    expect(await firstPlan(message)).toMatchObject([
      { tool: 'workspace.git_diff', args: { commit } },
    ]);
  });

  it.each([
    ['create notes.txt with: buy milk, then bread', 'buy milk, then bread\n'],
    ['create notes.txt: buy milk', 'buy milk\n'],
    ['save this in notes.txt: one: two', 'one: two\n'],
    ['add a file notes.txt: # Notes', '# Notes\n'],
  ])('is the text of a file: %j', async (message, content) => {
    expect(await firstPlan(message)).toMatchObject([
      { tool: 'workspace.apply_changes', args: { path: 'notes.txt', content } },
    ]);
  });

  it.each([
    ['append to README.md: one more line', 'one more line\n'],
    ['add "see below" to README.md', 'see below\n'],
  ])('is text for the end of a file, where a tool takes it: %j', async (message, append) => {
    const withAppend = tools.map((entry) => ({
      ...entry,
      tool: {
        ...entry.tool,
        ...(entry.tool.name === 'apply_changes' && {
          inputSchema: {
            type: 'object',
            properties: { path: { type: 'string' }, content: {}, append: { type: 'string' } },
          },
        }),
      },
    }));
    expect(await firstPlan(message, { tools: withAppend })).toMatchObject([
      { tool: 'workspace.apply_changes', args: { path: 'README.md', append } },
    ]);
  });

  it('adds to a file that is there only with a model or a tool that can', async () => {
    const answer = await ask('add to README.md: one more line');
    expect(JSON.stringify(answer)).not.toContain('apply_changes');
  });

  it.each(['rename total -> sumUp', 'rename total => sumUp', 'rename total to sumUp'])(
    'is an old and a new name: "%s"',
    async (message) => {
      expect(await firstPlan(message)).toMatchObject([
        { tool: 'workspace.replace_text', args: { find: 'total', replace_with: 'sumUp' } },
      ]);
    },
  );

  it.each(['rename add -> run', 'rename the function add to run'])(
    'is a name, though it is a word for a deed: "%s"',
    async (message) => {
      expect(await firstPlan(message)).toMatchObject([
        { tool: 'workspace.replace_text', args: { find: 'add', replace_with: 'run' } },
      ]);
    },
  );

  it.each([
    ['docs for axios interceptors', 'axios', 'interceptors'],
    ['documentation on the hooks of preact', 'preact', 'hooks'],
  ])('is a library and a topic: "%s"', async (message, library, topic) => {
    expect(await firstPlan(message)).toMatchObject([{ args: { library, topic } }]);
  });

  it('is a folder, which a tool that takes one file cannot run', async () => {
    expect(await firstPlan('execute the program in src/cart.ts')).toMatchObject([
      { tool: 'exec.run_code' },
    ]);
    const answer = await ask('execute the program in src');
    expect(JSON.stringify(answer)).not.toContain('exec.run_code');
  });
});

describe('whether others could attack a file of the user', () => {
  it.each(['could an attacker get into src/cart.ts?', 'can anyone hack cart.ts'])(
    'is a scan, not a refusal: "%s"',
    async (message) => {
      const answer = await ask(message);
      expect(JSON.stringify(answer)).toContain('"code.scan_security"');
    },
  );

  it.each(['how can someone hack my neighbour', 'write code to hack into the phone of my ex'])(
    'is refused where it is about other people: "%s"',
    async (message) => {
      expect(await ask(message)).toMatchObject({ kind: 'refusal', isFinal: true });
    },
  );
});

describe('what no tool does', () => {
  it.each([
    ['translate my blog into Danish', 'translates'],
    ['send a mail to Kim', 'e-mail'],
    ['deploy the site', 'deploys'],
    ['install vue', 'installs'],
    ['upgrade svelte', 'upgrades'],
    ['open a pull request', 'code host'],
    ['git push --force', 'git in a terminal'],
    ['undo my newest git commit', 'git revert'],
    ['typecheck lib/index.ts', 'mypy'],
    ['tsc --noEmit --watch', 'tsc --noEmit'],
    ['is src/cart.ts safe with several threads?', 'threads'],
    ['are there any duplicated classes', 'jscpd'],
    ['cargo build --offline', 'builds'],
    ['did anybody commit a password to the git history', 'gitleaks'],
    ['move src/cart.ts to lib/cart.ts', 'git mv'],
  ])('is refused with what would do it: "%s"', async (message, reason) => {
    const own = tools.filter(({ server }) => server !== 'office');
    const answer = await ask(message, { tools: own });
    expect(answer).toMatchObject({
      kind: 'refusal',
      reason: expect.stringContaining(reason) as string,
    });
  });

  it.each([
    ['set cart.ts back to its state in git', 'git restore', ['workspace.git_diff']],
    ['explain cart.ts', 'needs a model', ['workspace.read_file', 'code.review_code']],
    ['pls explain me the file src/cart.ts', 'needs a model', ['workspace.read_file']],
  ])('comes with plans for what helps instead: "%s"', async (message, reason, instead) => {
    const answer = await ask(message);
    expect(answer).toMatchObject({
      kind: 'question',
      questions: [expect.stringContaining(reason) as string],
    });
    const offered = 'candidates' in answer ? answer.candidates.map(({ plan }) => plan) : [];
    expect(offered.flatMap(({ steps }) => steps.map(({ tool }) => tool))).toEqual(
      expect.arrayContaining(instead),
    );
    expect(JSON.stringify(offered)).toContain('src/cart.ts');
  });

  it.each(['get the tests green', 'repair the broken tests', 'make all specs pass please'])(
    'is said beside the tests that run: "%s"',
    async (message) => {
      const answer = await ask(message);
      expect(answer).toMatchObject({ kind: 'plan' });
      const [first] = 'candidates' in answer ? answer.candidates : [];
      expect(first?.plan.steps[0]?.tool).toBe('exec.run_tests');
      expect(first?.why).toContain('Fixing needs a model');
    },
  );

  it('is not refused where a server in the catalogue offers it', async () => {
    expect(await ask('send an email to kim@example.org')).toMatchObject({ kind: 'plan' });
  });
});

describe('the code of the folder', () => {
  it.each(['what is wrong with this code?', 'is my code any good', 'review this code'])(
    'is what "%s" means where nothing was shown',
    async (message) => {
      expect(await firstPlan(message)).toMatchObject([
        { tool: 'code.review_code', args: { path: '.' } },
      ]);
    },
  );

  it('gives way to code that was shown', async () => {
    const remembered = [{ kind: 'code' as const, title: 'a.py', content: 'old' }];
    expect(await firstPlan('review this code', { remembered })).toMatchObject([
      { args: { code: 'old' } },
    ]);
  });
});

describe('a wish about Tutti', () => {
  const remembered = [{ kind: 'code' as const, title: 'a.py', content: 'old' }];

  it.each([
    ['list my last runs', 'runs'],
    ['how long did that take', 'runs'],
    ['why did it fail?', 'failure'],
    ['which servers are there', 'servers'],
    ['what can you do?', 'capabilities'],
  ])('is answered whatever was made before: "%s"', async (message, topic) => {
    expect(await ask(message, { remembered })).toEqual({ kind: 'about', topic });
  });
});

describe('a source file', () => {
  it('is no data and no configuration', async () => {
    const text = { type: 'string' };
    const entry = {
      name: 'ml.load_config',
      wireName: 'ml__load_config',
      server: 'ml',
      tool: {
        name: 'load_config',
        inputSchema: { type: 'object', properties: { path: text } },
        annotations: { readOnlyHint: true },
      },
    };
    const more = { tools: [...tools, entry], isOwn: () => true };
    expect(JSON.stringify(await ask('load the config src/cart.ts', more))).not.toContain('ml.load');
    const tree = ['src/cart.ts', 'train.yaml'];
    expect(
      JSON.stringify(await ask('load the training config train.yaml', { ...more, tree })),
    ).toContain('ml.load');
  });
});
