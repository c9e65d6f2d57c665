import type { AgentParts } from '../agent/ask/index.ts';
import type { Settings } from '../config/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import {
  type Attempt,
  describeExplanation,
  type Experience,
  type FailedAttempt,
  findFailedCall,
  maxFailuresSearched,
} from '../contract/experience/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import { lazy, lazyObject, systemClock, type Log } from '../kernel/index.ts';
import type { ExperienceParts } from '../memory/index.ts';
import { redactText } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import type { Roots } from './roots.ts';
import { surroundingsOf } from './record-attempts.ts';

interface ExperienceHereParts {
  readonly settings: Settings;
  readonly version: string;
  readonly store: Pick<Store, 'experience'>;
  readonly log: Log;
  readonly workflows: () => Pick<Workflows, 'show'>;
  /** The folder that this process works in. */
  readonly roots: Pick<Roots, 'folder'>;
}

/** Longer texts are cut further by what keeps them. */
const maxRedactLength = 100_000;

/** Failures and what cured them; loaded when something failed or is asked. */
export function experienceHere(parts: ExperienceHereParts): Experience {
  const log = parts.log.child({ room: 'experience' });
  const { experience: store } = parts.store;
  const open = lazy(async () => {
    const { createExperience } = await import('../memory/index.ts');
    const clock = systemClock;
    const findRun = runFinder(parts);
    const redact = (text: string): string => redactText(text, maxRedactLength);
    return createExperience({ store, clock, log, redact, findRun });
  });
  const pending = new Set<Promise<void>>();
  const inBackground = (work: Promise<void>): void => {
    const settled = work
      .catch((error: unknown) => log.warn('failed to record experience', { error }))
      .finally(() => pending.delete(settled));
    pending.add(settled);
  };
  const flush = async (): Promise<void> => {
    await Promise.all(pending);
    await (await open.opened())?.flush();
  };
  return lazyObject<Experience>(open, {
    failed: (caller, attempt) =>
      inBackground(placed(attempt).then(async (made) => (await open()).failed(caller, made))),
    succeeded: (caller, attempt) => inBackground(noteSuccess(caller, attempt)),
    flush,
    close: flush,
  });

  /** Most callers have no open failure: then nothing is loaded. */
  async function noteSuccess(caller: Caller, attempt: Attempt): Promise<void> {
    if (open.opened() === undefined && (await store.openTargets(caller, 1)).length === 0) return;
    (await open()).succeeded(caller, await placed(attempt));
  }

  /** Models are the same in all projects. */
  async function placed<Made extends Attempt>(attempt: Made): Promise<Made> {
    return attempt.kind === 'model' ? attempt : { ...attempt, folder: await parts.roots.folder() };
  }
}

/** The whole id of a run, and how it failed, from the run itself. */
function runFinder({
  workflows,
  version,
}: ExperienceHereParts): NonNullable<ExperienceParts['findRun']> {
  return async (caller, { runId: given, step: wanted }) => {
    const { runId, steps, error, traceId, name } = await workflows().show(caller, given);
    const [step, view] =
      Object.entries(steps).find(
        ([path, one]) => one.error && (wanted === undefined || path === wanted),
      ) ?? [];
    const cause = view?.error ?? error;
    if (cause === undefined) return { runId };
    const failure: FailedAttempt = {
      kind: 'step',
      subject: view?.tool ?? name ?? 'run',
      target: `${name ?? runId}/${step ?? ''}`,
      arguments: {},
      surroundings: surroundingsOf(version),
      error: cause,
      runId,
      ...(step !== undefined && { step }),
      ...(traceId !== null && { traceId }),
    };
    return { runId, failure };
  };
}

/** What the agent tells about a run that failed, and about the direct call that failed last in this folder. */
export function explanations(
  experience: Pick<Experience, 'explain' | 'failures'>,
  roots: Pick<Roots, 'folder'>,
): Pick<AgentParts, 'explainRun' | 'explainCall'> {
  return {
    explainRun: async (caller, runId) => {
      const explained = await experience.explain(caller, { kind: 'run', runId });
      return describeExplanation(explained, systemClock.now());
    },
    explainCall: async (caller) => {
      const failures = await experience.failures(caller, maxFailuresSearched);
      const failed = findFailedCall(failures, await roots.folder());
      if (!failed) return undefined;
      const query = { kind: 'failure', id: failed.id } as const;
      const explained = await experience.explain(caller, query);
      return { at: failed.at, text: describeExplanation(explained, systemClock.now()) };
    },
  };
}
