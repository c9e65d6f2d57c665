import { describe, expect, it } from 'vitest';
import type {
  Agent,
  AgentEvent,
  AskOptions,
  AskOutcome,
  AskRequest,
  Proposal,
} from '../../contract/agent/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import type { ProgressUpdate } from '../../contract/server/index.ts';
import { aStep } from '../../../testkit/toolbox/workflow/fake-workflows.ts';
import { aContexts } from '../../../testkit/memory/a-contexts.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { createAgentServer } from './agent-server.ts';

const known = { sessionId: 's-1', confidence: 0.9, model: 'test/model' };
const plan: Plan = { version: 1, steps: [{ id: 'a', tool: 'code.format_code', args: {} }] };
const outcomes: readonly AskOutcome[] = [
  { ...known, kind: 'plan', plan, candidates: [], preview: 'Plan …', madeBy: 'model' },
  { ...known, kind: 'question', questions: ['Which?'], candidates: [], runId: 'run-1' },
  { ...known, kind: 'refusal', reason: 'No tool does that.' },
  { ...known, kind: 'answer', answer: 'Done.', runId: 'run-1', runStatus: 'succeeded' },
  { ...known, kind: 'answer', answer: 'Hello.', model: null },
];

function aServer(outcome: AskOutcome, events: readonly AgentEvent[] = []) {
  const asked: { readonly request: AskRequest; readonly options: AskOptions }[] = [];
  const agent: Agent = {
    ask: async (request, options) => {
      asked.push({ request, options });
      for (const event of events) options.onEvent?.(event);
      return outcome;
    },
  };
  return {
    server: createAgentServer({
      version: '1',
      agent,
      contexts: aContexts().contexts,
      agents: Object(),
    }),
    asked,
  };
}

describe('the tool ask', () => {
  it.each(outcomes.map((outcome) => [outcome.kind, outcome] as const))(
    'gives an outcome of the kind %s as structured content and as text',
    async (kind, outcome) => {
      const { server } = aServer(outcome);
      const result = await server.callTool('ask', { message: 'hello' }, aCallContext());
      expect(result.isError).toBeUndefined();
      expect(result.structuredContent).toMatchObject({ kind, session: 's-1', confidence: 0.9 });
      expect(result.content[0]?.['text']).toMatch(/\(session s-1\)$/);
    },
  );

  it('lists the plans that may be meant by their numbers', async () => {
    const plans = [plan, { ...plan, steps: [...plan.steps, ...plan.steps] }];
    const candidates = plans.map((one) => ({ plan: one, why: '', confidence: 0.5 }));
    const { server } = aServer({ ...known, kind: 'question', questions: ['Which?'], candidates });
    const result = await server.callTool('ask', { message: 'hello' }, aCallContext());
    expect(result.content[0]?.['text']).toBe(
      'Which?\n1. code.format_code\n2. code.format_code → code.format_code\n\n(session s-1)',
    );
  });

  it('passes on what was said, for whom, and whom to ask', async () => {
    const { server, asked } = aServer(outcomes[3] ?? Object());
    const client = {
      id: 'c',
      era: 'handshake',
      capabilities: {},
      ask: async () => ({}),
      notify: () => {},
    } as const;
    const facts: object[] = [];
    const args = {
      message: 'format it',
      session: 'last',
      attachments: [
        { name: 'a.py', content: 'x', language: 'python' },
        { name: 'b', content: 'y' },
      ],
      context: 'notes',
      plan_only: true,
      accept_preview: true,
    };
    await server.callTool(
      'ask',
      args,
      aCallContext({ client, annotate: (one) => void facts.push(one) }),
    );
    expect(asked[0]?.request).toEqual({
      caller: { id: 'local' },
      message: 'format it',
      session: 'last',
      attachments: args.attachments,
      context: 'notes',
      planOnly: true,
      acceptPreview: true,
    });
    expect(asked[0]?.options.client).toBe(client);
    expect(facts).toEqual([{ 'tutti.run.id': 'run-1' }]);
  });

  it('tells progress with numbers that only grow', async () => {
    const run = {
      runId: 'run-1',
      name: null,
      goal: null,
      status: 'running',
      engine: 'embedded',
      createdAt: '',
      startedAt: null,
      endedAt: null,
      forkedFrom: null,
      steps: { a: aStep('running') },
      waitingFor: [],
      input: {},
      traceId: null,
    } satisfies RunView;
    const intent = {
      primary_goal: 'Format it',
      tools_needed: [],
      parameters: {},
      needs_clarification: false,
      unclear_aspects: [],
      confidence: 1,
    };
    const proposal = {
      plan,
      confidence: 1,
      madeBy: 'model',
      others: [],
    } satisfies Proposal;
    const { server } = aServer(outcomes[3] ?? Object(), [
      { kind: 'session', sessionId: 's-1' },
      { kind: 'intent', intent },
      { kind: 'plan', proposal },
      { kind: 'run', run },
      { kind: 'text', text: 'Do' },
      { kind: 'restart' },
      { kind: 'notice', text: 'Noted' },
    ]);
    const told: ProgressUpdate[] = [];
    const progress = (update: ProgressUpdate): void => void told.push(update);
    await server.callTool('ask', { message: 'x' }, aCallContext({ progress }));
    expect(told.map(({ message }) => message)).toEqual([
      'Format it',
      'plan of 1 step',
      'running: a',
      'Noted',
    ]);
    expect(told.map((update) => update.progress)).toEqual([1, 2, 3, 4]);
  });

  it('declares that it may change things, and refuses wrong arguments', async () => {
    const { server } = aServer(outcomes[2] ?? Object());
    const [tool] = await server.listTools();
    expect(tool).toMatchObject({
      name: 'ask',
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    const result = await server.callTool('ask', { message: 'x', approve: true }, aCallContext());
    expect(result).toMatchObject({ isError: true });
  });
});

describe('the tools for contexts', () => {
  it('make versions, list, compare and pack them for the caller, and share nothing', async () => {
    const { server } = aServer(outcomes[2] ?? Object());
    const call = async (name: string, args: object, caller = 'acme/anna') => {
      const context = aCallContext({ caller: { id: caller } });
      return server.callTool(name, args, context);
    };
    const items = [{ title: 'rule', text: 'Use tabs.' }];
    await call('create_context', { name: 'style', items });
    const made = await call('create_context', { name: 'style', items: [{ text: 'x' }], add: true });
    expect(made.structuredContent).toMatchObject({ number: 2, items: 2 });
    const packed = await call('get_context', { context: 'style', max_tokens: 500 });
    expect(packed.content[0]?.['text']).toContain('Use tabs.');
    const diff = await call('diff_contexts', { from: 'style@1', to: 'style' });
    expect(diff.structuredContent).toMatchObject({ changes: [{ change: 'added', title: 'x' }] });
    const listed = await call('list_contexts', {}, 'acme/bob');
    expect(listed.structuredContent).toEqual({ contexts: [] });
    const foreign = await call('get_context', { context: 'style' }, 'acme/bob');
    expect(foreign).toMatchObject({ isError: true });
    const names = (await server.listTools()).map(({ name }) => name);
    expect(names.filter((name) => /share|remove|import/.test(name))).toEqual([]);
  });
});
