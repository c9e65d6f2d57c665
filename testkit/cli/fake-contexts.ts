import type { Context, Contexts, ContextVersion } from '../../src/contract/context/index.ts';
import type { Feedback, FeedbackEntry, LearnedWeek } from '../../src/contract/feedback/index.ts';
import { AppError } from '../../src/kernel/index.ts';

const id = `ctx-${'ab'.repeat(32)}`;

const context: Context = {
  version: 1,
  name: 'notes',
  parent: null,
  items: [{ kind: 'text', title: 'rule', text: 'Use tabs.' }],
};

export const aContextVersion: ContextVersion = {
  id,
  name: 'notes',
  number: 1,
  parent: null,
  owner: 'local',
  createdAt: '2026-01-01T00:00:00.000Z',
  items: 1,
  bytes: 90,
  tokens: 3,
};

class UnknownContextError extends AppError {
  readonly code = 'memory.unknown_context';
}

/** One context, `notes`, that never changes. */
export function createFakeContexts(): Contexts {
  const shares = new Set<string>();
  const find = (ref: string): ContextVersion => {
    if (ref === 'notes' || id.startsWith(ref)) return aContextVersion;
    throw new UnknownContextError(`There is no context "${ref}"`);
  };
  const packed = [{ title: 'rule', tokens: 3, isCut: false }];
  return {
    create: async (_caller, { name }) => ({ ...aContextVersion, name }),
    list: async (_caller, { limit }) => [aContextVersion].slice(0, limit),
    history: async (_caller, ref, { after }) => (after === undefined ? [find(ref)] : []),
    show: async (_caller, ref) => ({ ...find(ref), context }),
    diff: async (_caller, from, to) => ({
      from: find(from).id,
      to: find(to).id,
      isSame: true,
      unchanged: 1,
      changes: [],
    }),
    pack: async (_caller, ref, { maxTokens = 4_000 } = {}) => {
      const counts = { tokens: 3, maxTokens, packed, leftOut: [], hiddenSecrets: 0 };
      return { id: find(ref).id, text: 'Use tabs.', ...counts };
    },
    export: async (_caller, ref) => {
      find(ref);
      return { texts: [JSON.stringify(context)], nextOffset: null, total: 1 };
    },
    import: async (_caller, texts) => ({ added: texts.length, known: 0, latest: aContextVersion }),
    share: async (_caller, name, sharedWith) => {
      find(name);
      return [...shares.add(sharedWith)];
    },
    unshare: async (_caller, name, sharedWith) => {
      find(name);
      shares.delete(sharedWith);
      return [...shares];
    },
    sharedWith: async (_caller, name) => {
      find(name);
      return [...shares];
    },
    remove: async (_caller, ref) => (find(ref) ? 1 : 0),
  };
}

const aWeek: LearnedWeek = {
  week: '2026-W47',
  from: '2026-11-16',
  runs: 8,
  failures: 2,
  repeatedFailures: 1,
  curedFailures: null,
  recoveries: 1,
  medianSecondsToSuccess: 75,
  up: 3,
  down: 1,
  acceptedChanges: 4,
  rejectedChanges: 1,
};

/** Feedback in memory, and one week of work. */
export function createFakeFeedback(): Feedback {
  const given: FeedbackEntry[] = [];
  return {
    give: async (_caller, { about, isGood, reason = '' }) => {
      const [runId, sessionId] = 'run' in about ? [about.run, null] : [null, about.session];
      const subject = runId === null ? `turn:${sessionId}#2` : `run:${runId}`;
      const givenAt = '2026-01-01T00:00:00.000Z';
      const entry = {
        kind: 'opinion',
        subject,
        isGood,
        runId,
        sessionId,
        reason,
        givenAt,
      } as const;
      given.push(entry);
      return entry;
    },
    notice: async () => {},
    list: async (_caller, { limit }) => given.toReversed().slice(0, limit),
    learned: async () => ({
      weeks: [aWeek],
      countedRuns: 8,
      isComplete: true,
      failuresFrom: 'runs',
    }),
  };
}
