import type { Caller } from '../../contract/caller/index.ts';
import type {
  LearnedPreferences,
  Preference,
  PreferenceSetting,
} from '../../contract/preference/index.ts';
import type { Memory } from '../../contract/session/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { wordsOf } from '../converse/words.ts';
import { UnknownPreferenceError } from '../errors.ts';
import type { PreferenceChange, PreferenceStore, StoredPreference } from '../preference-store.ts';
import { learnPreferences, statesOnlyPreferences, type Learned } from './learn-preferences.ts';
import { observeEdit } from './observe-edit.ts';

interface PreferencesParts {
  readonly store: PreferenceStore;
  readonly clock: Clock;
  /** Of one caller, those that hold and those that are suggested. */
  readonly maxPreferences: number;
  /** Of one caller, those that were superseded or rejected. */
  readonly maxPastPreferences: number;
}

const maxSaidLength = 200;

/**
 * What callers prefer, gathered from what they say, correct and change.
 *
 * 1. One is active for each topic and project: a newer one makes the older one past, and nothing is overwritten.
 * 2. Only the user's own words make one active. What a file shows is suggested, in words of our table alone.
 * 3. What is forgotten is gone with its past.
 */
export function createPreferences(
  parts: PreferencesParts,
): Pick<Memory, 'learn' | 'observe' | 'preferences' | 'settle' | 'forget'> {
  return {
    learn: (...given) => learn(parts, ...given),
    observe: (...given) => observe(parts, ...given),
    preferences: async (caller) =>
      (await parts.store.list(caller)).map(({ preference }) => preference),
    settle: (...given) => settle(parts, ...given),
    forget: (...given) => forget(parts, ...given),
  };
}

async function learn(
  parts: PreferencesParts,
  ...[caller, message, setting = {}]: Parameters<Memory['learn']>
): Promise<LearnedPreferences> {
  const reading = {
    hasProject: setting.project !== undefined,
    isReply: setting.isReply === true,
  };
  const found = learnPreferences(message, reading);
  const refused = found.filter(({ isRefused }) => isRefused).map(({ text }) => text);
  const told: Record<'learned' | 'suggested' | 'replaced' | 'known', string[]> = {
    learned: [],
    suggested: [],
    replaced: [],
    known: [],
  };
  for (const one of found.filter(({ isRefused }) => !isRefused)) {
    const kept = await parts.store.list(caller);
    const learned = preferenceOf(one, { setting, at: nowIn(parts), kept });
    if (kept.some(({ preference }) => isSaid(preference, learned))) {
      told.known.push(learned.text);
      continue;
    }
    const { change, ended } = supersede(kept, learned, one.undoes);
    await write(parts, caller, change);
    told[learned.state === 'active' ? 'learned' : 'suggested'].push(learned.text);
    told.replaced.push(...ended);
  }
  const isCorrection =
    found.length > 0 && found.every(({ correction }) => correction !== undefined);
  return { ...told, isAll: statesOnlyPreferences(message, reading), isCorrection, refused };
}

async function observe(
  parts: PreferencesParts,
  ...[caller, edit, setting = {}]: Parameters<Memory['observe']>
): Promise<readonly Preference[]> {
  const suggestions: Preference[] = [];
  for (const { topic, text, choice, language, evidence } of observeEdit(edit)) {
    const kept = await parts.store.list(caller);
    // What holds already, was suggested before or was rejected is not suggested again.
    const isKnown = kept.some(
      ({ preference: one }) => one.topic === topic && one.text === text && one.state !== 'past',
    );
    if (isKnown) continue;
    const suggested: Preference = {
      topic,
      text,
      ...(choice && { choice }),
      ...(language !== undefined && { language }),
      learnedAt: nowIn(parts),
      origin: 'edit',
      evidence,
      ...(setting.source && { source: setting.source }),
      state: 'suggested',
    };
    await write(parts, caller, supersede(kept, suggested).change);
    suggestions.push(suggested);
  }
  return suggestions;
}

async function settle(
  parts: PreferencesParts,
  ...[caller, preferences, verdict]: Parameters<Memory['settle']>
): Promise<void> {
  for (const meant of preferences) {
    const kept = await parts.store.list(caller);
    const found = kept.find(({ preference }) => isSaid(preference, meant));
    const settled = found && settledOf(found.preference, verdict, nowIn(parts));
    if (!settled || settled === found.preference) continue;
    const others = kept.filter((one) => one !== found);
    const { update = [], remove = [] } = supersede(others, settled).change;
    await write(parts, caller, {
      update: [...update, { id: found.id, preference: settled }],
      remove,
    });
  }
}

async function forget(
  { store }: PreferencesParts,
  ...[caller, said]: Parameters<Memory['forget']>
): Promise<readonly string[]> {
  const kept = await store.list(caller);
  const known = kept.map(({ preference }) => preference).filter(({ state }) => isHeld(state));
  const found = findPreference(said, known);
  if (!found) {
    const texts = known.map(({ text }) => text);
    throw new UnknownPreferenceError(said, texts);
  }
  const gone = kept.filter(({ preference }) => isOfTopic(preference, found));
  await store.write(caller, { remove: gone.map(({ id }) => id) });
  return [...new Set(gone.map(({ preference }) => preference.text))];
}

function nowIn({ clock }: PreferencesParts): string {
  return new Date(clock.now()).toISOString();
}

async function write(
  parts: PreferencesParts,
  caller: Caller,
  change: PreferenceChange,
): Promise<void> {
  await parts.store.write(caller, change);
  const excess = beyondLimits(await parts.store.list(caller), parts);
  if (excess.length > 0) await parts.store.write(caller, { remove: excess });
}

function preferenceOf(
  { topic, text, choice, language, evidence, isOfProject, correction }: Learned,
  given: {
    readonly setting: PreferenceSetting;
    readonly at: string;
    readonly kept: readonly StoredPreference[];
  },
): Preference {
  const { setting, at, kept } = given;
  const corrected = correction === undefined ? undefined : heldHere({ choice, language }, given);
  // What is corrected a second time is meant for good.
  const isAgain = kept.some(
    ({ preference }) => preference.state === 'suggested' && preference.text === text,
  );
  const only = corrected?.language ?? language;
  const project = isOfProject ? setting.project : corrected?.project;
  return {
    topic: corrected?.topic ?? topic,
    text:
      corrected?.language === undefined || language !== undefined
        ? text
        : `${text} in ${corrected.language}`,
    ...(choice && { choice }),
    ...(only !== undefined && { language: only }),
    ...(project !== undefined && { project }),
    learnedAt: at,
    origin: correction === undefined ? 'statement' : 'correction',
    evidence: evidence.slice(0, maxSaidLength),
    ...(setting.source && { source: setting.source }),
    state: correction === 'task' && !isAgain ? 'suggested' : 'active',
  };
}

/** The preference that decides here what a correction is about: it takes its scope over. */
function heldHere(
  { choice, language }: Pick<Preference, 'choice' | 'language'>,
  {
    setting,
    kept,
  }: { readonly setting: PreferenceSetting; readonly kept: readonly StoredPreference[] },
): Preference | undefined {
  const rankOf = (one: Preference): number =>
    (one.project === undefined ? 0 : 2) + (one.language === undefined ? 0 : 1);
  return kept
    .map(({ preference }) => preference)
    .filter(
      (one) =>
        one.state === 'active' &&
        one.choice?.of === choice?.of &&
        (language === undefined || one.language === language) &&
        (one.project === undefined || one.project === setting.project),
    )
    .toSorted((a, b) => rankOf(b) - rankOf(a))[0];
}

/** The change that stores one and makes past what it contradicts; a suggestion contradicts only suggestions. */
function supersede(
  kept: readonly StoredPreference[],
  preference: Preference,
  undoes?: Learned['undoes'],
): { readonly change: PreferenceChange; readonly ended: readonly string[] } {
  const same = kept.filter(({ preference: one }) => isOfTopic(one, preference));
  const opposite = kept.filter(
    ({ preference: one }) =>
      undoes !== undefined &&
      isOfTopic(one, { ...preference, topic: undoes.topic }) &&
      (undoes.text === undefined || undoes.text === one.text),
  );
  const isActive = preference.state === 'active';
  const past = [...same, ...opposite].filter(
    ({ preference: { state } }) => isActive && state === 'active',
  );
  const suggested = same.filter(({ preference: { state } }) => state === 'suggested');
  const update = past.map(({ id, preference: one }) => ({
    id,
    preference: { ...one, state: 'past' as const, endedAt: preference.learnedAt },
  }));
  return {
    change: { add: [preference], update, remove: suggested.map(({ id }) => id) },
    ended: past.map(({ preference: { text } }) => text),
  };
}

function settledOf(one: Preference, verdict: 'accepted' | 'rejected', at: string): Preference {
  if (verdict === 'rejected')
    return one.state === 'suggested' ? { ...one, state: 'rejected' } : one;
  return one.acceptedAt === undefined ? { ...one, state: 'active', acceptedAt: at } : one;
}

function isHeld(state: Preference['state']): boolean {
  return state === 'active' || state === 'suggested';
}

function isOfTopic(one: Preference, other: Pick<Preference, 'topic' | 'project'>): boolean {
  return one.topic === other.topic && one.project === other.project;
}

/** Said before, and still so. */
function isSaid(one: Preference, other: Preference): boolean {
  return (
    isHeld(one.state) &&
    isOfTopic(one, other) &&
    one.text === other.text &&
    one.state === other.state
  );
}

/** Ids of the oldest, as far as there are more than may be. */
function beyondLimits(
  kept: readonly StoredPreference[],
  { maxPreferences, maxPastPreferences }: PreferencesParts,
): readonly number[] {
  const held = kept.filter(({ preference }) => isHeld(preference.state));
  const past = kept.filter(({ preference }) => !isHeld(preference.state));
  return [...held.slice(maxPreferences), ...past.slice(maxPastPreferences)].map(({ id }) => id);
}

/** By its text, by the sentence it was learned from, else by words that only one of them has. */
function findPreference(said: string, known: readonly Preference[]): Preference | undefined {
  const wanted = said.trim().toLowerCase();
  const topics = learnPreferences(said, { hasProject: true }).map(({ topic }) => topic);
  const words = wordsOf(wanted.slice(0, maxSaidLength));
  const like = known.filter(({ text }) => words.every((word) => wordsOf(text).includes(word)));
  const exact = known.find(({ text, topic }) => text === wanted || topics.includes(topic));
  return exact ?? (words.length > 0 && like.length === 1 ? like[0] : undefined);
}
