import { z } from 'zod';
import { shownAgentSchema } from '../../contract/agents/index.ts';
import { type ApiRoute, routesOf } from '../define-route.ts';

const { get, post } = routesOf('Agents');
const byName = z.strictObject({ name: z.string().min(1).max(64) });
const byRun = z.strictObject({ id: z.string().min(1).max(100) });
const problem = z.object({ file: z.string(), line: z.int(), message: z.string() });

export const agentRoutes: readonly ApiRoute[] = [
  get('/agents', {
    summary: 'List specialist agents, and what is wrong with agent files',
    permission: 'tools.read',
    answer: z.object({
      agents: z.array(shownAgentSchema),
      problems: z.array(problem),
      notes: z.array(z.string()),
    }),
    handle: ({ caller }, { agents }) => agents.list(caller),
  }),
  get('/agents/{name}', {
    summary: 'Show an agent',
    permission: 'tools.read',
    params: byName,
    answer: shownAgentSchema,
    async handle({ caller, params }, { agents }) {
      const { definition: _definition, ...shown } = await agents.show(caller, params.name);
      return shown;
    },
  }),
  post('/agents/{name}/enable', {
    summary: 'Switch an agent on or off for you',
    permission: 'tasks.submit',
    repeat: 'safe',
    params: byName,
    body: z.strictObject({
      enabled: z.boolean(),
      version: z.string().min(1).max(60).optional(),
    }),
    answer: shownAgentSchema,
    async handle({ caller, params, body: { enabled: isEnabled, version } }, { agents }) {
      const wanted = { isEnabled, ...(version !== undefined && { version }) };
      await agents.setEnabled(caller, params.name, wanted);
      const { definition: _definition, ...shown } = await agents.show(caller, params.name, version);
      return shown;
    },
  }),
  post('/agents/choose', {
    summary: 'Ask which agent would get a task, and why',
    description: 'Records nothing.',
    permission: 'tools.read',
    repeat: 'safe',
    body: z.strictObject({
      capability: z.string().min(1).max(64),
      task: z.string().min(1).max(20_000),
    }),
    answer: z.object({ choice: z.unknown() }),
    async handle({ caller, body }, { agents }) {
      return { choice: await agents.wouldChoose(caller, body) };
    },
  }),
  get('/runs/{id}/why', {
    summary: 'Explain which agents were chosen for a run and its parts',
    permission: 'runs.read',
    params: byRun,
    answer: z.object({ runId: z.string(), decisions: z.array(z.unknown()) }),
    async handle({ caller, params }, { agents, workflows }) {
      const { runId } = await workflows.show(caller, params.id);
      return { runId, decisions: await agents.why(caller, runId) };
    },
  }),
];
