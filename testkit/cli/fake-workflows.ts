import type { PlanCheck, PlanProblem } from '../../src/contract/plan/index.ts';
import type {
  PlanSource,
  RunJournalPage,
  RunView,
  StepView,
  Waiting,
  Workflows,
} from '../../src/contract/run/index.ts';
import { InvalidPlanError, UnknownRunError } from '../../src/workflow/errors.ts';

/** What a fake was asked to do to runs: the name of the method and what it got. */
export type WorkflowCall = readonly [method: string, ...given: unknown[]];

const aStep: StepView = {
  status: 'succeeded',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.500Z',
  attempts: 1,
  tool: 'fake.echo_all',
};

export const aRun: RunView = {
  runId: 'run-1',
  name: 'Greet',
  goal: null,
  status: 'succeeded',
  engine: 'embedded',
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:01:02.000Z',
  forkedFrom: null,
  steps: {
    one: { ...aStep, output: { said: 'hello' } },
    each: { ...aStep, items: { total: 2, done: 2 } },
    'each[0]': { ...aStep, isCached: true },
    'each[1]': { ...aStep, attempts: 3 },
    'outer/inner': { ...aStep, status: 'skipped', startedAt: null, endedAt: null },
    big: {
      ...aStep,
      stored: { id: 'sha256:ab', bytes: 99, mediaType: 'application/json', preview: '[1, 2' },
    },
  },
  output: { said: 'hello' },
  waitingFor: [],
  input: { count: 3, text: 'x' },
  traceId: 'abc1',
};

export const anApproval: Extract<Waiting, { readonly kind: 'approval' }> = {
  kind: 'approval',
  step: 'one',
  approvalId: 'ap-1',
  message: 'May it?',
  tool: 'fake.echo_all',
  arguments: { text: 'hello' },
  expiresAt: '2026-01-02T00:00:00.000Z',
};

/** More of everything than a screen shows. */
export const aLongApproval: typeof anApproval = {
  ...anApproval,
  arguments: {
    note: `${'x'.repeat(3_000)}and wire 5000 to mallory${'x'.repeat(3_000)}`,
    rows: Array.from({ length: 60 }, (_, at) => ({ [`row${at}`]: 'y'.repeat(100) })),
    to: 'bob',
  },
};

const aProblem: PlanProblem = {
  step: 'one',
  path: 'steps[0].tool',
  line: 3,
  code: 'plan.unknown_tool',
  message: 'There is no tool "x.y"',
  severity: 'error',
};

const aCheck: PlanCheck = {
  ok: true,
  errors: [],
  warnings: [],
  edges: [],
  optimizations: [],
  plan: {
    version: 1,
    steps: [{ id: 'one', tool: 'fake.echo_all' }],
    input: { count: { type: 'integer' }, text: { type: 'string' } },
  },
};

function checkOf(source: PlanSource): PlanCheck {
  return textOf(source).includes('doubtful')
    ? { ...aCheck, warnings: [{ ...aProblem, severity: 'warning' }] }
    : aCheck;
}

function pageOfJournal(
  { runId, steps }: RunView,
  { after, limit }: { readonly after: number; readonly limit: number },
): RunJournalPage {
  const entries = Object.entries(steps)
    .filter(([, { endedAt }]) => endedAt !== null)
    .map(([path, { endedAt }], index) => ({
      number: index + 1,
      kind: 'settled' as const,
      steps: [path],
      activity: 'call' as const,
      outcome: 'succeeded',
      at: endedAt,
    }));
  return { runId, entries: entries.slice(after, after + limit), total: entries.length };
}

/**
 * One run, `run-1`, that is as `views` say, one after the other; the last stays. Without a view that is
 * over or waits, following lasts until somebody aborts.
 */
export function createFakeWorkflows(views: readonly RunView[] = [aRun]): {
  readonly workflows: Workflows;
  readonly calls: WorkflowCall[];
} {
  const calls: WorkflowCall[] = [];
  let at = 0;
  const view = (runId: string): RunView => {
    const current = views[Math.min(at, views.length - 1)] ?? aRun;
    if (!current.runId.startsWith(runId) && runId !== 'run-2') throw new UnknownRunError(runId);
    return current;
  };
  const noted =
    (method: string) =>
    async (...[, ...given]: unknown[]): Promise<void> => {
      calls.push([method, ...given]);
      at += 1;
    };
  const workflows: Workflows = {
    check: async (_caller, source) => checkOf(source),
    draw: async () => '',
    start: async (_caller, run) => {
      calls.push(['start', run]);
      if (textOf(run.source).includes('bad'))
        throw new InvalidPlanError([aProblem, { ...aProblem, line: null }]);
      return { runId: 'run-1' };
    },
    follow: async (_caller, runId, { execute, signal, onChange }) => {
      calls.push(['follow', runId, execute]);
      for (;;) {
        signal.throwIfAborted();
        const current = view(runId);
        onChange?.(current);
        if (!['running', 'queued'].includes(current.status)) return current;
        if (at < views.length - 1) at += 1;
        else await untilAborted(signal);
      }
    },
    list: async (_caller, filter) => {
      calls.push(['list', filter]);
      return views.slice(0, filter.limit);
    },
    show: async (_caller, runId) => view(runId),
    journal: async (_caller, runId, range) => pageOfJournal(view(runId), range),
    cancel: noted('cancel'),
    pause: noted('pause'),
    resume: noted('resume'),
    retry: noted('retry'),
    fork: async (_caller, runId, changes) => {
      calls.push(['fork', runId, changes]);
      return { runId: 'run-2' };
    },
    decide: noted('decide'),
    signal: noted('signal'),
    resolve: noted('resolve'),
    repair: noted('repair'),
  };
  return { workflows, calls };
}

function textOf(source: PlanSource): string {
  return source.kind === 'text' ? source.text : JSON.stringify(source.plan);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
