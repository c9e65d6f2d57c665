import type {
  FollowOptions,
  PlanSource,
  RunView,
  StepView,
  Workflows,
} from '../contract/run/index.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../kernel/index.ts';
import type { Connection } from './connection.ts';

/** A run without news is looked at this often all the same. */
const lookMs = 5_000;

type ReadRuns = Pick<Workflows, 'check' | 'draw' | 'start' | 'follow' | 'list' | 'show'>;
type ChangeRuns = Omit<Workflows, keyof ReadRuns | 'journal'>;
type ShowRun = (runId: string, signal?: AbortSignal) => Promise<RunView>;

/** Plans and runs of a server, behind the port that commands use. The server takes the caller from the token. */
export function remoteWorkflows(connection: Connection): ReadRuns & ChangeRuns {
  const show: ShowRun = async (runId, signal) => {
    const path = { id: runId };
    const answer = await connection.call('getRunsById', { path }, { signal });
    const { totalSteps: _total, doneSteps: _done, ...run } = answer;
    const steps = await connection.all('getRunsByIdSteps', { path }, signal ? { signal } : {});
    const shown = steps.map(({ path: step, ...view }): [string, StepView] => [
      step,
      // The document is made from the schema of the view.
      view as StepView,
    ]);
    return { ...run, steps: Object.fromEntries(shown) } as RunView;
  };
  return { ...readRuns(connection, show), ...changeRuns(connection, show) };
}

function readRuns(connection: Connection, show: ShowRun): ReadRuns {
  return {
    check: async (_caller, source, { optimize = false } = {}) =>
      (await connection.call('postPlansCheck', {
        body: { plan: planOf(source), optimize },
      })) as never,
    draw: async (plan, format) =>
      (await connection.call('postPlansDraw', { body: { plan: { ...plan }, format } })).drawing,
    async start(_caller, { source, input, context, optimize, idempotencyKey }) {
      const body = {
        plan: planOf(source),
        input,
        ...(context !== undefined && { context }),
        ...(optimize !== undefined && { optimize }),
      };
      const key = idempotencyKey ?? crypto.randomUUID();
      const { runId } = await connection.call('postRuns', { body }, { idempotencyKey: key });
      return { runId };
    },
    follow: (_caller, runId, options) => follow(connection, show, { runId, ...options }),
    list: async (_caller, { status, limit }) =>
      await connection.all('getRuns', { query: status ? { status } : {} }, { limit }),
    show: (_caller, runId) => show(runId),
  };
}

function changeRuns(connection: Connection, show: ShowRun): ChangeRuns {
  const path = (id: string): { readonly path: { id: string } } => ({ path: { id } });
  return {
    async cancel(_caller, runId, reason) {
      const body = reason === undefined ? {} : { reason };
      await connection.call('postRunsByIdCancel', { ...path(runId), body });
    },
    async pause(_caller, runId) {
      await connection.call('postRunsByIdPause', path(runId));
    },
    async resume(_caller, runId) {
      await connection.call('postRunsByIdResume', path(runId));
    },
    async retry(_caller, runId, fromStep) {
      const body = fromStep === undefined ? {} : { fromStep };
      await connection.call('postRunsByIdRetry', { ...path(runId), body });
    },
    fork: (_caller, runId, changes) =>
      connection.call('postRunsByIdFork', { ...path(runId), body: changes }),
    async decide(_caller, runId, { verdict, ...decision }) {
      if (verdict === 'denied') {
        await connection.call('postRunsByIdDeny', { ...path(runId), body: decision });
        return;
      }
      const { step, reason } = decision;
      const approvalId = decision.approvalId ?? approvalOf(await show(runId), step);
      const body = { approvalId, ...(reason !== undefined && { reason }) };
      await connection.call('postRunsByIdApprove', { ...path(runId), body });
    },
    async signal(_caller, runId, ...[name, payload]) {
      const input = { path: { id: runId, name }, body: { payload } };
      await connection.call('postRunsByIdSignalsByName', input);
    },
    async resolve(_caller, runId, ...[step, resolution]) {
      const happened = resolution.kind === 'happened';
      const output = resolution.kind === 'happened' ? resolution.output : undefined;
      const body = { step, happened, ...(output !== undefined && { output }) };
      await connection.call('postRunsByIdResolve', { ...path(runId), body });
    },
    async repair(_caller, runId, ...[step, args]) {
      await connection.call('postRunsByIdRepair', { ...path(runId), body: { step, args } });
    },
  };
}

/** A file's own folder means nothing on another machine: the text goes there, and files it names are not read. */
function planOf(source: PlanSource): string | Readonly<Record<string, never>> {
  return source.kind === 'text'
    ? source.text
    : ({ ...Object(source.plan) } as Record<string, never>);
}

function approvalOf({ runId, waitingFor }: RunView, step: string | undefined): string {
  const asked = waitingFor.flatMap((one) =>
    one.kind === 'approval' && (step === undefined || one.step === step) ? [one.approvalId] : [],
  );
  const [only, another] = asked;
  if (only === undefined || another !== undefined)
    throw new NoSuchApprovalError(runId, asked.length);
  return only;
}

class NoSuchApprovalError extends AppError {
  readonly code = 'workflow.unknown_approval';

  constructor(runId: string, count: number) {
    super(
      count === 0
        ? `The run ${runId} waits for no such approval`
        : `The run ${runId} waits for ${count} approvals: name the step`,
      { details: { runId } },
    );
  }
}

/** Waits until the run has ended or waits for a person; the server executes it. */
async function follow(
  connection: Connection,
  show: ShowRun,
  { runId, signal, onChange }: FollowOptions & { readonly runId: string },
): Promise<RunView> {
  const done = new AbortController();
  const listening = AbortSignal.any([signal, done.signal]);
  let wake = (): void => {};
  const listen = async (): Promise<void> => {
    for await (const _event of connection.events('runs', runId, listening)) wake();
  };
  // Without the stream the run is still looked at from time to time.
  const listener = listen().catch(() => {});
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const view = await show(runId, signal);
      onChange?.(view);
      if (isSettled(view)) return view;
      await Promise.race([woken, pause(lookMs, undefined, { signal })]);
    }
  } finally {
    done.abort();
    await listener;
  }
}

const settled: readonly RunView['status'][] = [
  'succeeded',
  'failed',
  'cancelled',
  'waiting',
  'paused',
];

function isSettled({ status }: RunView): boolean {
  return settled.includes(status);
}
