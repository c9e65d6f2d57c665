import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import type { Attempt, Change, FailedAttempt } from '../../contract/experience/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { type Clock, cutMiddle, type Log, recordOf } from '../../kernel/index.ts';
import type { ExperienceStore, LearnedFix, StoredFailure } from './experience-store.ts';
import { matchKnown, readKnownFailures } from './known-failures.ts';
import { normaliseError } from './normalise-error.ts';
import { unchangedFix } from './rank-fixes.ts';

export interface RecorderParts {
  readonly store: ExperienceStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Hides secrets in what is kept. */
  readonly redact: (text: string) => string;
  readonly limits: ExperienceLimits;
}

export interface ExperienceLimits {
  /** Of one caller. */
  readonly maxFailures: number;
  /** Attempts that wait to be recorded; further ones are dropped. */
  readonly maxPending: number;
  /** Learned fixes of one caller. */
  readonly maxFixes: number;
  /** Uses of one fix that are counted. */
  readonly maxUses: number;
  readonly maxMessageLength: number;
  /** Of the arguments of an attempt, as JSON. */
  readonly maxArgumentsLength: number;
  /** Targets with open failures that successes are compared with. */
  readonly maxOpenTargets: number;
  /** How long what is known about them counts; other processes add to them. */
  readonly openTargetsMs: number;
}

export const defaultExperienceLimits: ExperienceLimits = {
  maxFailures: 10_000,
  maxPending: 1_000,
  maxFixes: 2_000,
  maxUses: 1_000,
  maxMessageLength: 4_000,
  maxArgumentsLength: 16_000,
  maxOpenTargets: 1_000,
  openTargetsMs: 1_000,
};

const idLength = 12;
/** Earlier failures of a target that a later attempt may have cured. */
const maxOpen = 20;

/**
 * Records attempts behind what makes them: nothing waits for it, and nothing fails because of it. Attempts are
 * recorded in the order they were reported; where too many wait, further ones are dropped.
 */
export class AttemptRecorder {
  readonly #parts: RecorderParts;
  readonly #open: ReturnType<typeof openTargets>;
  #pending = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#open = openTargets(parts.store, parts.clock, parts.limits);
  }

  failed(caller: Caller, attempt: FailedAttempt): void {
    const atMs = this.#parts.clock.now();
    this.#enqueue(() => this.#recordFailure(caller, attempt, atMs));
  }

  succeeded(caller: Caller, attempt: Attempt): void {
    const atMs = this.#parts.clock.now();
    this.#enqueue(() => this.#recordSuccess(caller, attempt, atMs));
  }

  /** What cures the failure later counts as cured by a suggestion. */
  suggested(caller: Caller, failureId: string, fixIds: readonly string[]): void {
    if (fixIds.length === 0) return;
    this.#enqueue(() => this.#parts.store.noteSuggested(caller, failureId, fixIds));
  }

  /** Settles when everything that was reported so far is recorded. */
  flush(): Promise<void> {
    return this.#last;
  }

  /** All open failures of the target are cured. */
  async settle(
    caller: Caller,
    target: string,
    cure: { readonly fixId: string; readonly atMs: number },
  ): Promise<void> {
    const at = new Date(cure.atMs).toISOString();
    await this.#parts.store.settle(caller, target, { fixId: cure.fixId, at });
    this.#open.remove(caller, target);
  }

  #enqueue(work: () => Promise<void>): void {
    const { log, limits } = this.#parts;
    if (this.#pending >= limits.maxPending) {
      log.warn('experience queue is full', { pending: this.#pending });
      return;
    }
    this.#pending += 1;
    this.#last = this.#last
      .then(work)
      .catch((error: unknown) => log.warn('failed to record experience', { error }))
      .finally(() => {
        this.#pending -= 1;
      });
  }

  async #recordFailure(caller: Caller, attempt: FailedAttempt, atMs: number): Promise<void> {
    const { store, limits } = this.#parts;
    const failure = await toFailure(attempt, this.#parts, atMs);
    const { target, subject } = failure;
    const before = firstOfKind(await store.open(caller, target, maxOpen));
    if (before?.signature === failure.signature) {
      const later = failure.attempt;
      await noteUse(this.#parts, caller, { failure: before, later, subject, atMs, isCured: false });
    }
    await store.addFailure(caller, failure, limits.maxFailures);
    this.#open.add(caller, target);
  }

  async #recordSuccess(caller: Caller, attempt: Attempt, atMs: number): Promise<void> {
    const { store } = this.#parts;
    const { subject } = attempt;
    const target = keyOf(attempt, this.#parts);
    if (!(await this.#open.has(caller, target))) return;
    const failure = firstOfKind(await store.open(caller, target, maxOpen));
    if (failure === undefined) return this.#open.remove(caller, target);
    const later = keptAttempt(attempt, this.#parts);
    const fixId = await noteUse(this.#parts, caller, {
      failure,
      later,
      subject,
      atMs,
      isCured: true,
    });
    await this.settle(caller, target, { fixId, atMs });
  }
}

/** The target within its project: what one key has open is cured by a success of the same key. */
function keyOf({ target, folder }: Attempt, { redact }: Pick<RecorderParts, 'redact'>): string {
  return redact(folder === undefined ? target : `${target} in ${folder}`);
}

/** The first of the failures in a row, which are given latest first: what was wanted before anything was tried. */
function firstOfKind(failures: readonly StoredFailure[]): StoredFailure | undefined {
  const others = failures.findIndex(({ signature }) => signature !== failures[0]?.signature);
  return (others === -1 ? failures : failures.slice(0, others)).at(-1);
}

interface NotedUse {
  readonly failure: StoredFailure;
  readonly later: StoredFailure['attempt'];
  readonly subject: string;
  readonly atMs: number;
  readonly isCured: boolean;
}

/** Counts a later attempt: for what it changed, or, where it changed nothing, for doing nothing. */
async function noteUse(
  { store, limits }: RecorderParts,
  caller: Caller,
  use: NotedUse,
): Promise<string> {
  const { failure, later, subject, atMs, isCured } = use;
  const { signature, target, kind, normalised } = failure;
  const failed = { kind, target, subject: failure.subject, ...failure.attempt };
  const changes = compareAttempts(failed, { kind, target, subject, ...later });
  const fixId = changes.length === 0 ? unchangedFix(signature) : fixIdOf(signature, changes);
  const isNew = changes.length > 0 && (await store.fix(caller, fixId)) === undefined;
  // A change is a fix once it has cured something.
  if (isNew && !isCured) return fixId;
  if (isNew) {
    const fix = { id: fixId, signature, subject: failure.subject, normalised, changes };
    await store.addFix(caller, fix, { atMs, maxFixes: limits.maxFixes });
  }
  await store.addUse(caller, { fixId, failureId: failure.id, atMs, isCured }, limits.maxUses);
  return fixId;
}

function fixIdOf(signature: string, changes: LearnedFix['changes']): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([signature, changes]))
    .digest('hex');
  return `learned:${digest.slice(0, idLength)}`;
}

/** A failed attempt as it is kept. */
export async function toFailure(
  attempt: FailedAttempt,
  parts: RecorderParts,
  atMs: number,
): Promise<StoredFailure> {
  const { kind, subject, folder, error, exitCode, runId, step, traceId } = attempt;
  const message = cutMiddle(parts.redact(error.message), parts.limits.maxMessageLength);
  const facts = { code: error.code, ...(exitCode !== undefined && { exitCode }) };
  const { text, signature } = normaliseError(message, facts);
  const [match] = matchKnown(await readKnownFailures(), { text: message, ...facts });
  return {
    id: randomUUID().replaceAll('-', '').slice(0, idLength),
    at: new Date(atMs).toISOString(),
    kind,
    subject,
    target: keyOf(attempt, parts),
    ...(folder !== undefined && { folder }),
    code: error.code,
    message,
    signature,
    family: match?.known.id ?? null,
    runId: runId ?? null,
    step: step ?? null,
    traceId: traceId ?? null,
    facets: {
      ...attempt.surroundings,
      ...(exitCode !== undefined && { 'exit code': String(exitCode) }),
    },
    curedBy: null,
    curedAt: null,
    normalised: text,
    attempt: keptAttempt(attempt, parts),
  };
}

/** Without secrets, and not larger than allowed: what is too large is distinguished by its length and digest. */
function keptAttempt(
  attempt: Attempt,
  { redact, limits }: RecorderParts,
): StoredFailure['attempt'] {
  const text = redact(JSON.stringify(attempt.arguments));
  const { surroundings } = attempt;
  if (text.length <= limits.maxArgumentsLength) return { arguments: parsed(text), surroundings };
  const members = Object.entries(recordOf(attempt.arguments)).map(([name, value]) => {
    const written = JSON.stringify(value);
    const digest = createHash('sha256').update(written).digest('hex').slice(0, idLength);
    return [name, `${written.length} characters, ${digest}…`] as const;
  });
  return { arguments: Object.fromEntries(members), surroundings };
}

function parsed(text: string): Json {
  try {
    // Was JSON before secrets in it were hidden.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The targets of each caller with failures that are not cured, so that most successes cost nothing. */
function openTargets(store: ExperienceStore, clock: Clock, limits: ExperienceLimits) {
  const known = new Map<string, { targets: Set<string>; untilMs: number }>();
  const of = async (caller: Caller): Promise<Set<string>> => {
    const entry = known.get(caller.id);
    if (entry && clock.now() < entry.untilMs) return entry.targets;
    if (known.size >= limits.maxOpenTargets) known.clear();
    const targets = new Set(await store.openTargets(caller, limits.maxOpenTargets));
    known.set(caller.id, { targets, untilMs: clock.now() + limits.openTargetsMs });
    return targets;
  };
  return {
    has: async (caller: Caller, target: string) => (await of(caller)).has(target),
    add: (caller: Caller, target: string) => void known.get(caller.id)?.targets.add(target),
    remove: (caller: Caller, target: string) => void known.get(caller.id)?.targets.delete(target),
  };
}

/** Values of changes longer than this are cut, and then not applied by themselves. */
export const maxValueLength = 2_000;
const maxChanges = 20;
const cutMark = '…';

/**
 * What a later attempt did differently. The nearest reason counts: where arguments or the tool changed, versions and
 * order are not looked at; empty where only time passed.
 */
export function compareAttempts(failed: Attempt, succeeded: Attempt): readonly Change[] {
  const changes: Change[] = [];
  if (failed.subject !== succeeded.subject) {
    const [before, after] = [failed.subject, succeeded.subject].map((name) => JSON.stringify(name));
    changes.push({ what: 'plan', path: 'tool', before: before ?? '', after: after ?? '' });
  }
  changes.push(...compareValues(failed.arguments, succeeded.arguments));
  if (changes.length > 0) return changes.slice(0, maxChanges);
  const around = compareSurroundings(failed.surroundings, succeeded.surroundings);
  const near = around.filter(({ what }) => what !== 'order');
  return (near.length > 0 ? near : around).slice(0, maxChanges);
}

/** The arguments with the changes made; undefined where they do not fit. */
export function applyChanges(
  args: Readonly<Record<string, Json>>,
  changes: readonly Change[],
): Readonly<Record<string, Json>> | undefined {
  const result: Record<string, Json> = { ...args };
  for (const { what, path, before, after } of changes) {
    if (what !== 'arguments' || after.endsWith(cutMark) || before.endsWith(cutMark))
      return undefined;
    if (shown(result[path]) !== before) return undefined;
    if (after === '') delete result[path];
    // Written by `shown` from JSON.
    else result[path] = JSON.parse(after) as Json;
  }
  return result;
}

function compareValues(failed: Json, succeeded: Json): Change[] {
  const [one, other] = [membersOf(failed), membersOf(succeeded)];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names.flatMap((path) => {
    const [before, after] = [shown(one[path]), shown(other[path])];
    return before === after ? [] : [{ what: 'arguments' as const, path, before, after }];
  });
}

function membersOf(value: Json): Readonly<Record<string, Json>> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? value : { '': value };
}

function shown(value: Json | undefined): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength)}${cutMark}`;
}

const kinds = { order: 'order', version: 'version' } as const;

function compareSurroundings(
  failed: Attempt['surroundings'],
  succeeded: Attempt['surroundings'],
): Change[] {
  const names = [...new Set([...Object.keys(failed), ...Object.keys(succeeded)])].sort();
  return names.flatMap((path) => {
    const [before = '', after = ''] = [failed[path], succeeded[path]];
    if (before === after) return [];
    const [group = ''] = path.split(' ');
    const what = group === 'order' || group === 'version' ? kinds[group] : 'environment';
    return [{ what, path, before: JSON.stringify(before), after: JSON.stringify(after) }];
  });
}
