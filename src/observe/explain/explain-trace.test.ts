import { describe, expect, it } from 'vitest';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { plantedTrace } from '../../../testkit/observe/planted-traces.ts';
import { explainTrace } from './explain-trace.ts';

const casesPerHalf = 100;

function firstNamed(from: number): { right: number; wrong: string[] } {
  const wrong: string[] = [];
  let right = 0;
  for (let seed = from; seed < from + casesPerHalf; seed += 1) {
    const { cause, spans, earlier, subject } = plantedTrace(seed);
    const [first] = explainTrace(spans, earlier).causes;
    if (first?.kind === cause) right += 1;
    else wrong.push(`${seed}: ${cause} (${subject}) → ${first?.kind} ${first?.subject}`);
  }
  return { right, wrong };
}

describe('the cause of a slow trace', () => {
  it.each([1, 1_001])('is named first in at least 90 of 100 traces, from seed %i on', (from) => {
    const { right, wrong } = firstNamed(from);
    expect(right, wrong.join('\n')).toBeGreaterThanOrEqual(90);
  });
});

/** A run of a plan without a name: a step that starts its server and then has a slow tool. */
function aRun(
  id: string,
  { coldMs, toolMs }: { readonly coldMs: number; readonly toolMs: number },
) {
  const traceId = id.padStart(32, '0');
  const durationUs = (coldMs + toolMs) * 1_000;
  const run = { traceId, spanId: `${id}1`, name: `run ${id}`, startedAtUs: 0, durationUs: 1 };
  const step = { traceId, spanId: `${id}2`, parentSpanId: `${id}1`, name: 'step a' };
  const call = { traceId, spanId: `${id}3`, parentSpanId: `${id}2`, name: 'call' };
  const called = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 's.slow',
    'tutti.server': 's',
    ...(coldMs > 0 && { 'tutti.server.start_ms': coldMs }),
  };
  const stepped = { 'tutti.step.attempt': 1 };
  return [
    aSpan({ ...run, attributes: { 'tutti.run.id': id } }),
    aSpan({ ...step, startedAtUs: 1, durationUs: durationUs + 2, attributes: stepped }),
    aSpan({ ...call, startedAtUs: 2, durationUs, attributes: called }),
  ];
}

describe('a cold start', () => {
  it('that takes a small part never comes first, whatever is usual', () => {
    const usual = { coldMs: 0, toolMs: 1_000 };
    const earlier = ['a1', 'a2', 'a3'].map((id) => aRun(id, usual));
    for (const before of [earlier, []]) {
      const { causes } = explainTrace(aRun('b1', { coldMs: 42, toolMs: 1_000 }), before);
      expect(causes.map(({ kind }) => kind)).toEqual([
        'slow tool',
        'cold start',
        'disk',
        'own work',
      ]);
    }
  });

  it('that every earlier run of the plan had is usual, also when the plan has no name', () => {
    const usual = { coldMs: 400, toolMs: 100 };
    const earlier = ['a1', 'a2', 'a3'].map((id) => aRun(id, usual));
    const { causes, alikeTraces } = explainTrace(aRun('b1', { coldMs: 410, toolMs: 300 }), earlier);
    expect(alikeTraces).toBe(3);
    expect(causes[0]).toMatchObject({ kind: 'slow tool', usualUs: 100_000 });
    expect(causes[1]).toMatchObject({ kind: 'cold start', usualUs: 400_000 });
  });

  it('is not called unusual because other work had none', () => {
    const other = ['a1', 'a2', 'a3'].map((id) => [aSpan({ traceId: id, name: 'tools/call x' })]);
    const { causes } = explainTrace(aRun('b1', { coldMs: 400, toolMs: 1_000 }), other);
    expect(causes.find(({ kind }) => kind === 'cold start')?.usualUs).toBeNull();
  });
});
