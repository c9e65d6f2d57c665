import type { Caller } from '../../contract/caller/index.ts';
import {
  maxReasonChars,
  type Feedback,
  type FeedbackEntry,
  type Opinion,
} from '../../contract/feedback/index.ts';
import type { RunSummary } from '../../contract/run/index.ts';
import type { Session } from '../../contract/session/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { UnratableError } from './errors.ts';
import type { FeedbackStore } from './feedback-store.ts';
import { summarizeWeeks, weekStart, type RecordedFailure } from './summarize-weeks.ts';

/** What feedback is about, and what shows whether it helped. Runs and sessions of others are unknown. */
export interface FeedbackSources {
  /** By id or a unique beginning of one. */
  run(caller: Caller, id: string): Promise<Pick<RunSummary, 'runId'>>;
  /** The latest first, those behind `after`. */
  runs(
    caller: Caller,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<readonly RunSummary[]>;
  session(caller: Caller, id: string): Promise<Session>;
  /** The latest recorded failures; absent where failures are not recorded by themselves. */
  failures?(caller: Caller, limit: number): Promise<readonly RecordedFailure[]>;
}

interface FeedbackOptions {
  readonly store: FeedbackStore;
  readonly sources: FeedbackSources;
  readonly clock: Clock;
}

/** Of one caller. */
const maxEntries = 20_000;
const maxCountedRuns = 5_000;
const maxCountedFailures = 10_000;
const runsPerPage = 500;
const weekMs = 7 * 24 * 3_600_000;

export function createFeedback({ store, sources, clock }: FeedbackOptions): Feedback {
  const put = async (
    caller: Caller,
    entry: Omit<FeedbackEntry, 'givenAt'>,
  ): Promise<FeedbackEntry> => {
    const reason = entry.reason.trim().slice(0, maxReasonChars);
    const given = { ...entry, reason, givenAt: new Date(clock.now()).toISOString() };
    await store.put(caller.id, given, maxEntries);
    return given;
  };
  return {
    async give(caller, { about, isGood, reason = '' }) {
      const subject = await findSubject(caller, about, sources);
      return put(caller, { kind: 'opinion', ...subject, isGood, reason });
    },
    async notice(caller, { kind, subject, isGood, runId = null, reason = '' }) {
      await put(caller, { kind, subject, isGood, runId, sessionId: null, reason });
    },
    list: (caller, { limit }) => store.list(caller.id, limit),
    async learned(caller, { weeks }) {
      const sinceMs = weekStart(clock.now()) - (weeks - 1) * weekMs;
      const { runs, isComplete } = await readRuns(caller, sources);
      const failures = await sources.failures?.(caller, maxCountedFailures);
      const entries = await store.list(caller.id, maxEntries);
      return {
        weeks: summarizeWeeks({ runs, failures, entries, sinceMs, weeks }),
        countedRuns: runs.length,
        isComplete,
        failuresFrom: failures ? 'experience' : 'runs',
      };
    },
  };
}

type Subject = Pick<FeedbackEntry, 'subject' | 'runId' | 'sessionId'>;

async function findSubject(
  caller: Caller,
  about: Opinion['about'],
  sources: FeedbackSources,
): Promise<Subject> {
  if ('run' in about) {
    const [latest] = about.run === 'last' ? await sources.runs(caller, { limit: 1 }) : [];
    if (about.run === 'last' && !latest) throw new UnratableError('There is no run yet');
    const { runId } = latest ?? (await sources.run(caller, about.run));
    return { subject: `run:${runId}`, runId, sessionId: null };
  }
  const { id, turns } = await sources.session(caller, about.session);
  const answer = turns.findLast(({ role }) => role === 'assistant');
  if (!answer) throw new UnratableError(`Session ${id} has no answer yet`);
  const { runId = null, number } = answer;
  // The answer and the run behind it are one thing to the person who rates it.
  const subject = runId === null ? `turn:${id}#${number}` : `run:${runId}`;
  return { subject, runId, sessionId: id };
}

/** All runs, not just those of the weeks shown: whether a failure is a repeated one depends on what was before. */
async function readRuns(
  caller: Caller,
  sources: FeedbackSources,
): Promise<{ readonly runs: readonly RunSummary[]; readonly isComplete: boolean }> {
  const runs: RunSummary[] = [];
  while (runs.length < maxCountedRuns) {
    const after = runs.at(-1)?.runId;
    const page = await sources.runs(caller, {
      limit: runsPerPage,
      ...(after !== undefined && { after }),
    });
    runs.push(...page);
    if (page.length < runsPerPage) return { runs, isComplete: true };
  }
  return { runs, isComplete: false };
}
