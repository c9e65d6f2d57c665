import type { Agents, Judgement } from '../contract/agents/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Contexts } from '../contract/context/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { Feedback } from '../contract/feedback/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { Decision, Workflows } from '../contract/run/index.ts';
import type { Memory } from '../contract/session/index.ts';
import type { Settings } from '../config/index.ts';
import { AppError, lazy, lazyObject, systemClock, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { hideSecrets } from './check-code.ts';
import type { WorkflowsHere } from './workflow.ts';

interface SourceParts {
  readonly store: Store;
  readonly memory: Memory;
  readonly memoryItems: Pick<MemoryItems, 'explain'>;
  readonly runs: Pick<WorkflowsHere, 'workflows' | 'artifacts'>;
  readonly experience: Pick<Experience, 'failures'>;
  /** Learn from what people say of their work. */
  readonly agents: () => Pick<Agents, 'judge'>;
}

interface ContextsHere<Runs> {
  readonly contexts: Contexts;
  readonly feedback: Feedback;
  /** The same runs, which can be given a context and whose approvals count as feedback. */
  readonly runs: Runs;
}

/** Contexts and feedback of this data directory; nothing of them is loaded before they are used. */
export function contextsHere<Runs extends SourceParts['runs']>(
  parts: SourceParts & {
    readonly settings: Settings;
    readonly log: Log;
    readonly runs: Runs;
  },
): ContextsHere<Runs> {
  const contexts = openContexts(parts);
  const feedback = tellingAgents(openFeedback(parts), parts);
  const workflows = withContexts(parts.runs.workflows, { contexts, feedback, log: parts.log });
  return { contexts, feedback, runs: { ...parts.runs, workflows } };
}

function openContexts(parts: SourceParts & { readonly settings: Settings }): Contexts {
  const { settings, store, memory, memoryItems, runs } = parts;
  const open = lazy(async () => {
    const { createContexts } = await import('../memory/index.ts');
    return createContexts({
      store: store.contexts,
      sources: {
        session: (caller, id) => memory.sessions.show(caller, id),
        run: async (caller, id) => {
          const [latest] = id === 'last' ? await runs.workflows.list(caller, { limit: 1 }) : [];
          return runs.workflows.show(caller, latest?.runId ?? id);
        },
        artifact: async (caller, id) => (await runs.artifacts()).get(caller, id),
        memory: async (caller, id) => (await memoryItems.explain(caller, id)).item,
      },
      hideSecrets,
      clock: systemClock,
      defaultTokens: settings.conversation.context_window,
    });
  });
  return lazyObject<Contexts>(open, {});
}

function openFeedback({ store, memory, runs, experience }: SourceParts): Feedback {
  const open = lazy(async () => {
    const { createFeedback } = await import('../memory/index.ts');
    return createFeedback({
      store: store.feedback,
      clock: systemClock,
      sources: {
        run: (caller, id) => runs.workflows.show(caller, id),
        runs: (caller, page) => runs.workflows.list(caller, page),
        session: (caller, id) => memory.sessions.show(caller, id),
        failures: (caller, limit) => experience.failures(caller, limit),
      },
    });
  });
  return lazyObject<Feedback>(open, {});
}

/** Opinions, approvals and undone changes are outcomes of the decision about who did the task. */
function tellingAgents(
  inner: Feedback,
  { agents, log }: Pick<SourceParts, 'agents'> & Pick<RunHooks, 'log'>,
): Feedback {
  const tell = (caller: Caller, judgement: Judgement): Promise<void> =>
    noticing(log, agents().judge(caller, judgement));
  return lazyObject<Feedback>(
    lazy(async () => inner),
    {
      give: async (caller, opinion) => {
        const given = await inner.give(caller, opinion);
        const { runId, isGood } = given;
        if (runId !== null)
          await tell(caller, { about: { kind: 'run', id: runId }, isGood, evidence: 'feedback' });
        return given;
      },
      notice: async (caller, decision) => {
        await inner.notice(caller, decision);
        const { kind, subject, runId, isGood } = decision;
        const about =
          kind === 'change'
            ? ({ kind, id: subject.replace(/^change:/, '') } as const)
            : ({ kind: 'run', id: runId ?? '' } as const);
        if (about.id !== '') await tell(caller, { about, isGood, evidence: 'person' });
      },
    },
  );
}

interface RunHooks {
  readonly contexts: Contexts;
  readonly feedback: Feedback;
  readonly log: Log;
}

/** Runs with a context get its text as the input `context`; decisions about effects count as feedback. */
function withContexts(inner: Workflows, { contexts, feedback, log }: RunHooks): Workflows {
  return lazyObject<Workflows>(
    lazy(async () => inner),
    {
      start: async (caller, { context, ...run }) => {
        if (context === undefined) return inner.start(caller, run);
        const { text } = await contexts.pack(caller, context);
        return inner.start(caller, { ...run, input: { ...run.input, context: text } });
      },
      decide: async (caller, runId, decision) => {
        const asked = await findAsked(inner, { caller, runId, decision });
        await inner.decide(caller, runId, decision);
        if (!asked) return;
        const { verdict, reason } = decision;
        const about = { kind: 'approval', ...asked, isGood: verdict === 'approved' } as const;
        await noticing(log, feedback.notice(caller, { ...about, ...(reason && { reason }) }));
      },
    },
  );
}

/** Counts a change that was undone as one that was not wanted. */
export async function noticeUndo(
  { feedback, log }: Pick<RunHooks, 'feedback' | 'log'>,
  caller: Caller,
  changeId: string,
): Promise<void> {
  const undone = { kind: 'change', subject: `change:${changeId}`, isGood: false } as const;
  await noticing(log, feedback.notice(caller, undone));
}

/** The decision counts, whether it could be noticed or not. */
async function noticing(log: Log, noticed: Promise<void>): Promise<void> {
  await noticed.catch((error: unknown) => log.warn('failed to record feedback', { error }));
}

interface Asked {
  readonly caller: Caller;
  readonly runId: string;
  readonly decision: Decision;
}

/** The effect that is decided about; undefined for a gate, which changes nothing. */
async function findAsked(
  workflows: Workflows,
  { caller, runId, decision }: Asked,
): Promise<{ readonly runId: string; readonly subject: string } | undefined> {
  const view = await workflows.show(caller, runId).catch((error: unknown) => {
    // Deciding says what is wrong.
    if (error instanceof AppError) return undefined;
    throw error;
  });
  for (const wait of view?.waitingFor ?? []) {
    if (wait.kind !== 'approval' || wait.tool === null) continue;
    if ((decision.step ?? wait.step) !== wait.step) continue;
    if ((decision.approvalId ?? wait.approvalId) !== wait.approvalId) continue;
    return { runId: view?.runId ?? runId, subject: `approval:${wait.approvalId}` };
  }
  return undefined;
}
