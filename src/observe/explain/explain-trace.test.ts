import { describe, expect, it } from 'vitest';
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
