import { describe, expect, it } from 'vitest';
import { Beliefs } from './beliefs.ts';

const agent = { agent: 'testing', version: '1' };
const python = { capability: 'tests.write', language: 'python' };
const mean = ({ alpha, beta }: { alpha: number; beta: number }) => alpha / (alpha + beta);

describe('beliefs', () => {
  it('know nothing at first', () => {
    expect(new Beliefs().of(agent, python)).toEqual({ alpha: 1, beta: 1, outcomes: 0 });
  });

  it('borrow from the class above where there are no outcomes', () => {
    const beliefs = new Beliefs();
    for (let turn = 0; turn < 50; turn += 1) {
      beliefs.learn({ candidate: agent, task: python, success: 1 });
    }
    const go = beliefs.of(agent, { capability: 'tests.write', language: 'go' });
    const other = beliefs.of({ agent: 'other', version: '1' }, python);
    expect(mean(go)).toBeGreaterThan(0.85);
    expect(go.outcomes).toBeLessThan(beliefs.of(agent, python).outcomes);
    expect(mean(other)).toBe(0.5);
    expect(mean(beliefs.of({ ...agent, version: '2' }, python))).toBeGreaterThan(0.8);
  });

  it('learn that a class differs from the one above it', () => {
    const beliefs = new Beliefs();
    for (let turn = 0; turn < 200; turn += 1) {
      beliefs.learn({ candidate: agent, task: python, success: 1 });
      beliefs.learn({ candidate: agent, task: { ...python, language: 'go' }, success: 0 });
    }
    expect(mean(beliefs.of(agent, python))).toBeGreaterThan(0.95);
    expect(mean(beliefs.of(agent, { ...python, language: 'go' }))).toBeLessThan(0.05);
  });

  it('forget when what they foretell stops happening', () => {
    const beliefs = new Beliefs();
    for (let turn = 0; turn < 1_000; turn += 1) {
      beliefs.learn({ candidate: agent, task: python, success: 1 });
    }
    for (let turn = 0; turn < 300; turn += 1) {
      beliefs.learn({ candidate: agent, task: python, success: 0 });
    }
    // Without forgetting it would be 0.77.
    expect(mean(beliefs.of(agent, python))).toBeLessThan(0.5);
  });

  it('replace what was learned when a stronger outcome arrives later', () => {
    const beliefs = new Beliefs();
    const lesson = { candidate: agent, task: python, success: 1 };
    for (let turn = 0; turn < 10; turn += 1) beliefs.learn(lesson);
    for (let turn = 0; turn < 10; turn += 1) beliefs.relearn({ ...lesson, success: 0 }, 1);
    expect(mean(beliefs.of(agent, python))).toBeLessThan(0.1);
    expect(beliefs.of(agent, python).outcomes).toBeCloseTo(10, 1);
  });
});
