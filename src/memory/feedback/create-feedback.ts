import type { Caller } from '../../contract/caller/index.ts';
import {
  type Feedback,
  type FeedbackEntry,
  type LearnedWeek,
  maxReasonChars,
  type Opinion,
} from '../../contract/feedback/index.ts';
import type { RunSummary } from '../../contract/run/index.ts';
import type { Session } from '../../contract/session/index.ts';
import { AppError, type Clock } from '../../kernel/index.ts';

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

/** There is nothing yet that could be rated. */
class UnratableError extends AppError {
  readonly code = 'memory.nothing_to_rate';

  constructor(reason: string) {
    super(`The feedback was not stored: ${reason}`);
  }
}

/** Where feedback is kept. What it acknowledged survives the loss of power. */
export interface FeedbackStore {
  /** Replaces the entry of the same kind and subject; beyond `maxCount` of a caller the oldest go. */
  put(callerId: string, entry: FeedbackEntry, maxCount: number): Promise<void>;
  /** The latest first. */
  list(callerId: string, limit: number): Promise<readonly FeedbackEntry[]>;
}

/** A failure as the experience store has it. */
interface RecordedFailure {
  /** ISO 8601. */
  readonly at: string;
  /** The same for failures of one kind. */
  readonly signature: string;
  /** It was cured by a fix that was suggested, or used, before the success. */
  readonly wasSuggested: boolean;
}

interface CountedFailure {
  readonly at: string;
  readonly isRepeated: boolean;
  readonly isCured: boolean;
}

interface Noted {
  /** In any order. */
  readonly runs: readonly RunSummary[];
  readonly failures: readonly RecordedFailure[] | undefined;
  readonly entries: readonly FeedbackEntry[];
  /** The Monday of the first week. */
  readonly sinceMs: number;
  readonly weeks: number;
}

const dayMs = 24 * 3_600_000;
const weekMs = 7 * dayMs;

/** What happened in each week, the latest first. */
function summarizeWeeks(noted: Noted): LearnedWeek[] {
  const { runs, failures, entries, sinceMs, weeks } = noted;
  const denied = new Set(entries.filter(isDenial).map(({ runId }) => runId));
  const ended = endedInOrder(runs, denied);
  const counted = countFailures(failures ?? failuresOf(ended));
  const recoveries = recoveriesOf(ended);
  return Array.from({ length: weeks }, (_, index) => {
    const startMs = sinceMs + (weeks - 1 - index) * weekMs;
    const isIn = (at: string): boolean => weekStart(Date.parse(at)) === startMs;
    const failed = counted.filter(({ at }) => isIn(at));
    const recovered = recoveries.filter(({ at }) => isIn(at)).map(({ seconds }) => seconds);
    const given = entries.filter(({ givenAt }) => isIn(givenAt));
    const countOf = (isOpinion: boolean, isGood: boolean): number =>
      given.filter((one) => (one.kind === 'opinion') === isOpinion && one.isGood === isGood).length;
    return {
      week: weekName(startMs),
      from: new Date(startMs).toISOString().slice(0, 10),
      runs: ended.filter(({ at }) => isIn(at)).length,
      failures: failed.length,
      repeatedFailures: failed.filter(({ isRepeated }) => isRepeated).length,
      curedFailures: failures ? failed.filter(({ isCured }) => isCured).length : null,
      recoveries: recovered.length,
      medianSecondsToSuccess: medianOf(recovered),
      up: countOf(true, true),
      down: countOf(true, false),
      acceptedChanges: countOf(false, true),
      rejectedChanges: countOf(false, false),
    };
  });
}

/** Midnight of its Monday, UTC. */
function weekStart(ms: number): number {
  const day = Math.floor(ms / dayMs);
  // Day 0 was a Thursday.
  return (day - ((((day + 3) % 7) + 7) % 7)) * dayMs;
}

/** ISO 8601: the week belongs to the year of its Thursday. */
function weekName(startMs: number): string {
  const thursday = new Date(startMs + 3 * dayMs);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / weekMs) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

interface EndedRun {
  readonly at: string;
  /** What it was to do; undefined where the plan has neither name nor goal. */
  readonly task: string | undefined;
  readonly isFailed: boolean;
  readonly isSuccess: boolean;
}

function isDenial({ kind, isGood }: FeedbackEntry): boolean {
  return kind === 'approval' && !isGood;
}

/** A run that a person stopped did not fail. */
function endedInOrder(
  runs: readonly RunSummary[],
  denied: ReadonlySet<string | null>,
): readonly EndedRun[] {
  return runs
    .flatMap(({ runId, endedAt, name, goal, status }) =>
      endedAt === null
        ? []
        : [
            {
              at: endedAt,
              task: name ?? goal ?? undefined,
              isFailed: status === 'failed' && !denied.has(runId),
              isSuccess: status === 'succeeded',
            },
          ],
    )
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Where failures are not recorded by themselves: the same task stands for the same failure. */
function failuresOf(ended: readonly EndedRun[]): readonly RecordedFailure[] {
  return ended
    .filter(({ isFailed }) => isFailed)
    .map(({ at, task }, index) => ({ at, signature: task ?? `run ${index}`, wasSuggested: false }));
}

function countFailures(failures: readonly RecordedFailure[]): readonly CountedFailure[] {
  const seen = new Set<string>();
  return failures
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map(({ at, signature, wasSuggested }) => {
      const isRepeated = seen.has(signature);
      seen.add(signature);
      return { at, isRepeated, isCured: wasSuggested };
    });
}

/** Tasks that succeeded after they had failed, each with the time since its first failure. */
function recoveriesOf(
  ended: readonly EndedRun[],
): readonly { readonly at: string; readonly seconds: number }[] {
  const firstFailures = new Map<string, number>();
  const recoveries: { readonly at: string; readonly seconds: number }[] = [];
  for (const { at, task, isFailed, isSuccess } of ended) {
    if (task === undefined) continue;
    const ms = Date.parse(at);
    const since = firstFailures.get(task);
    if (isFailed && since === undefined) firstFailures.set(task, ms);
    if (!isSuccess || since === undefined) continue;
    recoveries.push({ at, seconds: (ms - since) / 1_000 });
    firstFailures.delete(task);
  }
  return recoveries;
}

function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
