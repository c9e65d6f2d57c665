import { setTimeout as pause } from 'node:timers/promises';
import { localCaller } from '../../../src/contract/caller/index.ts';
import type { RunView, Workflows } from '../../../src/contract/run/index.ts';

/** A plan that must come to the same on every engine. */
export interface EnginePlan {
  readonly name: string;
  readonly plan: unknown;
  readonly input?: Readonly<Record<string, number>>;
  /** Gives what the run waits for. */
  readonly answer?: (workflows: Workflows, view: RunView) => Promise<void>;
}

const add = (id: string, a: unknown, b: unknown): object => ({ id, tool: 't.add', args: { a, b } });

const decide =
  (verdict: 'approved' | 'denied') =>
  (workflows: Workflows, { runId }: RunView): Promise<void> =>
    workflows.decide(localCaller, runId, { verdict, reason: 'because' });

const lookEveryMs = 20;
const maxLooks = 500;

/** Nobody answers: the time limit of the wait does. */
async function untilOver(workflows: Workflows, { runId }: RunView): Promise<void> {
  for (let look = 0; look < maxLooks; look += 1) {
    if ((await workflows.show(localCaller, runId)).status !== 'waiting') return;
    await pause(lookEveryMs);
  }
}

export const enginePlans: readonly EnginePlan[] = [
  {
    name: 'parallel branches that meet',
    plan: {
      input: { x: { type: 'integer' } },
      steps: [
        add('left', '${input.x}', 1),
        add('right', '${input.x}', 2),
        add('both', '${left.sum}', '${right.sum}'),
      ],
      output: { total: '${both.sum}' },
    },
    input: { x: 5 },
  },
  {
    name: 'a forEach, one after the other',
    plan: {
      steps: [
        { id: 'list', tool: 't.list', args: { n: 6 } },
        { ...add('each', '${item}', '${index}'), forEach: '${list.items}', concurrency: 1 },
      ],
    },
  },
  {
    name: 'a forEach wider than the engine goes at once',
    plan: {
      steps: [
        { id: 'list', tool: 't.list', args: { n: 150 } },
        { ...add('each', '${item}', 1), forEach: '${list.items}' },
      ],
    },
  },
  {
    name: 'a step that succeeds at the third attempt',
    plan: {
      steps: [
        {
          id: 'flaky',
          tool: 't.flaky',
          args: { failures: 2 },
          retry: { attempts: 3, backoffMs: 5, on: ['*'] },
        },
      ],
    },
  },
  {
    name: 'a step that is not to run, and what needs it',
    plan: {
      steps: [
        add('first', 1, 1),
        { ...add('never', 1, 1), when: '${first.sum} > 5' },
        add('after', '${never.sum}', 1),
        { ...add('always', 3, 4), when: '${first.sum} == 2' },
      ],
    },
  },
  { name: 'a sleep', plan: { steps: [{ id: 'rest', sleep: '30ms' }, add('sum', 1, 2)] } },
  {
    name: 'a wait for a signal',
    plan: { steps: [{ id: 'go', wait: 'go' }, add('sum', '${go.x}', 1)] },
    answer: (workflows, { runId }) => workflows.signal(localCaller, runId, 'go', { x: 41 }),
  },
  {
    name: 'a wait for a signal that does not come',
    plan: { steps: [{ id: 'go', wait: { signal: 'go', timeoutMs: 40 } }] },
    answer: untilOver,
  },
  {
    name: 'an effect that was approved',
    plan: { steps: [{ id: 'do', tool: 't.once', args: { what: 'it' }, approval: true }] },
    answer: decide('approved'),
  },
  {
    name: 'an effect that was denied',
    plan: { steps: [{ id: 'do', tool: 't.once', args: { what: 'it' }, approval: true }] },
    answer: decide('denied'),
  },
  {
    name: 'a plan within a plan',
    plan: {
      steps: [
        add('base', 1, 1),
        {
          id: 'inner',
          input: { from: '${base.sum}' },
          plan: {
            input: { from: { type: 'number' } },
            steps: [add('one', '${input.from}', 1), add('two', '${one.sum}', 1)],
            output: '${two.sum}',
          },
        },
      ],
    },
  },
  {
    name: 'a step that fails and stops the run',
    plan: { steps: [{ id: 'bad', tool: 't.fail', args: {} }, add('after', '${bad.x}', 1)] },
  },
  {
    name: 'a step that fails and is passed over',
    plan: {
      steps: [{ id: 'bad', tool: 't.fail', args: {}, onFailure: 'skip' }, add('other', 1, 1)],
    },
  },
  {
    name: 'a value too big for the journal',
    plan: {
      steps: [
        { id: 'big', tool: 't.big', args: { bytes: 100_000 } },
        { ...add('each', '${item}', 1), forEach: '${big.items}' },
        { ...add('seen', 1, 1), when: 'exists(${big.text})' },
      ],
      output: '${each}',
    },
  },
];

/** Has something of everything that a death may hit: an effect, calls that may be repeated, a sleep. */
export const slowPlan = {
  steps: [
    { id: 'do', tool: 't.once', args: { what: 'it' } },
    { id: 'slow', tool: 't.slow', args: { ms: 150, after: '${do.did}' } },
    { id: 'list', tool: 't.list', args: { n: 4, after: '${slow.slept}' } },
    { id: 'each', tool: 't.slow', args: { ms: '${item}' }, forEach: '${list.items}' },
    { id: 'rest', sleep: 20 },
  ],
};
