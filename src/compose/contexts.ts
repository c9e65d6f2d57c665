import type { Caller } from '../contract/caller/index.ts';
import type { Contexts } from '../contract/context/index.ts';
import type { Feedback } from '../contract/feedback/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { Decision, Workflows } from '../contract/run/index.ts';
import type { Settings } from '../config/index.ts';
import { AppError, lazy, lazyObject, systemClock, type Log } from '../kernel/index.ts';
import { hideSecrets } from './check-code.ts';
import { feedbackHere, type FeedbackParts, noticing } from './feedback.ts';
import type { WorkflowsHere } from './workflow.ts';

interface SourceParts extends FeedbackParts {
  readonly memoryItems: Pick<MemoryItems, 'explain'>;
  readonly runs: Pick<WorkflowsHere, 'workflows' | 'artifacts'>;
}

interface ContextsHere<Runs> {
  readonly contexts: Contexts;
  readonly feedback: Feedback;
  /** The same runs, which can be given a context and whose approvals count as feedback. */
  readonly runs: Runs;
}

/** Contexts and feedback of this data directory; nothing of them is loaded before they are used. */
export function contextsHere<Runs extends SourceParts['runs']>(
  parts: SourceParts & { readonly settings: Settings; readonly runs: Runs },
): ContextsHere<Runs> {
  const contexts = openContexts(parts);
  const feedback = feedbackHere(parts);
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
