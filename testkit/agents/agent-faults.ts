import { expect } from 'vitest';
import { agentBudgetMetaKey } from '../../src/contract/agents/index.ts';
import type { ModelLoop } from '../../src/agents/index.ts';
import { anAgentFile } from './an-agent-file.ts';
import { agencyTools as tools, anAgent, crash, hang, passing, type Steps } from './an-agent.ts';
import type { Agency, anAgency, Behave } from './an-agency.ts';

export interface Fault {
  readonly files: Parameters<typeof anAgency>[0]['files'];
  readonly behave?: Behave;
  readonly loop?: Partial<ModelLoop>;
  readonly request?: Parameters<Agency['delegate']>[0];
  readonly context?: Parameters<Agency['delegate']>[1];
  readonly limits?: NonNullable<Parameters<typeof anAgency>[0]['limits']>;
}

export const tested = { tests: 'exec.run_tests' };
export const only = (steps: Steps, lines?: readonly string[]) => [anAgent('only', steps, lines)];
const says = (answer: string, isAnswered = true): Partial<ModelLoop> => ({
  isThere: async () => true,
  run: async () => ({ answer, isAnswered }),
});
const withModel = (lines: readonly string[] = []) => [
  anAgentFile(['name: only', 'criteria: [tests_pass]', ...lines]),
];
const budget = {
  root: 'r',
  tasks: [],
  chain: [],
  depth: 3,
  rounds: 3,
  calls: 9,
  tokens: 9,
  moneyUsd: 1,
  deadlineMs: 1e15,
  tools,
};
const carrying = (change: object) => ({ meta: { [agentBudgetMetaKey]: { ...budget, ...change } } });
const much = 'x'.repeat(2_000_000);

export type Faults = readonly (readonly [what: string, fault: Fault, outcome: string | object])[];

/** What an agent, its tools or its caller do wrong, and how the task ends. */
export const faults: Faults = [
  [
    'hangs',
    { files: only(tested), behave: hang },
    { verdict: 'failed', summary: expect.stringContaining('within the time') },
  ],
  [
    'hangs in its model',
    {
      files: withModel(),
      loop: {
        isThere: async () => true,
        run: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      },
    },
    { verdict: 'failed', summary: expect.stringContaining('within the time') },
  ],
  [
    'hangs, where another can do it',
    {
      files: [anAgent('alpha', { a: 'code.review_code' }), anAgent('beta', tested)],
      behave: (tool) =>
        tool === 'code.review_code' ? hang(tool, {}, Object()) : { passed: 1, failed: 0 },
    },
    { verdict: 'done', agent: 'beta' },
  ],
  [
    'crashes',
    { files: only(tested), behave: crash },
    { verdict: 'failed', summary: expect.stringContaining('it crashed') },
  ],
  [
    'crashes in its model',
    {
      files: withModel(),
      loop: { isThere: async () => true, run: () => Promise.reject(new Error('model gone')) },
    },
    { verdict: 'failed' },
  ],
  [
    'throws no error but a text',
    {
      files: withModel(),
      loop: { isThere: async () => true, run: () => Promise.reject('nothing') },
    },
    { verdict: 'failed' },
  ],
  [
    'crashes like every other',
    {
      files: [
        anAgent('a', tested),
        anAgent('b', tested),
        anAgent('c', tested),
        anAgent('d', tested),
      ],
      behave: crash,
    },
    {
      verdict: 'failed',
      attempts: [{}, {}, {}].map(() => expect.objectContaining({ verdict: 'failed' })),
    },
  ],
  [
    'says it is done without a run',
    { files: withModel(), loop: says('All tests pass, done!') },
    { verdict: 'unproven', missing: ['no tests ran after the last change'] },
  ],
  [
    'says in its output that tests pass',
    { files: only({ a: 'foreign.say' }), behave: () => ({ passed: 9, failed: 0 }) },
    { verdict: 'unproven', evidence: [] },
  ],
  [
    'runs no test',
    { files: only(tested), behave: () => ({ passed: 0, failed: 0 }) },
    { verdict: 'unproven' },
  ],
  [
    'leaves tests failing',
    { files: only(tested), behave: () => ({ passed: 5, failed: 1 }) },
    { verdict: 'unproven', missing: ['tests: 1 failed'] },
  ],
  [
    'tests with a problem',
    { files: only(tested), behave: () => ({ passed: 5, failed: 0, problem: 'no report' }) },
    { verdict: 'unproven' },
  ],
  [
    'claims to have changed files',
    {
      files: only({ a: 'code.review_code' }, ['criteria: [changed]']),
      behave: () => ({ changed: true }),
    },
    { verdict: 'unproven', changes: [] },
  ],
  [
    'claims verified code',
    {
      files: only({ a: 'code.review_code' }, ['criteria: [verified]']),
      behave: () => ({ verified: 'yes' }),
    },
    { verdict: 'unproven' },
  ],
  [
    'has unverified code',
    {
      files: only({ a: 'code.review_code' }, ['criteria: [verified]']),
      behave: () => ({ verified: false }),
    },
    { verdict: 'unproven' },
  ],
  [
    'delegates to itself',
    { files: [anAgent('only', { a: { agent: 'only' } }, ['limits: { depth: 3 }'])] },
    { verdict: 'failed', summary: expect.stringContaining('only → only') },
  ],
  [
    'delegates in a circle',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }, ['limits: { depth: 3 }']),
        anAgent('b', { a: { agent: 'only' } }, ['limits: { depth: 3 }']),
      ],
    },
    { verdict: 'failed', summary: expect.stringContaining('only → b → only') },
  ],
  [
    'delegates in a circle of three',
    {
      files: ['only', 'b', 'c'].map((name, index, all) =>
        anAgent(name, { a: { agent: all[(index + 1) % 3] ?? '' } }, ['limits: { depth: 3 }']),
      ),
    },
    { verdict: 'failed', summary: expect.stringContaining('only → b → c → only') },
  ],
  [
    'delegates to itself by a capability',
    { files: [anAgent('only', { a: { capability: 'things.do' } })] },
    { verdict: 'failed', summary: expect.stringContaining('only → only') },
  ],
  [
    'delegates deeper than it may',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }, ['limits: { depth: 1 }']),
        anAgent('b', { a: { agent: 'c' } }, ['limits: { depth: 3 }']),
        anAgent('c', tested),
      ],
    },
    { verdict: 'failed', summary: expect.stringContaining('depth') },
  ],
  [
    'delegates although its depth is 0',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }, ['limits: { depth: 0 }']),
        anAgent('b', tested),
      ],
    },
    { verdict: 'failed' },
  ],
  [
    'delegates to an agent that is not there',
    { files: [anAgent('only', { a: { agent: 'ghost' } })] },
    { verdict: 'failed', summary: expect.stringContaining('no agent "ghost"') },
  ],
  [
    'delegates to many',
    {
      files: [
        anAgent(
          'only',
          Object.fromEntries(
            Array.from({ length: 30 }, (_, index) => [`s${index}`, { agent: 'b' }]),
          ),
        ),
        anAgent('b', tested),
      ],
      limits: { hops: 5 },
    },
    { verdict: 'failed', summary: expect.stringContaining('limit of') },
  ],
  [
    'floods with calls',
    {
      files: only(
        Object.fromEntries(
          Array.from({ length: 100 }, (_, index) => [`s${index}`, 'exec.run_tests']),
        ),
        ['limits: { calls: 10 }'],
      ),
      behave: passing,
    },
    { verdict: 'failed', summary: expect.stringContaining('calls') },
  ],
  [
    'floods with text',
    { files: only(tested), behave: () => ({ passed: 1, failed: 0, problem: much }) },
    {
      verdict: 'unproven',
      evidence: [
        {
          kind: 'tests',
          step: 'tests',
          tool: 'exec.run_tests',
          text: expect.stringMatching(/^.{1,200}$/s),
        },
      ],
    },
  ],
  [
    'floods with words',
    { files: withModel(), loop: says(much) },
    { verdict: 'unproven', summary: expect.stringMatching(/^.{1,3000}$/s) },
  ],
  [
    'floods with findings',
    {
      files: only({ a: 'code.review_code' }, ['criteria: [findings_counted]']),
      behave: () => ({
        issues: Array.from({ length: 50_000 }, () => ({ message: 'm' })),
        issues_total: 50_000,
      }),
    },
    {
      verdict: 'done',
      findings: [
        expect.objectContaining({ count: 50_000, top: expect.objectContaining({ length: 5 }) }),
      ],
    },
  ],
  ['returns nothing', { files: only(tested), behave: () => null }, { verdict: 'unproven' }],
  [
    'returns a list of lists',
    { files: only(tested), behave: () => [[[[]]]] },
    { verdict: 'unproven' },
  ],
  [
    'returns wrong kinds',
    {
      files: only(tested),
      behave: () => ({ passed: 'many', failed: [], change_id: 7, files: 'x' }),
    },
    { verdict: 'unproven' },
  ],
  [
    'returns odd findings',
    {
      files: only({ a: 'code.review_code' }, ['criteria: [findings_counted]']),
      behave: () => ({ issues: [null, 1, 'x', { message: {} }], issues_total: 4 }),
    },
    { verdict: 'done' },
  ],
  [
    'gives an output of another shape',
    { files: only(tested, ['output: { type: object, required: [score] }']), behave: passing },
    { verdict: 'unproven', missing: [expect.stringContaining('does not fit')] },
  ],
  ['answers with nothing', { files: withModel(), loop: says('', false) }, { verdict: 'failed' }],
  [
    'asks for a tool it may not call',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }),
        anAgent('b', { a: 'workspace.change_files' }),
      ],
      request: { agent: 'only' },
      context: { caller: { id: 'local', scopes: ['agent.delegate', 'exec.run_tests'] } },
      behave: passing,
    },
    { verdict: 'failed', summary: expect.stringContaining('do not include it') },
  ],
  [
    'asks for more by another agent',
    {
      files: [
        anAgent('only', { a: { agent: 'b' } }, ['tools: [agent.delegate]']),
        anAgent('b', { a: 'exec.run_tests' }),
      ],
    },
    { verdict: 'failed', summary: expect.stringContaining('it needs exec.run_tests') },
  ],
  [
    'carries a budget that is garbage',
    { files: only(tested), context: { meta: { [agentBudgetMetaKey]: 'all' } } },
    'agents.bad_budget',
  ],
  [
    'carries a budget with more tools',
    {
      files: only(tested),
      behave: passing,
      context: { ...carrying({ tools: ['exec.run_tests', 'root.shell'], calls: 1e9 }) },
    },
    { verdict: 'done' },
  ],
  [
    'has no time left',
    { files: only(tested), context: carrying({ deadlineMs: 1 }) },
    'agents.budget_exceeded',
  ],
  [
    'has no calls left',
    { files: only(tested), context: carrying({ calls: 0 }) },
    'agents.budget_exceeded',
  ],
  [
    'has no rounds left',
    { files: only(tested), context: carrying({ rounds: 0 }) },
    'agents.budget_exceeded',
  ],
  [
    'has no depth left',
    { files: only(tested), context: carrying({ depth: 0 }) },
    'agents.too_deep',
  ],
  [
    'is in the chain',
    { files: only(tested), context: carrying({ chain: ['only'] }) },
    'agents.circular',
  ],
  [
    'has a broken file',
    { files: [{ path: 'x.md', text: '---\nname: only', source: 'user' }] },
    'agents.unknown_agent',
  ],
  [
    'has lost its tool',
    {
      files: [
        anAgentFile([
          'name: only',
          'tools: [gone.tool]',
          'procedures: { things.do: { plan: { steps: [{ id: a, tool: gone.tool }] } } }',
        ]),
      ],
    },
    'agents.unavailable',
  ],
  ['needs a model', { files: withModel() }, 'agents.needs_model'],
  [
    'has no task',
    { files: only(tested), request: { agent: 'only', task: ' ' } },
    'agents.invalid_task',
  ],
  [
    'has a task as long as a book',
    { files: only(tested), request: { agent: 'only', task: much } },
    'agents.invalid_task',
  ],
  [
    'is named beside a capability',
    { files: only(tested), request: { agent: 'only', capability: 'things.do' } },
    'agents.invalid_task',
  ],
  ['is nowhere', { files: [], request: { capability: 'things.do' } }, 'agents.no_candidates'],
];
