import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { RunView, StepView, Waiting } from '../../contract/run/index.ts';
import { describeFailure, describeWaits, describeResults, nextSteps } from './describe-results.ts';
import { rememberResults, resultsOfRun } from './results-of-run.ts';
import { showCode } from './show-code.ts';

const aStep = (parts: Partial<StepView>): StepView => ({
  status: 'succeeded',
  startedAt: null,
  endedAt: null,
  attempts: 1,
  ...parts,
});

const aRun = (steps: Record<string, StepView>, parts: Partial<RunView> = {}): RunView => ({
  runId: 'run-1',
  name: null,
  goal: null,
  status: 'succeeded',
  engine: 'embedded',
  createdAt: '',
  startedAt: null,
  endedAt: null,
  forkedFrom: null,
  steps,
  waitingFor: [],
  input: {},
  traceId: null,
  ...parts,
});

describe('results of a run', () => {
  const big = { id: 'sha256:1', bytes: 10, mediaType: 'application/json', preview: '{"co' };
  const view = aRun({
    code: aStep({ tool: 'code.generate_code', stored: big }),
    note: aStep({ tool: 'x.note', stored: { ...big, mediaType: 'text/plain' } }),
    huge: aStep({ stored: { ...big, bytes: 10_000_000 } }),
    review: aStep({ output: { overall_score: 80, issues: [], suggestions: ['a', 'b'] } }),
    skipped: aStep({ status: 'skipped' }),
  });

  it('are read back where they are big, up to a limit', async () => {
    const get = async (): Promise<Uint8Array> =>
      Buffer.from('{"code":"x = 1","language":"python"}');
    const results = await resultsOfRun(view, { get }, localCaller);
    expect(results).toEqual([
      { step: 'code', tool: 'code.generate_code', output: { code: 'x = 1', language: 'python' } },
      { step: 'note', tool: 'x.note', output: '{"code":"x = 1","language":"python"}' },
      { step: 'huge', tool: null, output: '{"co' },
      {
        step: 'review',
        tool: null,
        output: { overall_score: 80, issues: [], suggestions: ['a', 'b'] },
      },
    ]);
  });

  it('are told in the words of their tools, step by step, without the code', () => {
    const results = [
      {
        step: 'write',
        tool: 'code.generate_code',
        text: 'NOT verified\n\nx = 1\n',
        output: { code: 'x = 1', language: 'python' },
      },
      {
        step: 'scan',
        tool: 'x.scan',
        text: '1 finding\nsrc/a.py:3 eval',
        output: { findings: [] },
      },
      { step: 'gate', tool: null, output: null },
    ];
    const steps = { write: aStep({}), scan: aStep({}), skipped: aStep({ status: 'skipped' }) };
    expect(describeResults(aRun(steps), results)).toBe(
      'write (code.generate_code):\nNOT verified\n\nscan (x.scan):\n1 finding\nsrc/a.py:3 eval\n\nSkipped 1 step: skipped.',
    );
    expect(describeResults(aRun({}), [results[1] ?? Object()])).toBe('1 finding\nsrc/a.py:3 eval');
    expect(describeResults(aRun({}), [])).toBe('Done. There is nothing to show.');
  });

  it('leave out a file that was only read for a later step', () => {
    const read = { step: 'read', tool: 'x.read', text: 'x=1\n', output: { content: 'x=1\n' } };
    const scan = { step: 'scan', tool: 'x.scan', text: 'clean', output: {} };
    const plan = {
      version: 1 as const,
      steps: [
        { id: 'read', tool: 'x.read' },
        { id: 'scan', tool: 'x.scan', args: { code: '${read.content}' } },
      ],
    };
    expect(describeResults(aRun({}), [read, scan], plan)).toBe('clean');
    expect(describeResults(aRun({}), [read], { ...plan, steps: [] })).toBe('x=1');
  });

  it('without words of their tool are told as text, as a list or as JSON, never as names of members', () => {
    const told = (output: Json): string =>
      describeResults(aRun({}), [{ step: 'a', tool: 'x.a', output }]);
    expect(told('plain')).toBe('plain');
    expect(told({ content: [], text: 'said' })).toBe('said');
    expect(told({ total: 1, matches: [{ path: 'a.ts', line: 3, text: '// TODO' }] })).toBe(
      'a.ts:3: // TODO',
    );
    expect(told({ content: [], text: '{"sum":3}', json: { sum: 3 } })).toBe('{\n  "sum": 3\n}');
  });

  it('are cut, and say how to see the rest', () => {
    const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
    const told = describeResults(aRun({}), [{ step: 'a', tool: null, text, output: {} }]);
    expect(told).toMatch(/line 39\n… 60 more lines: say "show all"\.$/);
    const list = { step: 'a', tool: null, text: 'one\n… and 7 more', output: {} };
    expect(describeResults(aRun({}), [list])).toMatch(/Say "show all" for the whole list\.$/);
  });

  it('leave the diff of changed code to where the code is shown', () => {
    const diff = '--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';
    const output = { refactored_code: 'b', diff };
    const changed = { step: 'a', tool: null, text: `1 fix\n${diff}`, output };
    expect(describeResults(aRun({}), [changed])).toBe('1 fix');
    const compared = { step: 'a', tool: null, text: diff, output: { diff } };
    expect(describeResults(aRun({}), [compared])).toContain('@@ -1 +1 @@');
  });

  it('are remembered by what they are, one of a kind for each step', () => {
    const output = {
      code: 'x=1',
      formatted_code: 'x = 1',
      test_code: 'assert x',
      formalized_description: 'spec',
      documentation: 'docs',
      refactored_code: 'y',
      language: 'python',
      tests: ' ',
    };
    const found = rememberResults([{ step: 'a', tool: null, output }], 'run-1');
    expect(found.map(({ kind, content }) => [kind, content])).toEqual([
      ['code', 'x = 1'],
      ['tests', 'assert x'],
      ['spec', 'spec'],
      ['text', 'docs'],
    ]);
    const review = { overall_score: 90, issues: [], refactored_code: 'y' };
    expect(rememberResults([{ step: 'b', tool: null, output: review }], 'run-1')).toMatchObject([
      { kind: 'review', content: '{"overall_score":90,"issues":[]}' },
    ]);
    expect(found[0]).toMatchObject({ language: 'python', runId: 'run-1', step: 'a' });
  });

  it('show code as it is, long code cut, and code with fences in a longer fence', async () => {
    const code = Array.from({ length: 400 }, (_, line) => `x${line} = '\`\`\`'`).join('\n');
    const { text } = await showCode({
      results: [{ step: 'a', tool: null, output: { code, language: 'python' } }],
    });
    expect(text).toMatch(/^code of step a:\n`{5}python\nx0 = [^]*\n… 100 more lines\n`{5}$/);
    const nothing = await showCode({ results: [{ step: 'a', tool: null, output: 'text' }] });
    expect(nothing).toEqual({ text: '', changesFile: false });
  });

  it.each([
    [
      { verified: false, level: 'built', missing: 'a test that runs' },
      'NOT VERIFIED; missing: a test that runs',
    ],
    [
      { verified: false, level: 'self_tested', missing: 'tests from you' },
      'SELF-TESTED, NOT VERIFIED; missing: tests from you',
    ],
    [{ verified: false }, 'NOT VERIFIED; missing: nothing confirms this code'],
    [{ verified: true }, 'NOT VERIFIED; missing: nothing confirms this code'],
    [
      { verified: true, level: 'verified', missing: null },
      'Verified by tests or examples of yours that were run',
    ],
  ])('say above generated code whether it is verified: %j', async (known, label) => {
    const output = { code: 'x = 1', language: 'python', ...known };
    const { text } = await showCode({ results: [{ step: 'a', tool: null, output }] });
    expect(text.split('\n').slice(0, 2)).toEqual([label, 'code of step a:']);
  });

  it('show a changed file as a diff, and a change that can be applied is offered', async () => {
    const plan = {
      version: 1 as const,
      steps: [{ id: 'format', tool: 'code.format_code', args: { path: 'src/a.py' } }],
    };
    const before = 'x=1\ny = 2\nz = 3\n';
    const results = [
      { step: 'format', tool: null, output: { formatted_code: 'x = 1\ny = 2\nz = 3\n' } },
    ];
    const readFile = async (path: string): Promise<string | undefined> =>
      path === 'src/a.py' ? before : undefined;
    const shown = await showCode({ results, plan, readFile });
    expect(shown.text).toContain('changes to src/a.py:\n```diff\n--- src/a.py');
    expect(shown.text).toContain('\n-x=1\n+x = 1\n y = 2');
    const tools = new Set(['workspace.apply_changes', 'code.review_code']);
    expect(nextSteps({ results, changesFile: shown.changesFile, tools })).toContain('"apply it"');
    expect(nextSteps({ results, changesFile: false, tools })).toBe(
      'Next you could say "review it".',
    );
    const same = await showCode({ results, plan, readFile: async () => 'x = 1\ny = 2\nz = 3\n' });
    expect(same).toEqual({ text: 'src/a.py: nothing to change.', changesFile: false });
  });

  it('show code that was written to files once, in the diff, with what is known about it', async () => {
    const written = { step: 'apply', tool: null, output: { change_id: 'c1', diff: '-a\n+b\n' } };
    const made = (output: Record<string, string | boolean>) => ({
      step: 'make',
      tool: null,
      output,
    });
    expect(await showCode({ results: [made({ formatted_code: 'b' }), written] })).toEqual({
      text: '',
      changesFile: false,
    });
    const unproven = made({ code: 'b', verified: false, missing: 'tests' });
    expect((await showCode({ results: [unproven, written] })).text).toBe(
      'NOT VERIFIED; missing: tests',
    );
  });

  it('show what was made of an attachment, or of what a step read, as a diff', async () => {
    const step = { id: 'fix', tool: 'code.refactor_code' };
    const made = { step: 'fix', tool: null, output: { refactored_code: 'a = 1\nb = 3\n' } };
    const input = { file_1: { type: 'string', default: 'a = 1\nb = 2\n' } };
    const given = {
      version: 1 as const,
      input,
      steps: [{ ...step, args: { code: '${input.file_1}' } }],
    };
    expect((await showCode({ results: [made], plan: given })).text).toContain('-b = 2\n+b = 3');
    const read = { step: 'read', tool: null, output: { path: 'b.py', content: 'a = 1\nb = 2\n' } };
    const chained = {
      version: 1 as const,
      steps: [{ ...step, args: { code: '${read.content}' } }],
    };
    expect(await showCode({ results: [read, made], plan: chained })).toMatchObject({
      changesFile: true,
      text: expect.stringContaining('changes to b.py'),
    });
  });
});

describe('a run without success', () => {
  it('is told with what failed and what to do', () => {
    const error = { code: 'workflow.tool_failed', message: 'no', details: {} };
    const view = aRun(
      {
        a: aStep({}),
        b: aStep({ status: 'failed', tool: 'x.b', error }),
        c: aStep({ status: 'unknown' }),
      },
      { status: 'failed', error: { ...error, message: 'm'.repeat(2_000) } },
    );
    expect(describeFailure(view)).toMatch(
      /^It did not work: m{999}…\n- step b \(x\.b\): workflow\.tool_failed: no\n- step c: failed\n1 earlier step succeeded/,
    );
    expect(describeFailure({ ...view, status: 'cancelled' })).toContain('was cancelled');
  });

  it('that waits says for what, and the command that gives it', () => {
    const error = { code: 'x', message: 'bad', details: {} };
    const waitingFor: Waiting[] = [
      {
        kind: 'approval',
        step: 'a',
        approvalId: '1',
        message: '',
        tool: 'x.a',
        arguments: { to: 'b' },
        expiresAt: '',
      },
      {
        kind: 'approval',
        step: 'gate',
        approvalId: '2',
        message: '',
        tool: null,
        arguments: {},
        expiresAt: '',
      },
      { kind: 'signal', step: 's', signal: 'go' },
      { kind: 'resolve', step: 'r', tool: 'x.r', message: '' },
      { kind: 'repair', step: 'p', error },
    ];
    const told = describeWaits(aRun({}, { status: 'waiting', waitingFor }));
    expect(told.map((one) => /tutti runs \w+ run-1 \w+/.exec(one)?.[0])).toEqual([
      'tutti runs approve run-1 a',
      'tutti runs approve run-1 gate',
      'tutti runs signal run-1 go',
      'tutti runs resolve run-1 r',
      'tutti runs repair run-1 p',
    ]);
    expect(told[0]).toContain('x.a with {"to":"b"}');
    const previewed = waitingFor.map((wait) =>
      wait.kind === 'approval' ? { ...wait, preview: '1 file changed\n-a\n+b\n' } : wait,
    );
    const [first] = describeWaits(aRun({}, { status: 'waiting', waitingFor: previewed }));
    expect(first).toContain('It would call x.a: 1 file changed. Give it with');
  });
});
