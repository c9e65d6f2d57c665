import type { Caller } from '../../contract/caller/index.ts';
import type {
  Correction,
  Experience,
  Explanation,
  FailedAttempt,
  Failure,
  FailureQuery,
} from '../../contract/experience/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { recordOf } from '../../kernel/index.ts';
import { UnknownFailureError, UnknownFixError } from '../errors.ts';
import {
  applyChanges,
  AttemptRecorder,
  defaultExperienceLimits,
  type ExperienceLimits,
  type RecorderParts,
  toFailure,
} from './record-attempts.ts';
import type { StoredFailure } from './experience-store.ts';
import { readKnownFailures } from './known-failures.ts';
import { isUnchangedFix, listFixes, rankFixes, type RankParts } from './rank-fixes.ts';

/** A run by its whole id, and how it failed. */
interface FoundRun {
  readonly runId: string;
  readonly failure?: FailedAttempt;
}

export interface ExperienceParts extends Omit<RecorderParts, 'limits'> {
  /** The whole id of a run, and how it failed, where nothing of it was recorded. Throws for runs that do not exist. */
  readonly findRun?: (
    caller: Caller,
    query: Extract<FailureQuery, { kind: 'run' }>,
  ) => Promise<FoundRun>;
  readonly limits?: Partial<ExperienceLimits>;
}

/** A fix is used without a person only while it cures at least every other time. */
const minCureRate = 0.5;

/**
 * Failures and what cured them.
 *
 * 1. Recording never delays or fails what is recorded.
 * 2. The text of an error decides which rows of the shipped base match and nothing else: it never becomes a command.
 * 3. What a caller's attempts changed is suggested to that caller only.
 */
export function createExperience(given: ExperienceParts): Experience {
  const parts = { ...given, limits: { ...defaultExperienceLimits, ...given.limits } };
  const { store, clock } = parts;
  const ranking: RankParts = { store, known: readKnownFailures };
  const recorder = new AttemptRecorder(parts);
  const fixOf = async (caller: Caller, fixId: string) => {
    const [known] = await listFixes(ranking, caller, [fixId]);
    if (known === undefined) throw new UnknownFixError(fixId);
    return known;
  };
  return {
    failed: (caller, attempt) => recorder.failed(caller, attempt),
    succeeded: (caller, attempt) => recorder.succeeded(caller, attempt),
    async explain(caller, query) {
      await recorder.flush();
      const failure = await findFailure(parts, caller, query);
      const explained = await explainFailure(ranking, caller, failure);
      if (query.kind !== 'text') noteShown(recorder, caller, explained);
      return query.kind === 'text' ? { ...explained, failure: null } : explained;
    },
    async failures(caller, limit) {
      await recorder.flush();
      return (await store.list(caller, limit)).map(shownFailure);
    },
    async fixes(caller, limit) {
      await recorder.flush();
      const used = (await store.used(caller, limit)).filter((id) => !isUnchangedFix(id));
      const learned = (await store.fixes(caller, {}, limit)).map(({ id }) => id);
      return listFixes(ranking, caller, [...new Set([...used, ...learned])].slice(0, limit));
    },
    async recordOutcome(caller, { fixId, failureId, isCured }) {
      await recorder.flush();
      await fixOf(caller, fixId);
      const failure = failureId === undefined ? undefined : await store.find(caller, failureId);
      if (failureId !== undefined && !failure) throw new UnknownFailureError(failureId);
      const atMs = clock.now();
      const use = { fixId, failureId: failure?.id ?? null, atMs, isCured };
      await store.addUse(caller, use, parts.limits.maxUses);
      if (failure && isCured) await store.noteSuggested(caller, failure.id, [fixId]);
      if (failure && isCured) await recorder.settle(caller, failure.target, { fixId, atMs });
      return fixOf(caller, fixId);
    },
    async approve(caller, fixId, isApproved) {
      const known = await fixOf(caller, fixId);
      await store.approve(caller, fixId, isApproved);
      return { ...known, isApproved };
    },
    async correction(caller, attempt, { isReadOnly }) {
      await recorder.flush();
      const failure = await toFailure(attempt, parts, clock.now());
      const { suggestions } = await explainFailure(ranking, caller, failure);
      const chosen = chooseCorrection(suggestions, attempt, isReadOnly);
      const [open] = chosen ? await store.open(caller, failure.target, 1) : [];
      if (chosen && open) recorder.suggested(caller, open.id, [chosen.fixId]);
      return chosen;
    },
    flush: () => recorder.flush(),
    close: () => recorder.flush(),
  };
}

async function findFailure(
  parts: ExperienceParts & RecorderParts,
  caller: Caller,
  query: FailureQuery,
): Promise<StoredFailure> {
  const { store, clock } = parts;
  if (query.kind === 'text') return toFailure(textAttempt(query), parts, clock.now());
  if (query.kind === 'failure') {
    const found = await store.find(caller, query.id);
    if (found === undefined) throw new UnknownFailureError(query.id);
    return found;
  }
  const run: FoundRun = (await parts.findRun?.(caller, query)) ?? { runId: query.runId };
  // Programs may have failed in other steps, too: what ended the run comes first.
  const wanted = query.step ?? run.failure?.step;
  const failures = await store.ofRun(caller, run.runId);
  const ofStep = failures.find(({ step }) => wanted === undefined || step === wanted);
  if (ofStep !== undefined) return ofStep;
  if (run.failure === undefined) throw new UnknownFailureError(query.runId);
  return toFailure(run.failure, parts, clock.now());
}

async function explainFailure(
  ranking: RankParts,
  caller: Caller,
  failure: StoredFailure,
): Promise<Explanation> {
  const { signature, subject, normalised, message: text, code, facets, step, runId } = failure;
  const exitCode = facets['exit code'];
  const facts = { text, code, ...(exitCode !== undefined && { exitCode: Number(exitCode) }) };
  const args = failure.attempt.arguments;
  const ranked = await rankFixes(ranking, caller, { facts, signature, subject, normalised, args });
  const seen = await ranking.store.seen(caller, signature);
  const place = step === null ? [] : [`step ${step} of run ${runId}`];
  return {
    ...ranked,
    failure: shownFailure(failure),
    evidence: [...place, ...ranked.evidence],
    seen: { before: Math.max(0, seen.count - 1), lastAt: seen.lastAt },
  };
}

/** Arguments that cured just this failure: for a tool that only reads, or of a fix that a person approved. */
function chooseCorrection(
  suggestions: Explanation['suggestions'],
  attempt: FailedAttempt,
  isReadOnly: boolean,
): Correction | undefined {
  // Members of JSON are JSON.
  const args = recordOf(attempt.arguments) as Readonly<Record<string, Json>>;
  const usable = suggestions.filter(
    ({ origin, isDemoted, cureRate, likeness, isApproved }) =>
      origin === 'learned' &&
      !isDemoted &&
      cureRate >= minCureRate &&
      likeness === 1 &&
      (isReadOnly || isApproved),
  );
  for (const { fixId, changes = [] } of usable) {
    const corrected = applyChanges(args, changes);
    if (corrected !== undefined) return { fixId, args: corrected };
  }
  return undefined;
}

function textAttempt({ text, exitCode }: Extract<FailureQuery, { kind: 'text' }>): FailedAttempt {
  return {
    kind: 'program',
    subject: '',
    target: '',
    arguments: null,
    surroundings: {},
    error: { code: '', message: text, details: {} },
    ...(exitCode !== undefined && { exitCode }),
  };
}

/** Of a failure that was not recorded nothing is noted. */
function noteShown(recorder: AttemptRecorder, caller: Caller, explained: Explanation): void {
  const { failure, suggestions } = explained;
  if (failure === null) return;
  recorder.suggested(
    caller,
    failure.id,
    suggestions.map(({ fixId }) => fixId),
  );
}

function shownFailure(failure: StoredFailure): Failure {
  const { target: _target, normalised: _normalised, attempt: _attempt, ...kept } = failure;
  const { suggested = [], ...shown } = kept;
  return { ...shown, wasSuggested: shown.curedBy !== null && suggested.includes(shown.curedBy) };
}
