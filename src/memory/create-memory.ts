import type { Caller } from '../contract/caller/index.ts';
import type { ConversationRequest, Memory } from '../contract/session/index.ts';
import {
  countTokens as usualCount,
  noFaults,
  systemTimers,
  type FaultPoint,
  type Log,
  type Timers,
} from '../kernel/index.ts';
import { converse } from './converse/converse.ts';
import { createRecall, type Embed } from './converse/recall.ts';
import { createSummarizer } from './converse/summarize-turns.ts';
import type { CountTokens } from './converse/token-budget.ts';
import { defaultMemoryLimits, type MemoryLimits } from './memory-limits.ts';
import type { PreferenceStore } from './preference-store.ts';
import { createPreferences } from './preferences/create-preferences.ts';
import type { SessionStore } from './session-store.ts';
import { createSessions } from './sessions/create-sessions.ts';
import { SessionMirror } from './sessions/session-mirror.ts';

export interface MemoryOptions {
  readonly sessions: SessionStore;
  readonly preferences: PreferenceStore;
  /** Where sessions are written as JSON files, too, where `isMirrored`. */
  readonly directory: string;
  readonly isMirrored: boolean;
  readonly log: Log;
  /** The folder that new sessions belong to; without it they belong to none. */
  readonly place?: (() => Promise<string>) | undefined;
  /** As the model counts; an estimate that is rather too high where it is not given. */
  readonly countTokens?: CountTokens | undefined;
  /** Finds what was said in other words; without it the words themselves must come up again. */
  readonly embed?: Embed | undefined;
  /** How long `embed` is waited for. */
  readonly embedPatienceMs?: number;
  /** Called when a message is answered: there are turns since the last time. */
  readonly onConverse?: (() => void) | undefined;
  /** Facts and decisions of the caller that a message asks about. */
  readonly facts?: ((request: ConversationRequest) => Promise<readonly string[]>) | undefined;
  readonly limits?: Partial<MemoryLimits>;
  readonly timers?: Timers;
  readonly faultPoint?: FaultPoint;
}

export interface RedactableMemory extends Memory {
  /** Removes the words of turns for good; throws `memory.session_busy` where another process writes in the session. */
  redactTurns(caller: Caller, session: string, turns: readonly number[]): Promise<void>;
}

const usualPatienceMs = 3_000;

/** Sessions, preferences, and what of them goes before a model. Touches no file until it is used. */
export function createMemory(options: MemoryOptions): RedactableMemory {
  const { log, countTokens = usualCount, embed, embedPatienceMs = usualPatienceMs } = options;
  const { timers = systemTimers, faultPoint: reach = noFaults } = options;
  const limits = { ...defaultMemoryLimits, ...options.limits };
  const mirror = new SessionMirror({
    directory: options.directory,
    isOn: options.isMirrored,
    log,
    timers,
    reach,
  });
  const sessions = createSessions({
    store: options.sessions,
    place: options.place,
    mirror,
    limits,
    timers,
    log,
    reach,
  });
  const preferences = createPreferences({
    store: options.preferences,
    clock: timers,
    maxPreferences: limits.maxPreferences,
    maxPastPreferences: limits.maxPastPreferences,
  });
  const recall = createRecall({ embed, patienceMs: embedPatienceMs, log });
  const summarize = createSummarizer(countTokens);
  return {
    sessions,
    converse: async (request) => {
      options.onConverse?.();
      const held = await preferences.preferences(request.caller);
      const liked = held.filter(({ state }) => state === 'active').map(({ text }) => text);
      const facts = (await options.facts?.(request)) ?? [];
      const known = facts.map((text) => `told before: ${text}`);
      return converse(request, [...liked, ...known], { countTokens, recall, summarize });
    },
    ...preferences,
    redactTurns: (caller, session, turns) => sessions.redact(caller, session, turns),
    close: () => sessions.close(),
  };
}
