import { z } from 'zod';
import { shownAgentSchema } from '../../contract/agents/index.ts';
import { defineRoute, type ApiRoute } from '../define-route.ts';

const group = 'Agents';
const byName = z.strictObject({ name: z.string().min(1).max(64) });
const byRun = z.strictObject({ id: z.string().min(1).max(100) });
const problem = z.object({ file: z.string(), line: z.int(), message: z.string() });

export const agentRoutes: readonly ApiRoute[] = [
  defineRoute({
    method: 'get',
    path: '/agents',
    group,
    summary: 'List specialist agents, and what is wrong with agent files',
    permission: 'tools.read',
    answer: z.object({
      agents: z.array(shownAgentSchema),
      problems: z.array(problem),
      notes: z.array(z.string()),
    }),
    async handle({ caller }, { agents }) {
      const listed = await agents.list(caller);
      return {
        agents: [...listed.agents],
        problems: [...listed.problems],
        notes: [...listed.notes],
      };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/agents/{name}',
    group,
    summary: 'Show an agent',
    permission: 'tools.read',
    params: byName,
    answer: shownAgentSchema,
    async handle({ caller, params }, { agents }) {
      const { definition: _definition, ...shown } = await agents.show(caller, params.name);
      return shown;
    },
  }),
  defineRoute({
    method: 'post',
    path: '/agents/{name}/enable',
    group,
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
  defineRoute({
    method: 'post',
    path: '/agents/choose',
    group,
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
  defineRoute({
    method: 'get',
    path: '/runs/{id}/why',
    group,
    summary: 'Explain which agents were chosen for a run and its parts',
    permission: 'runs.read',
    params: byRun,
    answer: z.object({ runId: z.string(), decisions: z.array(z.unknown()) }),
    async handle({ caller, params }, { agents, workflows }) {
      const { runId } = await workflows.show(caller, params.id);
      return { runId, decisions: [...(await agents.why(caller, runId))] };
    },
  }),
];
