import { describe, expect, it } from 'vitest';
import type { RunView, StepView } from '../../../contract/run/index.ts';
import { printableStream } from '../../printable.ts';
import { createColours } from '../../../../testkit/cli/no-colours.ts';
import { aRun } from '../../../../testkit/cli/fake-workflows.ts';
import { createLiveTree, drawTree, durationText } from './live-tree.ts';

const startedAt = '2026-01-01T00:00:00.000Z';
const startMs = Date.parse(startedAt);

function aView(steps: Readonly<Record<string, Partial<StepView>>>): RunView {
  const base: StepView = { status: 'pending', startedAt: null, endedAt: null, attempts: 0 };
  return {
    ...aRun,
    status: 'running',
    steps: Object.fromEntries(
      Object.entries(steps).map(([path, step]) => [path, { ...base, ...step }]),
    ),
  };
}

function aScreen(isTTY: boolean, columns = 60, rows?: number) {
  const written: string[] = [];
  let nowMs = startMs;
  const write = (text: string): void => void written.push(text);
  const stream = printableStream({ isTTY, columns, rows, write });
  const tree = createLiveTree({
    stream,
    isKnown: false,
    paint: createColours(),
    clock: { now: () => nowMs },
  });
  return { tree, written, wait: (ms: number) => (nowMs += ms) };
}

describe('the live tree', () => {
  it('draws itself over what it drew before, at most ten times a second', () => {
    const { tree, written, wait } = aScreen(true);
    tree.update(aView({ a: { status: 'running', startedAt } }));
    tree.update(aView({ a: { status: 'running', startedAt }, b: {} }));
    expect(written).toEqual(['▸ a  0 ms\n']);
    wait(150);
    tree.update(aView({ a: { status: 'running', startedAt }, b: {} }));
    expect(written[1]).toBe('\u001B[1F\u001B[J▸ a  150 ms\n· b\n');
    tree.update(aView({ a: { status: 'succeeded' }, b: {} }));
    tree.finish();
    expect(written[2]).toBe('\u001B[2F\u001B[J✓ a\n· b\n');
    tree.finish();
    expect(written).toHaveLength(3);
    wait(150);
    tree.update(aView({ a: { status: 'succeeded' } }));
    expect(written[3]).toBe('✓ a\n');
  });

  it('tells in a pipe which run of an agent a step waits for, once', () => {
    const { tree, written } = aScreen(false);
    const waiting = {
      progress: 1,
      message: 'run r2 waiting; waits at "apply": tutti runs approve r2',
    };
    const step = {
      status: 'running',
      startedAt,
      tool: 'agent.delegate',
      progress: waiting,
    } as const;
    tree.update(aView({ a: step, b: { ...step, tool: 'code.review_code' } }));
    tree.update(aView({ a: step, b: { ...step, tool: 'code.review_code' } }));
    expect(written.join('')).toBe(`a: ${waiting.message}\na: running\nb: running\n`);
  });

  it('shows progress and errors, cut to the width of the terminal', () => {
    const { tree, written } = aScreen(true, 40);
    const error = { code: 'x', message: 'a very long story about rain\nand snow', details: {} };
    const progress = { progress: 2, total: 5, message: 'files' };
    tree.update(
      aView({
        a: { status: 'running', startedAt, progress },
        b: { status: 'failed', error },
        c: { status: 'running', startedAt, progress: { progress: 7 } },
      }),
    );
    const [first, second, third] = (written[0] ?? '').split('\n');
    expect(first).toBe('▸ a  0 ms  2/5 files');
    expect(second).toBe('✗ b  a very long story about rain and …');
    expect(second).toHaveLength(39);
    expect(third).toBe('▸ c  0 ms  7');
  });

  it('counts wide signs as two columns, so that no line becomes two', () => {
    const { tree, written } = aScreen(true, 25);
    const progress = { progress: 1, message: '漢字が続く長い話です' };
    tree.update(aView({ a: { status: 'running', startedAt, progress } }));
    expect(written).toEqual(['▸ a  0 ms  1 漢字が続く…\n']);
  });

  it('is never higher than the screen, where it could not be drawn over', () => {
    const { tree, written } = aScreen(true, 25, 6);
    tree.update(aView(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`s${at}`, {}]))));
    expect(written[0]?.trimEnd().split('\n')).toEqual([
      '· s0',
      '· s1',
      '· s2',
      '· s3',
      '… and 26 more: 26 pendi…',
    ]);
  });

  it('keeps what matters of many steps, in their order, and counts the rest', () => {
    const steps: Record<string, Partial<StepView>> = {};
    for (let index = 0; index < 100; index += 1) steps[`s${index}`] = { status: 'succeeded' };
    steps['s50'] = { status: 'failed' };
    steps['s7'] = { status: 'waiting' };
    steps['s99'] = { status: 'pending' };
    const lines = drawTree(aView(steps), {
      paint: createColours(),
      nowMs: 0,
      maxLines: 5,
      columns: 80,
    });
    expect(lines).toEqual([
      '✓ s0',
      '✓ s1',
      '? s7',
      '✗ s50',
      '… and 96 more: 95 succeeded, 1 pending',
    ]);
  });

  it('is a line per change where there is no terminal, up to a limit', () => {
    const { tree, written } = aScreen(false);
    const done = { status: 'succeeded', startedAt, endedAt: '2026-01-01T00:00:02.500Z' } as const;
    tree.update(aView({ a: { status: 'running' }, b: {} }));
    tree.update(aView({ a: { status: 'running' }, b: {} }));
    tree.update(aView({ a: done, b: {} }));
    tree.finish();
    expect(written).toEqual(['a: running\n', 'a: succeeded (2.5 s)\n']);
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`m${index}`, done]),
    );
    tree.update(aView(many));
    expect(written).toHaveLength(1_000);
    expect(written.at(-1)).toBe('… further steps are not listed\n');
  });

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [2_140, '2.1 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [-5, '0 ms'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(durationText(startedAt, new Date(startMs + ms).toISOString())).toBe(text);
  });
});
