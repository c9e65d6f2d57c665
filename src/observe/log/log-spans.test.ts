import { expect, it, vi } from 'vitest';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { createLog } from './create-log.ts';
import { maxSpanLines, SpanLog } from './log-spans.ts';

function aSpanLog(level: 'debug' | 'info') {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (text: string) => lines.push(JSON.parse(text)) };
  const activeSpan = () => ({ traceId: 'other', spanId: 'other', runId: 'other' });
  return { log: new SpanLog(createLog({ level, stream, activeSpan })), lines };
}

const call = {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'a.b',
  'tutti.server': 'a',
};
const failed = { status: 'error', statusMessage: 'no file secret.txt' } as const;
const step = { 'tutti.step.attempt': 2, 'gen_ai.tool.name': 'a.b', 'error.type': 'x.y' };

it('warns of what failed, with its ids and its code and without the text of the error', () => {
  const { log, lines } = aSpanLog('info');
  log.write(aSpan({ attributes: call }), 'r1');
  log.write(aSpan({ attributes: { ...call, 'tutti.error.code': 'x.y' }, ...failed }), undefined);
  log.write(aSpan({ name: 'step two', attributes: step, ...failed }), 'r1');
  const { traceId, spanId } = aSpan({});
  expect(lines).toMatchObject([
    { level: 'warn', msg: 'call failed', tool: 'a.b', server: 'a', code: 'x.y', traceId, spanId },
    { level: 'warn', msg: 'step failed', runId: 'r1', step: 'two', attempt: 2, code: 'x.y' },
  ]);
  expect(lines[0]).not.toHaveProperty('runId');
  expect(JSON.stringify(lines)).not.toContain('secret.txt');
});

it('has a line for each call that succeeded at level debug, and none for other spans', () => {
  const { log, lines } = aSpanLog('debug');
  log.write(aSpan({ attributes: call }), 'r1');
  log.write(aSpan({ attributes: {} }), 'r1');
  expect(lines).toMatchObject([{ level: 'debug', msg: 'call ended', runId: 'r1' }]);
});

it('writes so many lines a second and says how many it left out', () => {
  vi.useFakeTimers();
  const { log, lines } = aSpanLog('info');
  for (let at = 0; at < maxSpanLines + 7; at += 1) {
    log.write(aSpan({ attributes: call, ...failed }), undefined);
  }
  vi.advanceTimersByTime(1_000);
  vi.useRealTimers();
  expect(lines).toHaveLength(maxSpanLines + 1);
  expect(lines.at(-1)).toMatchObject({ msg: 'lines about calls and steps left out', count: 7 });
});
