import { localCaller } from '../../../src/contract/caller/index.ts';
import type {
  Experience,
  FailedAttempt,
  Suggestion,
} from '../../../src/contract/experience/index.ts';
import { seededRandom } from '../../../testkit/sample.ts';

/** What a program really said when it was broken; see scripts/break-targets.ts. */
export interface CapturedFailure {
  readonly family: string;
  readonly variant: number;
  readonly exitCode: number;
  readonly output: string;
}

export interface MonthOptions {
  readonly seed: number;
  readonly failures: readonly CapturedFailure[];
  /** How the person at work chooses what to try: at random, or as the experience suggests. */
  readonly helper: Experience | undefined;
  /** False: suggestions are followed, and nothing is recorded. */
  readonly isLearning: boolean;
  readonly setTime: (ms: number) => void;
  readonly incidentsPerDay: number;
  /** Causes that come back during the month. */
  readonly causes: number;
}

export interface MonthResult {
  readonly incidents: number;
  /** Attempts that failed as the one before them, because what was tried did not help. */
  readonly repeated: number;
  /** Of what was tried: the cure rate that was shown, and whether it cured. */
  readonly shown: readonly { readonly rate: number; readonly isCured: boolean }[];
}

const days = 30;
/** After this day some cures stop working: an update of a program. */
const driftDay = 15;
const driftShare = 0.15;
/** Even the right cure fails now and then. */
const reliability = 0.95;
/** What helps in this world: how often the first, second and third cure of a family, or other arguments. */
const cureShares = [0.5, 0.2, 0.1, 0.2];
const maxTries = 12;
const dayMs = 86_400_000;
const startMs = Date.parse('2026-03-01T08:00:00Z');

/** A cause that comes back during the month, with the one action that cures it. */
interface Cause {
  readonly captured: CapturedFailure;
  readonly target: string;
  cure: number;
}

/**
 * A seeded month of work: failures that really happened come back, and someone tries to cure them. The world knows
 * which action cures which cause; the one at work does not.
 */
export async function monthOfWork(options: MonthOptions): Promise<MonthResult> {
  const random = seededRandom(options.seed);
  const world = makeCauses(options, random);
  const result = { incidents: 0, repeated: 0, shown: [] as { rate: number; isCured: boolean }[] };
  for (let day = 0; day < days; day += 1) {
    if (day === driftDay) for (const cause of world) drift(cause, random);
    for (let count = 0; count < options.incidentsPerDay; count += 1) {
      options.setTime(startMs + day * dayMs + count * 600_000);
      // Some causes come back much more often than others.
      const cause = world[Math.floor(random() ** 2 * world.length)];
      if (cause === undefined) continue;
      result.incidents += 1;
      await workThrough(cause, { options, random, result });
    }
  }
  return result;
}

interface Work {
  readonly options: MonthOptions;
  readonly random: () => number;
  readonly result: { repeated: number; shown: { rate: number; isCured: boolean }[] };
}

async function workThrough(cause: Cause, { options, random, result }: Work): Promise<void> {
  const { helper, isLearning } = options;
  const tried = new Set<number>();
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const failed = failedAttempt(cause);
    if (isLearning && attempt === 0) helper?.failed(localCaller, failed);
    const suggestion = helper && (await chooseSuggested(helper, cause, tried));
    const action = suggestion ? actionOf(suggestion, cause) : randomAction(random, tried);
    tried.add(action);
    const isCured = action === cause.cure && random() < reliability;
    if (suggestion) result.shown.push({ rate: suggestion.cureRate, isCured });
    if (helper && isLearning) await tell(helper, cause, { suggestion, action, isCured });
    if (isCured) return;
    result.repeated += 1;
  }
}

/** The best suggestion that was not tried yet; those of other families are actions that cure nothing here. */
async function chooseSuggested(
  helper: Experience,
  cause: Cause,
  tried: ReadonlySet<number>,
): Promise<Suggestion | undefined> {
  const { output: text, exitCode } = cause.captured;
  const { suggestions } = await helper.explain(localCaller, { kind: 'text', text, exitCode });
  return suggestions.find((one) => !tried.has(actionOf(one, cause)));
}

const otherArguments = 3;
const noCure = 4;
const actions = 8;

function actionOf(suggestion: Suggestion, { captured }: Cause): number {
  if (suggestion.origin === 'learned') return otherArguments;
  const [, family, number] = suggestion.fixId.split(':');
  return family === captured.family ? Number(number) - 1 : noCure + Number(number);
}

function randomAction(random: () => number, tried: ReadonlySet<number>): number {
  const left = Array.from({ length: actions }, (_, action) => action).filter(
    (it) => !tried.has(it),
  );
  return left[Math.floor(random() * left.length)] ?? 0;
}

async function tell(
  helper: Experience,
  cause: Cause,
  {
    suggestion,
    action,
    isCured,
  }: { suggestion: Suggestion | undefined; action: number; isCured: boolean },
): Promise<void> {
  if (suggestion?.origin === 'shipped') {
    await helper.recordOutcome(localCaller, { fixId: suggestion.fixId, isCured });
  }
  const isChanged = action === otherArguments;
  const { error: _error, ...attempt } = failedAttempt(cause, isChanged ? 'other' : 'usual');
  if (isCured) helper.succeeded(localCaller, attempt);
  else if (isChanged) helper.failed(localCaller, failedAttempt(cause, 'other'));
  await helper.flush();
}

function failedAttempt({ captured, target }: Cause, mode = 'usual'): FailedAttempt {
  return {
    kind: 'program',
    subject: target,
    target,
    arguments: { mode },
    surroundings: {},
    error: { code: '', message: captured.output, details: {} },
    exitCode: captured.exitCode,
  };
}

function makeCauses({ failures, causes }: MonthOptions, random: () => number): Cause[] {
  const families = [...new Set(failures.map(({ family }) => family))];
  return Array.from({ length: causes }, (_, index) => {
    const family = families[Math.floor(random() * families.length)];
    const ofFamily = failures.filter((one) => one.family === family);
    const captured = ofFamily[Math.floor(random() * ofFamily.length)];
    if (captured === undefined) throw new Error('There are no failures to work with');
    return { captured, target: `cause ${index}`, cure: drawCure(random) };
  });
}

function drift(cause: Cause, random: () => number): void {
  if (random() < driftShare) cause.cure = (cause.cure + 1 + Math.floor(random() * 3)) % 4;
}

function drawCure(random: () => number): number {
  let left = random();
  return Math.max(
    0,
    cureShares.findIndex((share) => (left -= share) < 0),
  );
}
