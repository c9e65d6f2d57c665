import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { RunView, StepView, Waiting } from '../../contract/run/index.ts';
import { describeFailure, describeWaits } from './describe-failure.ts';
import { describeResults, showCode } from './describe-results.ts';
import { rememberResults } from './remember-results.ts';
import { resultsOfRun } from './results-of-run.ts';

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
    expect(describeResults(view, results)).toMatchInlineSnapshot(`
      "Done: 4 of 5 step(s), 1 skipped.
      - code (code.generate_code): code x = 1, language python
      - note (x.note): {"code":"x = 1","language":"python"}
      - huge (no tool): {"co
      - review (no tool): overall_score 80, 2 suggestions, 0 issues
      Next you could say "write tests for it", "fix what the review found"."
    `);
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

  it('show code as it is, long code cut, and code with fences in a longer fence', () => {
    const code = Array.from({ length: 400 }, (_, line) => `x${line} = '\`\`\`'`).join('\n');
    const shown = showCode([{ step: 'a', tool: null, output: { code, language: 'python' } }]);
    expect(shown).toMatch(/^code of step a:\n`{5}python\nx0 = [^]*\n… 100 more lines\n`{5}$/);
    expect(showCode([{ step: 'a', tool: null, output: 'text' }])).toBe('');
  });

  it('without numbers are told by their text, and notices are told', () => {
    const results = [
      { step: 'a', tool: 'x.a', output: { text: 'a  long\ntext' } },
      { step: 'b', tool: 'x.b', output: { origin: 'template', notice: 'Connect a model.' } },
      { step: 'c', tool: 'x.c', output: 'w'.repeat(300) },
    ];
    const text = describeResults(aRun({ a: aStep({}) }), results);
    expect(text).toMatch(
      /- a \(x\.a\): a long text\n- b \(x\.b\): origin template\n {4}Connect a model\.\n- c \(x\.c\): w+…/,
    );
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
  });
});
