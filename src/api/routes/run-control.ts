import { z } from 'zod';
import { runStatuses } from '../../contract/run/index.ts';
import { type ApiCall, type ApiRoute, byId, idParam, routesOf } from '../define-route.ts';
import type { ApiPorts } from '../ports.ts';
import { startedRun } from './runs.ts';

const { post } = routesOf('Run control');
const step = z.string().min(1).max(1_000);
const reason = z.string().max(10_000);
const changed = z.object({ runId: z.string(), status: z.enum(runStatuses) });
const values = z.record(z.string(), z.json());

type RunCall = Pick<
  ApiCall<{ readonly id: string }, unknown, unknown>,
  'caller' | 'params' | 'streams'
>;

/** Does something to a run, and answers how it stands then. */
async function changeRun(
  { caller, params, streams }: RunCall,
  { workflows }: ApiPorts,
  change: () => Promise<void>,
): Promise<z.input<typeof changed>> {
  await change();
  const { runId, status } = await workflows.show(caller, params.id);
  streams.nudge(caller, runId);
  return { runId, status };
}

const decisions: readonly ApiRoute[] = [
  post('/runs/{id}/approve', {
    summary: 'Approve a call that a run waits to make',
    description:
      'Names the approval that was shown (`waitingFor[].approvalId` of the run): another one that took its place stays undecided.',
    permission: 'runs.approve',
    repeat: 'safe',
    params: byId,
    body: z.strictObject({ approvalId: z.string().min(1).max(200), reason: reason.optional() }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () =>
        ports.workflows.decide(call.caller, call.params.id, {
          verdict: 'approved',
          ...given(call.body),
        }),
      ),
  }),
  post('/runs/{id}/deny', {
    summary: 'Deny a call that a run waits to make',
    permission: 'runs.approve',
    repeat: 'safe',
    params: byId,
    body: z.strictObject({
      approvalId: z.string().min(1).max(200).optional(),
      step: step.optional(),
      reason: reason.optional(),
    }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () =>
        ports.workflows.decide(call.caller, call.params.id, {
          verdict: 'denied',
          ...given(call.body),
        }),
      ),
  }),
  post('/runs/{id}/resolve', {
    summary: 'Say whether an effect with an unknown outcome happened',
    permission: 'runs.approve',
    repeat: 'safe',
    params: byId,
    body: z.strictObject({ step, happened: z.boolean(), output: z.json().optional() }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () => {
        const { step: path, happened, output } = call.body;
        const resolution = happened
          ? ({ kind: 'happened', ...(output !== undefined && { output }) } as const)
          : ({ kind: 'not-happened' } as const);
        return ports.workflows.resolve(call.caller, call.params.id, path, resolution);
      }),
  }),
  post('/runs/{id}/repair', {
    summary: 'Give a failed step other arguments, or give it up',
    permission: 'runs.approve',
    repeat: 'safe',
    params: byId,
    body: z.strictObject({
      step,
      args: values.nullable().describe('The arguments to try; null gives the step up.'),
    }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () =>
        ports.workflows.repair(call.caller, call.params.id, call.body.step, call.body.args),
      ),
  }),
];

/** Without the members that were not given. */
function given<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  // The same members, less those that are undefined.
  return Object.fromEntries(entries) as { [Key in keyof Value]?: Exclude<Value[Key], undefined> };
}

type PlainChange = 'pause' | 'resume';

function plainChange(name: PlainChange, summary: string): ApiRoute {
  return post(`/runs/{id}/${name}`, {
    summary,
    permission: 'runs.control',
    repeat: 'safe',
    params: byId,
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () => ports.workflows[name](call.caller, call.params.id)),
  });
}

export const runControlRoutes: readonly ApiRoute[] = [
  ...decisions,
  post('/runs/{id}/cancel', {
    summary: 'Cancel a run',
    permission: 'runs.control',
    repeat: 'safe',
    params: byId,
    body: z.strictObject({ reason: reason.optional() }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () =>
        ports.workflows.cancel(call.caller, call.params.id, call.body.reason),
      ),
  }),
  plainChange('pause', 'Pause a run'),
  plainChange('resume', 'Resume a paused run'),
  post('/runs/{id}/signals/{name}', {
    summary: 'Send a signal to a run',
    description: 'A signal is a fact: its first value counts, and every wait for it gets that.',
    permission: 'runs.control',
    repeat: 'safe',
    params: byId.extend({ name: idParam }),
    body: z.strictObject({ payload: z.json().default(null) }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () =>
        ports.workflows.signal(call.caller, call.params.id, call.params.name, call.body.payload),
      ),
  }),
  post('/runs/{id}/retry', {
    summary: 'Try again what failed in a run',
    permission: 'runs.start',
    params: byId,
    body: z.strictObject({ fromStep: step.optional() }),
    answer: changed,
    handle: (call, ports) =>
      changeRun(call, ports, () =>
        ports.workflows.retry(call.caller, call.params.id, call.body.fromStep),
      ),
  }),
  post('/runs/{id}/fork', {
    summary: 'Start a new run that takes over what the changes do not reach',
    permission: 'runs.start',
    status: 201,
    params: byId,
    body: z.strictObject({
      fromStep: step.optional(),
      input: values.optional(),
      args: z.record(z.string(), values).optional().describe('Arguments to replace, by step.'),
    }),
    answer: z.object({ runId: z.string(), events: z.string() }),
    location: ({ runId }) => `/runs/${runId}`,
    async handle({ caller, params, body }, { workflows }) {
      const { runId } = await workflows.fork(caller, params.id, given(body));
      return startedRun(runId);
    },
  }),
];
