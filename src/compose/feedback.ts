import type { Agents, Judgement } from '../contract/agents/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { Feedback } from '../contract/feedback/index.ts';
import type { Memory } from '../contract/session/index.ts';
import { lazy, lazyObject, systemClock, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { WorkflowsHere } from './workflow.ts';

export interface FeedbackParts {
  readonly store: Store;
  readonly memory: Memory;
  readonly runs: Pick<WorkflowsHere, 'workflows'>;
  readonly experience: Pick<Experience, 'failures'>;
  /** Learn from what people say of their work. */
  readonly agents: () => Pick<Agents, 'judge'>;
  readonly log: Log;
}

/** What people think of results; the choice of agents learns from it. */
export function feedbackHere(parts: FeedbackParts): Feedback {
  return tellingAgents(openFeedback(parts), parts);
}

function openFeedback({ store, memory, runs, experience }: FeedbackParts): Feedback {
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
  { agents, log }: Pick<FeedbackParts, 'agents' | 'log'>,
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

/** Counts a change that was undone as one that was not wanted. */
export async function noticeUndo(
  { feedback, log }: { readonly feedback: Feedback; readonly log: Log },
  caller: Caller,
  changeId: string,
): Promise<void> {
  const undone = { kind: 'change', subject: `change:${changeId}`, isGood: false } as const;
  await noticing(log, feedback.notice(caller, undone));
}

/** The decision counts, whether it could be noticed or not. */
export async function noticing(log: Log, noticed: Promise<void>): Promise<void> {
  await noticed.catch((error: unknown) => log.warn('failed to record feedback', { error }));
}
