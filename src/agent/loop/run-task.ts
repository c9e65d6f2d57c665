import { createHash } from 'node:crypto';
import { rememberResults } from '../answer/index.ts';
import { canBeAsked, confirmPlan, confirmTools, isShownForApproval } from '../ask/ask-client.ts';
import { keepTexts } from '../ask/kept-texts.ts';
import { replyAboutRun } from '../ask/reply-about-run.ts';
import {
  base,
  guardRules,
  inputsOf,
  modelCall,
  plainReply,
  tell,
  type Reply,
  type Turn,
} from '../ask/turn.ts';
import { countCalls, type Round, type Task } from './task.ts';
import { collectFacts, hasFailingTests, type EndedRound } from './evidence.ts';
import { judgeSteps, lookAtResults, type Decision, type LookParts } from './look.ts';
import { reportTask } from './report-task.ts';
import { readRound, readRounds, runLastRound, taskScope } from './run-round.ts';
import { type TaskWatch, watchTask } from './task-watch.ts';
import {
  createCapability,
  noteOnReads,
  planOf,
  previewPlan,
  previewSteps,
  proposedPlanSchema,
} from '../propose/index.ts';
import { AppError } from '../../kernel/index.ts';

/** Rounds that only repeat what is known before the task is stopped. */
const maxRepeats = 2;

/**
 * Works on a task until the model calls it done, a limit is passed, or a person is needed.
 *
 * 1. The task is saved before a run starts and after every answer of the model; a new process goes on from there.
 * 2. Each plan passes the guard and the check. Plans after the first are tainted: they were made with results in sight.
 * 3. `task.tools` grows only by the user's yes.
 *
 * `verdict` is the user's yes or no to what the task asked last: a plan, or more tools.
 */
export async function runTask(turn: Turn, task: Task, verdict?: boolean): Promise<Reply> {
  const watch = watchTask(task, turn.parts.settings.limits, turn.options.signal);
  try {
    return await new TaskRunner(turn, task, watch).run(verdict);
  } finally {
    watch.close();
  }
}

type Next<Kind extends Task['next']['kind']> = Extract<Task['next'], { kind: Kind }>;

/** One task at work; `#task` is what was saved last. */
class TaskRunner {
  readonly #turn: Turn;
  readonly #watch: TaskWatch;
  #task: Task;
  #rounds: EndedRound[] = [];
  /** What the user or the check said about what the model wanted last. */
  #problems: readonly string[] = [];

  constructor(turn: Turn, task: Task, watch: TaskWatch) {
    this.#turn = turn;
    this.#watch = watch;
    this.#task = task;
  }

  async run(verdict: boolean | undefined): Promise<Reply> {
    this.#rounds = await readRounds(this.#turn, this.#task);
    await this.#save({});
    let said = verdict;
    for (;;) {
      const reply = await this.#advance(said);
      if (reply) return reply;
      said = undefined;
    }
  }

  /** One move; a reply where the task is over or a person is needed. */
  #advance(verdict: boolean | undefined): Promise<Reply | undefined> {
    const { next } = this.#task;
    switch (next.kind) {
      case 'run':
        return this.#last().mustShow ? this.#show(verdict) : this.#execute();
      case 'look':
        return this.#look();
      case 'allow':
        return this.#askForTools(next, verdict);
      case 'over':
        return this.#report(next);
    }
  }

  /** Runs the last round, or goes on with its run. */
  async #execute(): Promise<Reply | undefined> {
    const { parts, emit } = this.#turn;
    const { plan } = this.#last();
    this.#watch.settle(this.#calls(), plan.steps.length);
    const passed = this.#watch.passed();
    if (passed !== undefined) return this.#stop(passed);
    const most = this.#task.grant.rounds + parts.settings.limits.maxRounds;
    const tools = plan.steps.map(({ tool = '' }) => tool).join(', ');
    const text = `Round ${this.#task.rounds.length} of at most ${most}: ${tools}`;
    emit({ kind: 'notice', text });
    const { runId, view } = await runLastRound(this.#turn, this.#task, this.#watch);
    const round = { ...this.#last(), runId };
    const rounds = [...this.#task.rounds.slice(0, -1), round];
    const isOver = ['succeeded', 'failed', 'cancelled'].includes(view.status);
    if (!isOver && this.#watch.passed() === undefined) {
      await this.#save({ rounds, askedIn: this.#nextTurn() });
      const { model, confidence } = this.#task;
      return replyAboutRun(this.#turn, { view, runId, plan, model, confidence });
    }
    this.#rounds.push(await readRound(this.#turn, { ...round, view }));
    this.#watch.settle(this.#calls());
    const stop = this.#stopAfterRun();
    if (stop !== undefined) return this.#stop(stop, { rounds });
    await this.#save({ rounds, next: { kind: 'look' } });
    return undefined;
  }

  #stopAfterRun(): string | undefined {
    const passed = this.#watch.passed();
    if (passed !== undefined) return passed;
    const steps = Object.entries(this.#rounds.at(-1)?.view.steps ?? {});
    const denied = steps.find(([, { error }]) => error?.code === 'workflow.approval_denied');
    if (denied) return `step "${denied[0]}" was not approved.`;
    const since = this.#rounds.slice(this.#task.grant.rounds);
    if (countRepeats(since) < maxRepeats) return undefined;
    return `${maxRepeats} rounds repeated earlier ones with the same results.`;
  }

  async #look(): Promise<Reply | undefined> {
    const { options, parts } = this.#turn;
    const { maxRounds } = parts.settings.limits;
    const roundsLeft = Math.max(0, this.#task.grant.rounds + maxRounds - this.#task.rounds.length);
    let decision: Decision;
    try {
      const shown = { rounds: this.#rounds, roundsLeft, problems: this.#problems };
      decision = await lookAtResults(this.#parts(), { ...(await this.#judging()), ...shown });
    } catch (error) {
      options.signal.throwIfAborted();
      const stop = this.#watch.passed() ?? stopOfModel(error);
      if (stop === undefined) throw error;
      return this.#stop(stop);
    }
    this.#problems = [];
    switch (decision.kind) {
      case 'done': {
        const { answer, notSolved } = decision;
        return this.#save({ next: { kind: 'over', answer, notSolved: [...notSolved] } });
      }
      case 'stop': {
        const { answer, reason } = decision;
        return this.#stop(reason ?? `agent.max_rounds: ${maxRounds} rounds were run.`, { answer });
      }
      case 'allow': {
        const { tools, steps } = decision;
        return this.#save({ next: { kind: 'allow', tools: [...tools], steps: [...steps] } });
      }
      case 'round':
        return this.#addRound(decision.round);
    }
  }

  /** The user's word on the tools the model wants: nothing else ever adds to what a task may call. */
  async #askForTools(next: Next<'allow'>, said: boolean | undefined): Promise<Reply | undefined> {
    const plan = planOf(proposedPlanSchema.parse({ steps: next.steps }), this.#task.goal);
    const question =
      `The agent wants to use ${next.tools.join(', ')}, which your request did not ask for. Its plan:\n` +
      `${previewSteps(plan)}\nAllow it? Answer yes or no.`;
    const isAllowed =
      said ?? (await this.#ask((client, signal) => confirmTools(client, question, signal)));
    if (isAllowed === undefined) {
      await this.#save({ askedIn: this.#nextTurn() });
      const known = base(this.#turn, this.#task);
      const asked = { ...known, kind: 'question', questions: [question], candidates: [] } as const;
      return { ...plainReply(asked), isTainted: true };
    }
    if (!isAllowed) {
      this.#problems = [`The user does not allow ${next.tools.join(', ')}.`];
      return this.#save({ isClosed: true, next: { kind: 'look' } });
    }
    this.#task = { ...this.#task, tools: [...this.#task.tools, ...next.tools] };
    const judged = await judgeSteps(this.#parts(), await this.#judging(), next.steps);
    if (judged.kind === 'round') return this.#addRound(judged.round);
    this.#problems = judged.kind === 'refused' ? judged.problems : [];
    return this.#save({ next: { kind: 'look' } });
  }

  /**
   * Effects of later rounds ask for approval one by one; the plan is shown where the settings turned that off, and
   * where it is the first that reads what the user did not name.
   */
  async #addRound(round: Round): Promise<undefined> {
    const { request, parts, options } = this.#turn;
    const { preview, approval } = parts.settings;
    const isUnasked = !round.isFree && approval !== 'effects';
    const isSeen = request.acceptPreview === true || isShownForApproval(options.client, round.plan);
    const isNews = preview !== 'never' && round.reads.length > 0 && !this.#task.mayRead;
    const mustShow = !isSeen && (preview === 'always' || isUnasked || isNews);
    await this.#save({
      rounds: [...this.#task.rounds, { ...round, mustShow }],
      next: { kind: 'run' },
    });
  }

  async #show(said: boolean | undefined): Promise<Reply | undefined> {
    const round = this.#last();
    const { plan, reads } = round;
    const candidates = [{ plan, why: '', confidence: this.#task.confidence }];
    const more = reads.length > 0 ? ' Yes lets this request read more of the project.' : '';
    const note = `${noteOnReads(reads)}${more}`;
    const preview = previewPlan({ candidates, madeBy: 'model', notUnderstood: [], note });
    const isAccepted =
      said ?? (await this.#ask((client, signal) => confirmPlan(client, preview, signal)));
    if (isAccepted === undefined) {
      await this.#save({ askedIn: this.#nextTurn() });
      const known = base(this.#turn, this.#task);
      const shown = { ...known, kind: 'plan', plan, candidates, preview, madeBy: 'model' } as const;
      return { ...plainReply(shown), isTainted: true };
    }
    const others = this.#task.rounds.slice(0, -1);
    if (!isAccepted) return this.#stop('you declined the plan.', { rounds: others });
    const mayRead = this.#task.mayRead || reads.length > 0;
    return this.#save({ mayRead, rounds: [...others, { ...round, mustShow: false }] });
  }

  /** Asks the person at the client; undefined without a person or an answer. The wait does not count as time of the task. */
  async #ask(
    put: (
      client: Parameters<typeof confirmPlan>[0],
      signal: AbortSignal,
    ) => Promise<boolean | undefined>,
  ): Promise<boolean | undefined> {
    const { client, signal } = this.#turn.options;
    if (!canBeAsked(client)) return undefined;
    this.#watch.pause();
    try {
      return await put(client, signal);
    } finally {
      this.#watch.resume();
    }
  }

  async #report({ stop }: Next<'over'>): Promise<Reply> {
    const { parts, request, session } = this.#turn;
    const rounds = this.#rounds;
    // The task stays: "continue" goes on with a stopped one, and finds out that another is done.
    await this.#save({ askedIn: this.#nextTurn() });
    const facts = collectFacts(rounds, parts.isTrusted);
    const answer = reportTask({ task: this.#task, rounds, facts });
    tell(this.#turn, answer);
    const kept = { parts, caller: request.caller, origin: session.id };
    const found = rounds.flatMap(({ results, view }) => rememberResults(results, view.runId));
    const last = rounds.at(-1);
    const isFailed =
      stop !== undefined || last?.view.status !== 'succeeded' || hasFailingTests(facts);
    return {
      outcome: {
        ...base(this.#turn, { confidence: this.#task.confidence, model: this.#task.model }),
        kind: 'answer',
        answer,
        ...(last && { plan: last.plan, runId: last.view.runId }),
        runStatus: isFailed ? 'failed' : 'succeeded',
        ...(stop !== undefined && { isStopped: true }),
      },
      remembered: await keepTexts(found, kept),
    };
  }

  #last(): Round {
    const round = this.#task.rounds.at(-1);
    if (!round) throw new Error('a task has at least one round');
    return round;
  }

  #calls(): number {
    return countCalls(this.#rounds.map(({ view }) => view));
  }

  #nextTurn(): number {
    return this.#turn.session.current().turns.length + 1;
  }

  #parts(): LookParts {
    const { models, workflows, settings, hideSecrets } = this.#turn.parts;
    return { models, workflows, optimize: settings.optimizeChains, hideSecrets };
  }

  /** What plans of this task are judged by, and how its model is asked: within the task's budget and time. */
  async #judging() {
    const { parts, session } = this.#turn;
    const { isTrusted, models, tools } = parts;
    const task = this.#task;
    const entries = await tools.entries();
    const asked = entries.filter(({ name }) => task.tools.includes(name));
    const capability = createCapability({ offered: [], asked, isTrusted });
    const rules = { ...guardRules(this.#turn), capability, isTainted: true };
    const scope = taskScope(task);
    const call = { ...modelCall(this.#turn), budgets: [scope], signal: this.#watch.signal };
    await models.linkBudgets(call.caller, scope, `session:${session.id}`);
    return { task, rules, entries, call, inputs: inputsOf(this.#turn) };
  }

  #stop(
    stop: string,
    { answer = '', ...change }: Partial<Task> & { readonly answer?: string } = {},
  ): Promise<undefined> {
    return this.#save({ ...change, next: { kind: 'over', answer, notSolved: [], stop } });
  }

  async #save(change: Partial<Task>): Promise<undefined> {
    this.#task = { ...this.#task, ...change, usedMs: this.#watch.usedMs() };
    await this.#turn.session.saveTask(this.#task);
  }
}

/** A sentence where the model or its budget ended the task; undefined for anything else. */
function stopOfModel(error: unknown): string | undefined {
  if (!(error instanceof AppError) || !error.code.startsWith('models.')) return undefined;
  const { setting } = error.details;
  return typeof setting === 'string'
    ? `${setting}: ${error.message}.`
    : `the model cannot be used: ${error.message}`;
}

/** How many rounds did what an earlier one had done, with the same result. */
export function countRepeats(rounds: readonly EndedRound[]): number {
  const digests = rounds.map(digestOf);
  return digests.filter((digest, index) => digests.indexOf(digest) < index).length;
}

function digestOf({ plan, view, results }: EndedRound): string {
  const calls = plan.steps.map(({ tool, args, when, forEach }) => [tool, args, when, forEach]);
  const ends = Object.values(view.steps).map(({ status, error }) => [status, error?.code]);
  const outputs = results.map(({ output }) => output);
  const text = JSON.stringify([calls, ends, outputs], (key, value: unknown) =>
    isVolatile(key) ? undefined : typeof value === 'string' ? withoutTimes(value) : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

/** Durations, moments and usage differ from run to run though nothing else does. */
function isVolatile(key: string): boolean {
  return /(?:Ms|_ms|At|_at|[dD]uration|[eE]lapsed|[uU]sage|[tT]imestamp)$/.test(key);
}

/** Fractions in the text of a program are times more often than not. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+\.\d+|\d+(?=\s?(?:ms|s|sec|seconds)\b)/g, '#');
}
