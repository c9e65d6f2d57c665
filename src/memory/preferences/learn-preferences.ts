import type { Caller } from '../../contract/caller/index.ts';
import type { Memory } from '../../contract/session/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { wordsOf } from '../converse/words.ts';
import { UnknownPreferenceError } from '../errors.ts';
import type { Preference, PreferenceStore } from '../preference-store.ts';
import { preferenceTopics, type PreferenceTopic } from './preference-topics.ts';

/** What a message says about its writer's preferences. */
interface Learned {
  readonly topic: string;
  readonly text: string;
  /** About what preferences do not decide. */
  readonly isRefused?: boolean;
  /** What is not true any more with it: all of a topic, or only what says just this. */
  readonly undoes?: { readonly topic: string; readonly text?: string };
}

const maxMessageLength = 4_000;
const maxClauses = 60;
const maxClauseLength = 200;
const maxObjectLength = 80;
const maxMannerWords = 7;

/** Said of what is at hand, so not for good. */
const forOnce =
  /\b(?:this time|for now|right now|today|just here|(?:for|in|on) (?:this|that|these|it|the current)\b)/i;

/** What follows is to be, or not to be, from then on. */
const wishes: readonly (readonly [pattern: RegExp, kind: 'always' | 'never' | 'prefer'])[] = [
  [/^(?:please )?(?:never|do not ever|don't ever) /i, 'never'],
  [/^(?:please )?always /i, 'always'],
  [/^you (?:should|must) always /i, 'always'],
  [/^you (?:should|must) never /i, 'never'],
  [
    /^(?:from now on|in (?:the )?future|by default),? (?:please )?(?:never|do not|don't) /i,
    'never',
  ],
  [/^(?:from now on|in (?:the )?future|by default),? (?:please )?(?:always )?/i, 'always'],
  [/^(?:i|we) (?:always|usually|normally) (?:use|write|want|work with) /i, 'prefer'],
  [/^(?:i|we) never (?:use|write|want) /i, 'never'],
  [
    /^(?:i|we) (?:really |strongly |much )?prefer (?:to use |to write |using |writing )?/i,
    'prefer',
  ],
  [/^(?:i|we)(?:'d| would) rather (?:use |have |write )?/i, 'prefer'],
  [/^my (?:preference|favou?rite)[\w ]{0,40} is /i, 'prefer'],
];

/** Said of a preference or of a passing mood: they count only of something that is a choice. */
const moods: readonly (readonly [pattern: RegExp, kind: 'never' | 'prefer'])[] = [
  [/^i (?:do not|don't|dislike|hate)(?: really)?(?: like| want| use)? /i, 'never'],
  [/^i (?:really )?(?:like|love|want|use) /i, 'prefer'],
];

/** What may be said along with a choice; `don t` is what is left of "don't". */
const besideChoices: ReadonlySet<string> = new Set(
  'a all and any at better code do don everywhere indent just lot more much my no not only or really so stop t use using very with without write'.split(
    ' ',
  ),
);

/** Approvals, permissions, safety and secrets: settings and the answer to each question decide, never a preference. */
const guarded = [
  /\b(?:approv|confirm|permission|permit|authori[sz]|consent|sandbox|guardrail|credential|password|bypass)/i,
  /\b(?:safety|polic(?:y|ies)|trust|secrets?|(?:api|access|private|ssh)[ -]?(?:keys?|tokens?))\b/i,
  /\b(?:ask|prompt|question|warn|wait for|check with) (?:me|us|before|again|first|anything|for (?:my|any|a) )/i,
  /\b(?:accept|allow|run|execute|apply|delete|do|say yes to) (?:everything|anything|all|every|any)\b/i,
  /\bsay yes\b|\bwithout (?:asking|questions?|previews?|checks?)\b|^ask(?:ing)?$/i,
];

/** Points at something instead of naming it. */
const pointing =
  /^(?:it|this|that|these|those|them|the (?:first|second|third|last|latter|former|other)|option|number|not|mind|neither|both|you)\b/i;

/** Preferences stated in a message, found by rules; code and quotations do not count. */
export function learnPreferences(message: string): readonly Learned[] {
  const learned = new Map<string, Learned>();
  for (const clause of clausesOf(message)) {
    const name = nameIn(clause);
    for (const found of name ? [name] : preferencesIn(clause)) learned.set(found.topic, found);
  }
  return [...learned.values()];
}

function clausesOf(message: string): string[] {
  return message
    .slice(0, maxMessageLength)
    .replaceAll(/```[^`]*(?:```|$)/g, '\n')
    .replaceAll(/^[ \t]*>.*$/gm, '')
    .replaceAll('’', "'")
    .split(/[.!?;](?:\s|$)|\n|, (?:and|but|so) | and (?=i |always |never |please )/i)
    .slice(0, maxClauses)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && clause.length <= maxClauseLength);
}

function nameIn(clause: string): Learned | undefined {
  const asked =
    /\bcall me (?!back|later|when|if|on|at|a |an |the |maybe|again|crazy)(\p{L}[\p{L}'-]{0,39})/iu.exec(
      clause,
    ) ?? /\b[Mm]y name is (\p{L}[\p{L}'-]{0,39})/u.exec(clause);
  const name = asked?.[1];
  return name === undefined ? undefined : { topic: 'name', text: `call the user ${name}` };
}

function preferencesIn(said: string): readonly Learned[] {
  if (forOnce.test(said)) return [];
  // "… from now on" is the same as "From now on …".
  const clause = said.replace(
    /^(.*),? (from now on|in future|in the future|by default)$/i,
    '$2 $1',
  );
  const wish = openingOf(clause, wishes);
  if (wish) {
    const choices = choicesIn(wish.rest, wish.kind !== 'never');
    return choices.length > 0 ? choices : ownWords(wish.rest, wish.kind);
  }
  const mood = openingOf(clause, moods);
  if (!mood) return mannersIn(clause);
  return isJustChoice(mood.rest) ? choicesIn(mood.rest, mood.kind !== 'never') : [];
}

function openingOf<Kind>(
  clause: string,
  openings: readonly (readonly [RegExp, Kind])[],
): { readonly kind: Kind; readonly rest: string } | undefined {
  for (const [pattern, kind] of openings) {
    const found = pattern.exec(clause);
    if (found) return { kind, rest: clause.slice(found[0].length).trim() };
  }
  return undefined;
}

/** "tabs please": short, and about nothing but manners. */
function mannersIn(clause: string): readonly Learned[] {
  const isShort = clause.split(/\s+/).length <= maxMannerWords;
  if (!isShort || !/\bplease\b/i.test(clause)) return [];
  const isNegative = /\b(?:no|don't|do not|stop|without)\b/i.test(clause);
  const words = clause.replace(/,?\s*\bplease\b,?\s*/i, ' ').trim();
  if (!isJustChoice(words)) return [];
  const manners = preferenceTopics.filter(({ isManner }) => isManner === true);
  return choicesIn(words, !isNegative, manners);
}

/** Whether it is a choice and nothing else: "I want a script without tabs" and "remove the tabs" are tasks. */
function isJustChoice(words: string): boolean {
  let rest = spaced(preferredOf(words));
  for (const { choices } of preferenceTopics) {
    for (const written of Object.keys(choices)) rest = rest.replaceAll(` ${written} `, ' • ');
  }
  // Behind a choice may stand what it is for.
  const others = rest.replace(/ • (?:for|in|when) .*$/, '').split(' ');
  return others.every((word) => word === '' || word === '•' || besideChoices.has(word));
}

function choicesIn(
  words: string,
  isLiked: boolean,
  topics: readonly PreferenceTopic[] = preferenceTopics,
): readonly Learned[] {
  const preferred = preferredOf(words);
  const found = topics.flatMap((topic) => firstChoice(preferred, topic) ?? []);
  // In "pytest in Python" the second says where, and is no choice.
  const scopeAt = Math.min(...found.map(({ scopeAt: at }) => at));
  return found.filter(({ at }) => at < scopeAt).map((choice) => learnedOf(choice, isLiked));
}

/** What is preferred stands before what it is preferred to. */
function preferredOf(words: string): string {
  const [preferred = ''] = words.split(/ (?:over|instead of|rather than|not|to|than) /i, 1);
  return preferred;
}

/** Small letters, and each word between two blanks. */
function spaced(words: string): string {
  return ` ${words.toLowerCase().replaceAll(/[,:"'()`]/g, ' ')} `;
}

interface Choice {
  readonly topic: PreferenceTopic;
  readonly choice: string;
  readonly at: number;
  /** `for scripts`; empty where it is for everything. */
  readonly scope: string;
  readonly scopeAt: number;
}

function firstChoice(words: string, topic: PreferenceTopic): Choice | undefined {
  const lower = spaced(words);
  for (const [written, choice] of Object.entries(topic.choices)) {
    const at = lower.indexOf(` ${written} `);
    if (at < 0) continue;
    const end = at + written.length;
    const scope =
      /^(?:for|in|when|with) [\w +#.-]{1,40}$/i.exec(words.slice(end).trim())?.[0] ?? '';
    return { topic, choice, at, scope, scopeAt: scope === '' ? Infinity : end };
  }
  return undefined;
}

function learnedOf({ topic, choice, scope }: Choice, isLiked: boolean): Learned {
  const group = topic.groups?.[choice];
  const where = scope === '' ? '' : ` ${scope.toLowerCase()}`;
  const about = `${topic.name}${group === undefined ? '' : ` of ${group}`}${where}`;
  const against = `${about}: not ${choice}`;
  const liked = `${topic.liked.replace('$', choice)}${where}`;
  const disliked = `${topic.disliked.replace('$', choice)}${where}`;
  return isLiked
    ? { topic: about, text: liked, undoes: { topic: against } }
    : { topic: against, text: disliked, undoes: { topic: about, text: liked } };
}

/** What no table knows, as it was said: "always add type hints". */
function ownWords(rest: string, kind: 'always' | 'never' | 'prefer'): readonly Learned[] {
  const object = rest.replace(/\s+please$/i, '').replaceAll(/\s+/g, ' ');
  const [verb = ''] = object.split(' ', 1);
  // "Always crashes" complains, and asks for nothing.
  const isComplaint = kind !== 'prefer' && /[^s]s$/i.test(verb);
  if (object.length > maxObjectLength || pointing.test(object) || isComplaint) return [];
  const words = [...new Set(wordsOf(object))];
  if (words.length === 0) return [];
  const text = kind === 'prefer' ? `prefers ${object}` : `${kind} ${object}`;
  const isRefused = guarded.some((pattern) => pattern.test(object));
  return [{ topic: `other: ${words.toSorted().join(' ')}`, text, ...(isRefused && { isRefused }) }];
}

interface PreferencesParts {
  readonly store: PreferenceStore;
  readonly clock: Clock;
  readonly maxPreferences: number;
}

/** What callers like, gathered from what they say. */
interface Preferences extends Pick<Memory, 'learn' | 'forget'> {
  /** The latest learned first. */
  list(caller: Caller): Promise<readonly string[]>;
}

export function createPreferences({ store, clock, maxPreferences }: PreferencesParts): Preferences {
  return {
    async learn(caller, message) {
      const found = learnPreferences(message);
      const refused = found.filter(({ isRefused }) => isRefused).map(({ text }) => text);
      const all = found.filter(({ isRefused }) => !isRefused);
      if (all.length === 0) return { learned: [], refused };
      const known = await store.list(caller);
      const fresh = all.filter(({ topic, text }) => !known.some(is({ topic, text })));
      for (const learned of fresh) {
        await undo(store, caller, { learned, known });
        const { topic, text } = learned;
        const learnedAt = new Date(clock.now()).toISOString();
        await store.put(caller, { topic, text, learnedAt }, maxPreferences);
      }
      return { learned: fresh.map(({ text }) => text), refused };
    },
    list: async (caller) => (await store.list(caller)).map(({ text }) => text),
    async forget(caller, preference) {
      const known = await store.list(caller);
      const found = findPreference(preference, known);
      if (!found || !(await store.remove(caller, found.topic))) {
        throw new UnknownPreferenceError(
          preference,
          known.map(({ text }) => text),
        );
      }
    },
  };
}

/** By its text, by the sentence it was learned from, else by words that only one of them has. */
function findPreference(said: string, known: readonly Preference[]): Preference | undefined {
  const wanted = said.trim().toLowerCase();
  const topics = learnPreferences(said).map(({ topic }) => topic);
  const words = wordsOf(wanted.slice(0, maxClauseLength));
  const like = known.filter(({ text }) => words.every((word) => wordsOf(text).includes(word)));
  const exact = known.find(({ text, topic }) => text === wanted || topics.includes(topic));
  return exact ?? (words.length > 0 && like.length === 1 ? like[0] : undefined);
}

async function undo(
  store: PreferenceStore,
  caller: Caller,
  { learned, known }: { readonly learned: Learned; readonly known: readonly Preference[] },
): Promise<void> {
  const { undoes } = learned;
  if (undoes && known.some(is(undoes))) await store.remove(caller, undoes.topic);
}

function is(wanted: { readonly topic: string; readonly text?: string }) {
  return ({ topic, text }: Preference): boolean =>
    topic === wanted.topic && (wanted.text === undefined || text === wanted.text);
}
