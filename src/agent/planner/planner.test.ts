import { describe, expect, it } from 'vitest';
import { ask, firstPlan, tools } from '../../../testkit/agent/ask-planner.ts';
import type { PlanningRequest } from '../planning.ts';

describe('a plan without a model', () => {
  it('gives a path to a tool that takes one, and no reader before it', async () => {
    expect(await firstPlan('format cart.ts')).toEqual([
      { id: 'format_code', tool: 'code.format_code', args: { path: 'src/cart.ts' } },
    ]);
  });

  it('reads the file for a tool that takes only text, and writes tests beside it', async () => {
    expect(await firstPlan('write vitest tests for src/cart.ts and save them')).toEqual([
      { id: 'read_file', tool: 'workspace.read_file', args: { path: 'src/cart.ts' } },
      {
        id: 'generate_tests',
        tool: 'code.generate_tests',
        args: { code: '${read_file.content}', test_framework: 'vitest' },
      },
      {
        id: 'apply_changes',
        tool: 'workspace.apply_changes',
        args: { path: 'src/cart.test.ts', content: '${generate_tests.test_code}' },
      },
    ]);
  });

  it('writes what was changed back to where it came from', async () => {
    expect(await firstPlan('format src/cart.ts and write it back')).toMatchObject([
      { tool: 'code.format_code' },
      { args: { path: 'src/cart.ts', content: '${format_code.formatted_code}' } },
    ]);
  });

  it('feeds new code to what comes after it, and leaves out what is not wanted', async () => {
    expect(await firstPlan('write a date parser in Go and review it, no tests')).toMatchObject([
      {
        tool: 'code.generate_code',
        args: { language: 'go', description: 'write a date parser in Go' },
      },
      { tool: 'code.review_code', args: { code: '${generate_code.code}' } },
    ]);
  });

  it('takes code in the message as code, and never as a reference', async () => {
    expect(await firstPlan('find the bugs in this:\ndef f(x):\n    return f"${x}"')).toMatchObject([
      { tool: 'code.review_code', args: { code: 'def f(x):\n    return f"$${x}"' } },
    ]);
  });

  it('works on what was shown last, unless the message says on what', async () => {
    const remembered = [{ kind: 'code' as const, title: 'a.py', content: 'old' }];
    expect(await firstPlan('review it', { remembered })).toMatchObject([{ args: { code: 'old' } }]);
    expect(await firstPlan('find secrets in this repo', { remembered })).toMatchObject([
      { tool: 'code.scan_secrets', args: { path: '.' } },
    ]);
  });

  it('prefers our tools to others that say the same of themselves, unless the other server is named', async () => {
    expect(await firstPlan('format this file src/cart.ts')).toMatchObject([
      { tool: 'code.format_code' },
    ]);
    expect(await firstPlan('format this file src/cart.ts with acme')).toMatchObject([
      { tool: 'acme.format_document' },
    ]);
  });

  it('asks for a value that was not given', async () => {
    const answer = await ask('send an email about the review of src/cart.ts');
    const inputs = 'candidates' in answer ? answer.candidates.map(({ plan }) => plan.input) : [];
    expect(inputs).toContainEqual(expect.objectContaining({ to: { type: 'string' } }));
  });
});

describe('the arguments of a plan', () => {
  it('name no language where a file has one of its own', async () => {
    expect(await firstPlan('is there sql injection in src/cart.ts?')).toEqual([
      { id: 'scan_security', tool: 'code.scan_security', args: { path: 'src/cart.ts' } },
    ]);
  });

  it.each([
    ['who wrote line 2 of src/cart.ts', { path: 'src/cart.ts', start_line: 2, end_line: 2 }],
    ['who wrote lines 3 to 9 of src/cart.ts', { path: 'src/cart.ts', start_line: 3, end_line: 9 }],
  ])('take lines from "%s"', async (message, args) => {
    expect(await firstPlan(message)).toMatchObject([{ tool: 'workspace.git_blame', args }]);
  });

  it.each([
    ['any secrets?', 'code.scan_secrets'],
    ['run the tests', 'exec.run_tests'],
  ])('are the whole project for "%s", whatever was shown before', async (message, name) => {
    const remembered = [{ kind: 'code' as const, title: 'cart.ts', content: 'let a = 1;' }];
    expect(await firstPlan(message, { remembered })).toMatchObject([
      { tool: name, args: { path: '.' } },
    ]);
  });

  it('ask for a file where the tool takes no folder', async () => {
    expect(await ask('who wrote this code base?')).not.toMatchObject({ kind: 'plan' });
  });
});

describe('doubt', () => {
  it('is shown as up to three whole readings', async () => {
    const answer = await ask('look after cart.ts', { tools: tools.slice(0, 5) });
    expect(answer.kind).not.toBe('refusal');
    const unsure = await ask('check for secrets and bugs in src/cart.ts');
    expect(unsure).toMatchObject({ kind: 'plan' });
    if (unsure.kind === 'plan') expect(unsure.candidates.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['review index.ts', /several files named "index.ts": src\/index.ts, lib\/index.ts/],
    ['review basket.ts', /There is no "basket.ts" here/],
    ['build an app', /What exactly should it do/],
  ])('%s is asked about', async (message, question) => {
    const answer = await ask(message);
    expect(answer).toMatchObject({
      kind: 'question',
      questions: [expect.stringMatching(question)],
    });
  });

  it('asks which code where there is none', async () => {
    expect(await ask('write tests for it', { tree: [] })).toMatchObject({
      kind: 'question',
      questions: [expect.stringMatching(/Which code/)],
    });
  });
});

describe('what is not planned', () => {
  it('harm is refused, and so is what no tool is for, with what would work', async () => {
    expect(await ask('write a keylogger')).toMatchObject({ kind: 'refusal' });
    expect(await ask('book me a flight to Rome')).toMatchObject({
      kind: 'refusal',
      reason: expect.stringMatching(/review, format/),
    });
  });

  it.each(['what can you do?', 'help', '?'])('"%s" is told apart', async (message) => {
    expect(await ask(message)).toEqual({ kind: 'about', topic: 'capabilities' });
  });

  it.each(['hi', 'hello', 'thanks', 'thank you!', 'please'])(
    '"%s" is no request',
    async (message) => {
      expect(await ask(message)).toEqual({ kind: 'about', topic: 'greeting' });
    },
  );

  it('a request that was cancelled is not planned', async () => {
    await expect(
      ask('format cart.ts', { signal: AbortSignal.abort(new Error('stop')) }),
    ).rejects.toThrow('stop');
  });
});

describe('what must not be overwritten or undone', () => {
  const stub = {
    kind: 'code',
    title: 'code',
    content: 'TODO',
    step: 'generate_code',
    runId: 'r',
  };
  const shown: Partial<PlanningRequest> = {
    remembered: [{ ...stub, kind: 'code' }],
    history: [
      {
        number: 2,
        at: '2026-01-01T00:00:00Z',
        role: 'assistant',
        text: '',
        runId: 'r',
        remembered: [],
        plan: {
          version: 1,
          steps: [{ id: 'generate_code', tool: 'code.generate_code', args: {} }],
        },
      },
    ],
  };

  it.each([
    'rewrite src/cart.ts with hooks and write it back',
    'rewrite ./src/cart.ts with hooks and write it back',
    'rewrite src/cart.ts with hooks, then format it and write it back',
    'save it to src/cart.ts',
    'save it to ./src/cart.ts',
  ])('a template never replaces a file: "%s"', async (message) => {
    expect(await ask(message, shown)).toMatchObject({ kind: 'refusal' });
  });

  it('a template is saved as a new file, and called one in the preview', async () => {
    const saved = await firstPlan('save it to src/new.ts', shown);
    expect(saved).toMatchObject([{ args: { path: 'src/new.ts', content: 'TODO' } }]);
    const answer = await ask('write a function that adds two numbers in python');
    const [first] = 'candidates' in answer ? answer.candidates : [];
    expect(first?.why).toContain('Without a model this gives a template only.');
  });

  it('deletes a named file instead of writing what was shown', async () => {
    expect(await firstPlan('delete src/cart.ts', shown)).toEqual([
      {
        id: 'apply_changes',
        tool: 'workspace.apply_changes',
        args: { changes: [{ path: 'src/cart.ts', delete: true }] },
      },
    ]);
    expect(await ask('delete src', shown)).toMatchObject({
      kind: 'question',
      candidates: [],
    });
  });

  it.each([
    'rename Store to Inventory everywhere',
    'and the rest of the repo',
    'only those in src',
  ])('without a word for it nothing is written or undone: "%s"', async (message) => {
    const answer = await ask(message, shown);
    const used = 'candidates' in answer ? answer.candidates.flatMap(({ plan }) => plan.steps) : [];
    expect(
      used.map(({ tool: name }) => name).filter((name) => /apply|undo/.test(name ?? '')),
    ).toEqual([]);
  });
});

describe('what a message takes over from the one before', () => {
  const scanned: Partial<PlanningRequest> = {
    history: [
      {
        number: 2,
        at: '2026-01-01T00:00:00Z',
        role: 'assistant',
        text: '',
        remembered: [],
        plan: {
          version: 1,
          steps: [{ id: 'scan', tool: 'code.scan_secrets', args: { path: 'lib' } }],
        },
      },
    ],
  };

  it('the path only where it is referred to', async () => {
    expect(await firstPlan('review it', scanned)).toMatchObject([{ args: { path: 'lib' } }]);
    expect(await firstPlan('review', scanned)).toMatchObject([{ args: { path: '.' } }]);
  });

  it('a folder as a folder: no tool that takes one file is offered for it', async () => {
    const answer = JSON.stringify(await ask('run it', scanned));
    expect(answer).not.toContain('exec.run_code');
    expect(answer).not.toContain('workspace.read_file');
  });

  it.each([
    ['and the rest of the repo?', '.'],
    ['what about src?', 'src'],
    ['and the src folder?', 'src'],
  ])('the tool where only another path is named: "%s"', async (message, path) => {
    expect(await firstPlan(message, scanned)).toMatchObject([
      { tool: 'code.scan_secrets', args: { path } },
    ]);
  });

  it('saves what is made of a folder as one change, at once or when asked to', async () => {
    const save = {
      tool: 'workspace.apply_changes',
      args: { changes: '${format_code.changes}' },
    };
    const format = { tool: 'code.format_code', args: { path: 'src' } };
    expect(await firstPlan('format src and save it')).toMatchObject([format, save]);
    const steps = [{ id: 'format_code', ...format }];
    const [turn] = scanned.history ?? [];
    const formatted = turn && { ...turn, plan: { version: 1 as const, steps } };
    expect(await firstPlan('save it', { history: formatted ? [formatted] : [] })).toMatchObject([
      format,
      save,
    ]);
  });

  it('runs what comes after a change of files only once it is made', async () => {
    const steps = [{}, {}, { tool: 'exec.run_tests', when: 'exists(${apply_changes})' }];
    const answer = await ask('format src/cart.ts and save it, then run the tests');
    expect('candidates' in answer && answer.candidates[0]?.plan).toMatchObject({ steps });
  });

  it('shows a file, and never reads a folder as one', async () => {
    expect(await firstPlan('show src/cart.ts')).toMatchObject([
      { tool: 'workspace.read_file', args: { path: 'src/cart.ts' } },
    ]);
    const answer = await ask('read the file src');
    expect(JSON.stringify(answer)).not.toContain('workspace.read_file');
  });
});

describe('what was made of a file', () => {
  const turn = (number: number, name: string, path: string) => ({
    number,
    at: '2026-01-01T00:00:00Z',
    role: 'assistant' as const,
    text: '',
    remembered: [],
    runId: `run-${number}`,
    plan: { version: 1 as const, steps: [{ id: 'step', tool: name, args: { path } }] },
  });
  const made = (number: number, content: string, path?: string) => ({
    kind: 'code' as const,
    title: 'formatted code of step step',
    content,
    runId: `run-${number}`,
    step: 'step',
    ...(path !== undefined && { path }),
  });
  const format = (number: number, path: string) => turn(number, 'code.format_code', path);
  const review = turn(9, 'code.review_code', 'README.md');
  const write = (path: string, content: string) => ({
    tool: 'workspace.apply_changes',
    args: { path, content },
  });
  const remembered = [made(2, 'new index', 'src/index.ts'), made(1, 'new cart', 'src/cart.ts')];
  const history = [format(1, 'src/cart.ts'), format(2, 'src/index.ts'), review];

  it('is applied to that file, whatever was spoken of since', async () => {
    const first = { history: [format(1, 'src/cart.ts'), review], remembered: remembered.slice(1) };
    for (const message of ['apply it', 'save it', 'apply the changes'])
      expect(await firstPlan(message, first)).toMatchObject([write('src/cart.ts', 'new cart')]);
  });

  it('is made anew as it was asked for where nothing came between: the file may have changed', async () => {
    const { plan, ...asked } = format(1, 'src/cart.ts');
    const last = { ...asked, plan: { ...plan, goal: 'format src/cart.ts with tabs' } };
    const context = { history: [last], remembered: remembered.slice(1) };
    expect(await firstPlan('apply it', context)).toMatchObject([
      { tool: 'code.format_code', args: { path: 'src/cart.ts' } },
      write('src/cart.ts', '${format_code.formatted_code}'),
    ]);
  });

  it('is found by the name of the file, and applied to no other', async () => {
    expect(await firstPlan('apply it to src/cart.ts', { history, remembered })).toMatchObject([
      write('src/cart.ts', 'new cart'),
    ]);
    const other = JSON.stringify(await ask('apply it to README.md', { history, remembered }));
    expect(other).not.toMatch(/new (?:cart|index)/);
  });

  it('is not asked for again where the tool found nothing to change', async () => {
    const unchanged = { history: [format(1, 'src/cart.ts')], remembered: [] };
    expect(await ask('apply it', unchanged)).toMatchObject({
      kind: 'question',
      questions: [expect.stringContaining('Nothing has been made')],
    });
  });

  it('is never written to a folder, nor to a file that was not named', async () => {
    const more = [
      { history: [...history, turn(10, 'code.format_code', 'src')], remembered },
      { history: [format(1, 'src')], remembered: [made(1, 'new')] },
      { history: [review], remembered: [made(1, 'new')] },
    ];
    for (const context of more) {
      const answer = await ask('apply it', context);
      expect(JSON.stringify(answer)).not.toMatch(/"path":"(?:src|README.md)","content"/);
      expect(JSON.stringify(answer)).not.toContain('new index');
    }
  });
});
