import type { Artifacts } from '../../contract/artifact/index.ts';
import type {
  RunStatus,
  RunSummary,
  RunView,
  Waiting,
  Workflows,
} from '../../contract/run/index.ts';
import type { CallContext, ServerExtensions } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { AppError } from '../../kernel/index.ts';
import { approvalQuestion, type ApprovalWait, canBeAsked, readVerdict } from './ask-approval.ts';
import { describeRun, followRun } from './follow-run.ts';
import { markFailure } from './run-plan-tool.ts';
import { describeWaiting, showRun, summarizeRun } from './show-run.ts';

type Params = Readonly<Record<string, unknown>>;

const tasksExtension = 'io.modelcontextprotocol/tasks';
const relatedTaskKey = 'io.modelcontextprotocol/related-task';
const pollIntervalMs = 1_000;
const maxListed = 100;

/** What this server says of itself about tasks. */
export const taskExtensions: ServerExtensions = {
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { [tasksExtension]: {} },
};

/** Whether a call is to become a task: the older era asks for each, the newer says that it knows them. */
export function wantsTask({ extra, client }: CallContext): boolean {
  if (extra?.['task'] !== undefined) return true;
  if (client?.era !== 'stateless') return false;
  const { [tasksExtension]: known }: Params = Object(client.capabilities['extensions']);
  return known !== undefined;
}

interface RunTasksParts {
  readonly workflows: Workflows;
  readonly artifacts: Artifacts;
  readonly onSettled: () => void;
}

/**
 * Runs as tasks of MCP, in the words of both eras: the id of a task is that of its run, and every run
 * of a caller is a task, however it was started. Nothing is kept here, so tasks survive what runs survive.
 */
export class RunTasks {
  readonly #parts: RunTasksParts;

  constructor(parts: RunTasksParts) {
    this.#parts = parts;
  }

  /** What `tools/call` answers instead of a result. */
  async created(runId: string, context: CallContext): Promise<ToolResult> {
    const view = await this.#parts.workflows.show(context.caller, runId);
    const task = isStateless(context) ? statelessTask(view) : { task: handshakeTask(view) };
    return { content: [], resultType: 'task', ...task };
  }

  async request(method: string, params: Params, context: CallContext): Promise<object> {
    switch (method) {
      case 'tasks/list':
        return this.#list(context);
      case 'tasks/get':
        return this.#get(idIn(params), context);
      case 'tasks/result':
        return this.#result(idIn(params), context);
      case 'tasks/cancel':
        return this.#cancel(idIn(params), context);
      case 'tasks/update':
        return this.#update(idIn(params), params, context);
      default:
        throw new InvalidTaskRequestError(`there is no method "${method}"`);
    }
  }

  async #list({ caller }: CallContext): Promise<object> {
    const runs = await this.#parts.workflows.list(caller, { limit: maxListed });
    return { tasks: runs.map((run) => handshakeTask(run)) };
  }

  async #get(runId: string, context: CallContext): Promise<object> {
    const view = await this.#parts.workflows.show(context.caller, runId);
    if (!isStateless(context)) return handshakeTask(view);
    const task = statelessTask(view);
    const questions = questionsOf(view, context);
    if (questions) return { ...task, status: 'input_required', inputRequests: questions };
    if (!isOver(view.status) || view.status === 'cancelled') return task;
    return { ...task, status: 'completed', result: await this.#show(view, context) };
  }

  /** Waits for the end; on the way, the person at this client is asked what the run asks. */
  async #result(runId: string, context: CallContext): Promise<object> {
    try {
      const view = await followRun(this.#parts.workflows, runId, context);
      const result = await this.#show(view, context);
      return { ...result, _meta: { ...result._meta, [relatedTaskKey]: { taskId: view.runId } } };
    } finally {
      this.#parts.onSettled();
    }
  }

  async #cancel(runId: string, context: CallContext): Promise<object> {
    const { workflows } = this.#parts;
    const { caller } = context;
    const before = await workflows.show(caller, runId);
    if (!isStateless(context) && isOver(before.status)) {
      throw new InvalidTaskRequestError(`task ${runId} cannot be cancelled: it is over`);
    }
    if (!isOver(before.status)) await workflows.cancel(caller, runId, 'its task was cancelled');
    if (isStateless(context)) return {};
    // The run ends as soon as what is under way has been told; to its client the task is over.
    return { ...handshakeTask(await workflows.show(caller, runId)), status: 'cancelled' };
  }

  /** Answers of the person at the client to what `tasks/get` asked; those to other questions are dropped. */
  async #update(runId: string, params: Params, context: CallContext): Promise<object> {
    const { workflows } = this.#parts;
    const view = await workflows.show(context.caller, runId);
    const responses: Params = Object(params['inputResponses']);
    for (const { step, approvalId } of approvalsOf(view.waitingFor)) {
      const response = Object.hasOwn(responses, approvalId) ? responses[approvalId] : {};
      const verdict = readVerdict(Object(response));
      if (!verdict) continue;
      await workflows.decide(context.caller, runId, { step, approvalId, ...verdict });
    }
    return {};
  }

  async #show(view: RunView, { caller }: CallContext): Promise<ToolResult> {
    const shown = await showRun(view, { artifacts: this.#parts.artifacts, caller });
    return markFailure({
      content: [{ type: 'text', text: summarizeRun(shown) }],
      structuredContent: shown,
    });
  }
}

function isStateless({ client }: CallContext): boolean {
  return client?.era === 'stateless';
}

function isOver(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

function idIn({ taskId }: Params): string {
  if (typeof taskId === 'string' && taskId !== '') return taskId;
  throw new InvalidTaskRequestError('"taskId" must be a string');
}

function handshakeTask(run: RunSummary | RunView): Params {
  return { ...taskOf(run), ttl: null, pollInterval: pollIntervalMs };
}

/** A failure is part of the result there, so a run that failed has completed. */
function statelessTask(view: RunView): Params {
  const { status, ...task } = taskOf(view);
  const own = status === 'failed' ? 'completed' : status === 'input_required' ? 'working' : status;
  return { ...task, status: own, ttlMs: null, pollIntervalMs };
}

function taskOf(run: RunSummary | RunView): Params {
  const { runId, createdAt, startedAt, endedAt } = run;
  return {
    taskId: runId,
    status: taskStatus[run.status],
    statusMessage: 'steps' in run ? messageOf(run) : run.status,
    createdAt,
    lastUpdatedAt: endedAt ?? startedAt ?? createdAt,
  };
}

const taskStatus = {
  queued: 'working',
  running: 'working',
  paused: 'working',
  waiting: 'input_required',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Readonly<Record<RunStatus, string>>;

function messageOf(view: RunView): string {
  if (view.error) return `${view.status}: ${view.error.message}`;
  const [wait] = view.waitingFor;
  return view.status === 'waiting' && wait
    ? `step ${wait.step} ${describeWaiting(view.runId, wait)}`
    : describeRun(view);
}

function approvalsOf(waitingFor: readonly Waiting[]): readonly ApprovalWait[] {
  return waitingFor.filter((wait) => wait.kind === 'approval');
}

/** What a client of the newer era is asked, by approval; undefined when there is nothing it could answer. */
function questionsOf(
  { runId, status, waitingFor }: RunView,
  { client }: CallContext,
): Params | undefined {
  if (status !== 'waiting' || !canBeAsked(client)) return undefined;
  const questions = approvalsOf(waitingFor).flatMap((wait) => {
    const question = approvalQuestion(runId, wait);
    return question ? [[wait.approvalId, question] as const] : [];
  });
  return questions.length === 0 ? undefined : Object.fromEntries(questions);
}

/** A run that was waited for ended without success. */
export class RunNotSucceededError extends AppError {
  readonly code = 'workflow.run_not_succeeded';

  constructor(run: { readonly runId: string; readonly status: string; readonly reason: string }) {
    const { runId, status, reason } = run;
    super(
      `Run ${runId} ${status === 'cancelled' ? 'was cancelled' : 'failed'}${reason === '' ? '' : `: ${reason}`}. ` +
        `"tutti runs show ${runId}" tells what each step did, "tutti runs retry ${runId}" tries again what failed`,
      { details: { runId, status } },
    );
  }
}

/** A request about a task that cannot be served. */
class InvalidTaskRequestError extends AppError {
  readonly code = 'workflow.invalid_task_request';

  constructor(reason: string) {
    super(`The request about a task was refused: ${reason}`, { details: { reason } });
  }
}
