import type { Caller } from '../../contract/caller/index.ts';
import type { Change, Explanation, Suggestion } from '../../contract/experience/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { type Lazy, recordOf } from '../../kernel/index.ts';
import { applyChanges } from './record-attempts.ts';
import type { ExperienceStore, LearnedFix } from './experience-store.ts';
import { type ErrorFacts, type KnownFailure, type Match, matchKnown } from './known-failures.ts';
import { likenessOf, normaliseError } from './normalise-error.ts';

export interface RankParts {
  readonly store: ExperienceStore;
  readonly known: Lazy<readonly KnownFailure[]>;
}

interface Ranked extends Pick<Explanation, 'isKnown' | 'cause' | 'source' | 'suggestions'> {
  readonly evidence: readonly string[];
}

interface Searched {
  readonly facts: ErrorFacts;
  readonly signature: string;
  readonly subject: string;
  readonly normalised: string;
  /** Null where only the text of an error is known. */
  readonly args: Json;
}

const maxSuggestions = 5;
/** Uses that a cure rate is made from. */
const maxUses = 50;
/** Learned fixes of the same tool that are compared. */
const maxLearned = 200;
/** Errors of which fewer words are the same are not alike. */
const minLikeness = 0.6;
const demotedShare = 0.2;
/** Likeness of the same failure where a fix corrects other arguments than those that failed. */
const otherArguments = 0.4;

/** Cures of the base are listed with the most likely first; each is believed less than the one before it. */
const shippedPriors: readonly Prior[] = [0.6, 0.45, 0.35, 0.3, 0.25].map((mean) => ({
  mean,
  weight: 2,
}));
/** One success may have had another reason. */
const learnedPrior: Prior = { mean: 0.5, weight: 2 };

/** Counts attempts at the same target with nothing changed. */
export function unchangedFix(signature: string): string {
  return `unchanged:${signature}`;
}

export function isUnchangedFix(fixId: string): boolean {
  return fixId.startsWith(unchangedFix(''));
}

/** Suggestions for a failure: by likeness times measured cure rate, never by likeness alone. */
export async function rankFixes(
  parts: RankParts,
  caller: Caller,
  searched: Searched,
): Promise<Ranked> {
  const matches = matchKnown(await parts.known(), searched.facts);
  const without = await unchanged(parts.store, caller, searched.signature);
  const candidates = [
    ...matches.flatMap((match) => shippedCandidates(match)),
    ...(await learnedCandidates(parts, caller, searched)),
  ];
  const suggestions = await Promise.all(
    candidates.map((candidate) => measure(parts.store, caller, { ...candidate, without })),
  );
  const [best] = matches;
  return {
    isKnown: suggestions.length > 0,
    cause: best?.known.cause ?? null,
    source: best?.known.source ?? null,
    evidence: best ? [best.line] : [],
    suggestions: suggestions.sort((a, b) => score(b) - score(a)).slice(0, maxSuggestions),
  };
}

/** Fixes by their ids, with their numbers; those that do not exist are left out. */
export async function listFixes(
  parts: RankParts,
  caller: Caller,
  ids: readonly string[],
): Promise<readonly Suggestion[]> {
  const all = await parts.known();
  const found = await Promise.all(
    ids.map(async (id) => {
      const learned = await parts.store.fix(caller, id);
      if (learned) return [learnedCandidate(learned, 1)];
      const known = all.find((one) => id.startsWith(`shipped:${one.id}:`));
      const candidates = known ? shippedCandidates({ known, likeness: 1, line: '' }) : [];
      return candidates.filter(({ fixId }) => fixId === id);
    }),
  );
  const none = { attempts: 0, successes: 0 };
  return Promise.all(
    found.flat().map((one) => measure(parts.store, caller, { ...one, without: none })),
  );
}

function score({ likeness, cureRate: rate, isDemoted: isLow }: Suggestion): number {
  return likeness * rate * (isLow ? demotedShare : 1);
}

interface Candidate extends Pick<
  Suggestion,
  'fixId' | 'origin' | 'family' | 'text' | 'kind' | 'likeness'
> {
  readonly command?: string;
  readonly changes?: readonly Change[];
  readonly prior: Prior;
}

function shippedCandidates({ known, likeness }: Match): readonly Candidate[] {
  return known.cures.map((cure, index) => ({
    ...cure,
    fixId: `shipped:${known.id}:${index + 1}`,
    origin: 'shipped',
    family: known.id,
    likeness,
    prior: shippedPriors[index] ?? learnedPrior,
  }));
}

async function learnedCandidates(
  { store }: RankParts,
  caller: Caller,
  { signature, subject, normalised, args }: Searched,
): Promise<readonly Candidate[]> {
  const same = await store.fixes(caller, { signature }, maxLearned);
  const others = await store.fixes(caller, { subject }, maxLearned);
  const { words } = normaliseError(normalised);
  const alike = others.flatMap((fix) => {
    if (fix.signature === signature) return [];
    const likeness = likenessOf(words, normaliseError(fix.normalised).words);
    return likeness >= minLikeness ? [learnedCandidate(fix, likeness)] : [];
  });
  const ofSame = same.map((fix) => learnedCandidate(fix, fits(fix, args) ? 1 : otherArguments));
  return [...ofSame, ...alike];
}

/** Whether the arguments that failed are those that the fix corrects. */
function fits({ changes }: LearnedFix, args: Json): boolean {
  const isOfArguments = changes.every(({ what }) => what === 'arguments');
  // Members of JSON are JSON.
  const given = recordOf(args) as Readonly<Record<string, Json>>;
  return args === null || !isOfArguments || applyChanges(given, changes) !== undefined;
}

function learnedCandidate(fix: LearnedFix, likeness: number): Candidate {
  const changes = fix.changes.map(describeChange).join('; ');
  return {
    fixId: fix.id,
    origin: 'learned',
    family: null,
    text: `A later attempt succeeded with ${changes}`,
    // Whether it may be used without asking depends on the tool, or on a person's approval.
    kind: 'effect',
    changes: fix.changes,
    likeness,
    prior: learnedPrior,
  };
}

const maxShown = 80;

function describeChange({ what, path, before, after }: Change): string {
  const cut = (text: string): string =>
    text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
  const name = what === 'arguments' ? path : `${what} ${path}`;
  if (after === '') return `${name} left out (was ${cut(before)})`;
  return before === ''
    ? `${name} = ${cut(after)}`
    : `${name} = ${cut(after)} instead of ${cut(before)}`;
}

async function unchanged(
  store: ExperienceStore,
  caller: Caller,
  signature: string,
): Promise<Without> {
  const { totals } = await store.record(caller, unchangedFix(signature), 0);
  return { attempts: totals.uses, successes: totals.cures };
}

async function measure(
  store: ExperienceStore,
  caller: Caller,
  { prior, changes, without, ...shown }: Candidate & { readonly without: Without },
): Promise<Suggestion> {
  const { uses, isApproved, totals } = await store.record(caller, shown.fixId, maxUses);
  const outcomes = uses.map(({ isCured }) => isCured);
  const cured = uses.find(({ isCured }) => isCured);
  return {
    ...shown,
    ...(changes && { changes: [...changes] }),
    cureRate: cureRate(outcomes, prior),
    uses: totals.uses,
    cures: totals.cures,
    lastCuredAt: cured ? new Date(cured.atMs).toISOString() : null,
    without,
    isApproved,
    isDemoted: isDemoted(outcomes, prior, without),
  };
}

/** Uses of a fix, the latest first: whether the next attempt succeeded. */
type Uses = readonly boolean[];

/** What is believed before anything was seen: as if it had been used `weight` times and cured `mean` of them. */
interface Prior {
  readonly mean: number;
  readonly weight: number;
}

/** A use counts this much of the one after it, so that what stops working loses its rate. */
const recency = 0.93;
const missesToDemote = 3;
/** Attempts without any change that a comparison needs. */
const minCompared = 5;

/** The mean of the Beta posterior: the chance that the next use cures. */
export function cureRate(uses: Uses, prior: Prior): number {
  let cured = prior.mean * prior.weight;
  let all = prior.weight;
  let weight = 1;
  for (const isCured of uses) {
    if (isCured) cured += weight;
    all += weight;
    weight *= recency;
  }
  return cured / all;
}

interface Without {
  readonly attempts: number;
  readonly successes: number;
}

/** It failed several times in a row, or attempts with nothing changed succeed as often as those with it. */
export function isDemoted(uses: Uses, prior: Prior, without: Without): boolean {
  const latest = uses.slice(0, missesToDemote);
  if (latest.length === missesToDemote && !latest.includes(true)) return true;
  if (uses.length < missesToDemote || without.attempts < minCompared) return false;
  const unchanged = (without.successes + 1) / (without.attempts + 2);
  return cureRate(uses, prior) <= unchanged;
}
