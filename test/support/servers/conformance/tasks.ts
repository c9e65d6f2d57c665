import { randomUUID } from 'node:crypto';
import {
  errorOf,
  membersOf,
  rpcCode,
  RpcFailure,
  said,
  tasksExtension,
  type Exchange,
  type Members,
  type Question,
} from './exchange.ts';
import { form, interview, nameForm, type Interview } from './questions.ts';

const timeToLiveMs = 600_000;
const pollIntervalMs = 100;

interface Task {
  readonly id: string;
  readonly createdAt: string;
  readonly stop: AbortController;
  changedAt: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** The result or the error, once there is one. */
  outcome: Members;
  questions: Record<string, Question>;
  readonly waiting: Map<string, (answer: Members) => void>;
}

/** What a tool does once it runs. */
type Job = (args: Members, signal: AbortSignal) => Promise<Members>;

const confirmForm = form('Delete it?', { confirm: { type: 'boolean' } });

const jobs: Readonly<Record<string, Job>> = {
  slow_compute: async ({ seconds, label }, signal) => {
    await pause(Number(seconds), signal);
    return said(`Computed ${String(label)}`);
  },
  failing_job: async (_args, signal) => {
    await pause(0.5, signal);
    return { ...said('This job fails'), isError: true };
  },
  protocol_error_job: async (_args, signal) => {
    await pause(0.1, signal);
    throw new RpcFailure(rpcCode.internalError, 'This job breaks down');
  },
};

const told = (answers: Members): Members => said(JSON.stringify(answers));

/** Tools that ask while they run. */
const askingJobs: Readonly<Record<string, Interview>> = {
  confirm_delete: { rounds: () => [{ confirm: confirmForm }], result: told },
  multi_input: { rounds: () => [{ first: nameForm, second: confirmForm }], result: told },
};

/** Asks before it becomes a task. */
const askingFirst = 'test_tool_with_task';
const introduction: Interview = { rounds: () => [{ user_name: nameForm }], result: told };

export const taskTools: readonly string[] = [
  ...Object.keys(jobs),
  ...Object.keys(askingJobs),
  askingFirst,
];
const insisting: ReadonlySet<string> = new Set(['failing_job', askingFirst]);

/** The tasks extension of the stateless era; in the handshake era the same tools answer when done. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();

  async call(name: string, exchange: Exchange): Promise<Members> {
    const isNew = exchange.era === 'stateless';
    if (isNew && insisting.has(name)) requireExtension(exchange);
    const isTask = isNew && declares(exchange);
    const asking = askingJobs[name];
    if (asking && !isTask) return interview(asking, exchange);
    if (asking) return this.#create(async (task) => told(await askIn(task, asking, exchange)));
    const args = membersOf(exchange.params['arguments']);
    const job = jobs[name];
    if (job && !isTask) return job(args, new AbortController().signal);
    if (job) return this.#create((task) => job(args, task.stop.signal));
    const introduced = await interview(introduction, exchange);
    const isDone = !isTask || 'resultType' in introduced;
    return isDone ? introduced : this.#create(async () => introduced);
  }

  #create(work: (task: Task) => Promise<Members>): Members {
    const now = new Date().toISOString();
    const task: Task = {
      id: randomUUID(),
      createdAt: now,
      changedAt: now,
      stop: new AbortController(),
      status: 'working',
      outcome: {},
      questions: {},
      waiting: new Map(),
    };
    this.#tasks.set(task.id, task);
    work(task).then(
      (result) => settle(task, 'completed', { result }),
      (error: unknown) => settle(task, 'failed', { error: errorOf(error) }),
    );
    return { resultType: 'task', ...shown(task) };
  }

  /** `tasks/get`, `tasks/update` and `tasks/cancel`. */
  request(method: string, exchange: Exchange): Members {
    requireExtension(exchange);
    const { taskId, inputResponses } = exchange.params;
    const task = this.#tasks.get(String(taskId));
    if (!task) throw new RpcFailure(rpcCode.invalidParams, `No task ${String(taskId)}`);
    if (method === 'tasks/get') {
      const isAsking = task.status === 'input_required';
      return {
        ...shown(task),
        ...task.outcome,
        ...(isAsking && { inputRequests: task.questions }),
      };
    }
    if (method === 'tasks/update') answer(task, membersOf(inputResponses));
    else {
      settle(task, 'cancelled', {});
      task.stop.abort();
    }
    return {};
  }
}

function shown({ id, status, createdAt, changedAt }: Task): Members {
  return {
    taskId: id,
    status,
    createdAt,
    lastUpdatedAt: changedAt,
    ttlMs: timeToLiveMs,
    pollIntervalMs,
  };
}

function settle(task: Task, status: Task['status'], outcome: Members): void {
  if (['completed', 'failed', 'cancelled'].includes(task.status)) return;
  Object.assign(task, { status, outcome, changedAt: new Date().toISOString() });
}

function answer(task: Task, responses: Members): void {
  for (const [key, response] of Object.entries(responses)) {
    task.waiting.get(key)?.(membersOf(response));
    task.waiting.delete(key);
    delete task.questions[key];
  }
  if (task.waiting.size === 0 && task.status === 'input_required') task.status = 'working';
}

/** Shows the questions of an interview in the task and waits for `tasks/update`. */
async function askIn(task: Task, { rounds }: Interview, exchange: Exchange): Promise<Members> {
  const answers: Record<string, unknown> = {};
  for (const questions of rounds(exchange)) {
    const asked = Object.entries(questions).map(async ([key, question]) => {
      const { promise, resolve } = Promise.withResolvers<Members>();
      task.questions[key] = question;
      task.waiting.set(key, resolve);
      answers[key] = await promise;
    });
    task.status = 'input_required';
    await Promise.all(asked);
  }
  return answers;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function declares({ capabilities }: Exchange): boolean {
  return membersOf(capabilities['extensions'])[tasksExtension] !== undefined;
}

function requireExtension(exchange: Exchange): void {
  if (declares(exchange)) return;
  throw new RpcFailure(rpcCode.missingCapability, 'This needs the tasks extension', {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}
