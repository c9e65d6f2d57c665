import type { Preference } from '../../contract/preference/index.ts';
import { wordsOf } from '../converse/words.ts';
import { codeLanguages, preferenceTopics, type PreferenceTopic } from './preference-topics.ts';

/** What a message says about its writer's preferences. */
export interface Learned extends Pick<Preference, 'topic' | 'text' | 'choice' | 'language'> {
  /** The sentence it was read from. */
  readonly evidence: string;
  /** Said of the project at hand alone. */
  readonly isOfProject?: boolean;
  /** Said to correct what was done: a manner for good, what differs from task to task perhaps for once. */
  readonly correction?: 'manner' | 'task';
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
  [
    /^(?:i|we) (?:always|usually|normally) (?:use|write|want|work with|format with|indent with) /i,
    'prefer',
  ],
  [/^(?:i|we) never (?:use|write|want) /i, 'never'],
  [
    /^(?:i|we) (?:really |strongly |much )?prefer (?:to use |to write |using |writing )?/i,
    'prefer',
  ],
  [/^(?:i|we)(?:'d| would) rather (?:use |have |write )?/i, 'prefer'],
  [/^my (?:preference|favou?rite|preferred|default|usual)[\w ]{0,40} is /i, 'prefer'],
  [/^my (?=(?:line|max|column|print|indent)[\w ]{0,30}\d)/i, 'prefer'],
  [/^set my (?:default )?/i, 'prefer'],
];

/** Said of a preference or of a passing mood: they count only of something that is a choice. */
const moods: readonly (readonly [pattern: RegExp, kind: 'never' | 'prefer'])[] = [
  [/^(?:i|we) (?:do not|don't|dislike|hate)(?: really)?(?: like| want| use)? /i, 'never'],
  [/^(?:i|we) (?:really )?(?:like|love|want|use) /i, 'prefer'],
];

/** Said of the project at hand: for good, and only there. */
const ofProject =
  /,? ?\b(?:for|in|on|throughout|across) (?:this|our|the current|the whole) (?:project|repo(?:sitory)?|code ?base|workspace|folder)\b,?/i;

const uses: readonly (readonly [pattern: RegExp, kind: 'never' | 'prefer'])[] = [
  [/^(?:please )?(?:do not|don't) (?:use|write|indent|format) /i, 'never'],
  [
    /^(?:please )?(?:use|write|indent|format|make it|(?:i|we) (?:use|write|indent|have|want|like)) /i,
    'prefer',
  ],
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

interface Reading {
  /** There is a project that "in this project" can mean. */
  readonly hasProject?: boolean;
  /** The message follows a plan or an answer. */
  readonly isReply?: boolean;
}

/** Preferences stated in a message, found by rules; code and quotations do not count. */
export function learnPreferences(message: string, reading: Reading = {}): readonly Learned[] {
  const learned = new Map<string, Learned>();
  const clauses = clausesOf(message);
  for (const [at, clause] of clauses.entries()) {
    // "No! I said tabs" are two.
    const isReply = reading.isReply === true && at === clauses.length - 1 && at <= 1;
    for (const found of readClause(clause, { ...reading, isReply })) {
      learned.set(`${found.topic}${found.isOfProject === true ? ' here' : ''}`, found);
    }
  }
  return [...learned.values()];
}

/** Whether every sentence states a preference, so that nothing is asked for. */
export function statesOnlyPreferences(message: string, reading: Reading): boolean {
  const clauses = clausesOf(message);
  const isStated = (clause: string): boolean =>
    readClause(clause, { ...reading, isReply: false }).length > 0;
  return clauses.length > 0 && clauses.every(isStated);
}

function readClause(clause: string, { hasProject, isReply }: Reading): readonly Learned[] {
  const evidence = { evidence: clause };
  const name = nameIn(clause);
  if (name) return [{ ...name, ...evidence }];
  const isOfProject = hasProject === true && ofProject.test(clause);
  const said = isOfProject
    ? clause.replace(ofProject, ' ').replaceAll(/ {2,}/g, ' ').trim()
    : clause;
  const stated = preferencesIn(scopeLast(said), isOfProject);
  const found = stated.length > 0 || !isReply ? stated : correctionsIn(scopeLast(said));
  // "Tabs please" after a result is about the result, too.
  const asked = isReply && stated.length > 0 && wishing.test(said) && !forGood.test(said);
  return found.map((one) => ({
    ...one,
    ...evidence,
    ...(asked && { correction: 'manner' as const }),
    ...(isOfProject && { isOfProject }),
  }));
}

const wishing = /\bplease\b/i;
const forGood = /\b(?:always|never|prefer|from now on|in (?:the )?future|by default|project)\b/i;

/** "In Python, use tabs" is the same as "use tabs in Python". */
function scopeLast(clause: string): string {
  const [, scope = '', language = '', rest = ''] =
    /^((?:for|in) ([\w+#]{1,20})(?: (?:code|files|projects))?),? (.+)$/i.exec(clause) ?? [];
  return language.toLowerCase() in codeLanguages ? `${rest} ${scope}` : clause;
}

/** "No, use tabs", "tabs instead of spaces", "pytest, not unittest": said to what was shown. */
const objecting =
  /^(?:(?:no|nope|nah|wrong|actually|sorry|hm+|please|i said|i meant|that's wrong|not (?:like )?that)\b[,:;!. -]*)+(?:(?:switch|change (?:it|that|them)) to )?/i;
const contrasting =
  /^not .{2,40}?(?:,| but) |,? (?:and )?not [\w' :]{2,40}$| instead(?: of .*)?$| rather than .*$/i;

/** Words that a correction has beside the choice. */
const besideCorrections: ReadonlySet<string> = new Set(
  'be format formatted i in it make said should that the them to try want wanted wrap'.split(' '),
);

/** What was done is not as the writer wants it. It must be about a choice and nothing else: more is a task. */
function correctionsIn(clause: string): readonly Found[] {
  if (forOnce.test(clause) || !(objecting.test(clause) || contrasting.test(clause))) return [];
  const wanted = clause.replace(objecting, '').replace(contrasting, '').replace(/,$/, '');
  if (!isJustChoice(wanted, besideCorrections)) return [];
  const isNegative = /^(?:no|don't|do not|never|without)\b/i.test(wanted);
  return choicesIn(wanted, !isNegative).map((one) => {
    const topic = preferenceTopics.find(({ name }) => name === one.choice?.of);
    return { ...one, correction: topic?.isManner === true ? 'manner' : 'task' };
  });
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

function nameIn(clause: string): Found | undefined {
  const asked =
    /\bcall me (?!back|later|when|if|on|at|a |an |the |maybe|again|crazy)(\p{L}[\p{L}'-]{0,39})/iu.exec(
      clause,
    ) ?? /\b[Mm]y name is (\p{L}[\p{L}'-]{0,39})/u.exec(clause);
  const name = asked?.[1];
  return name === undefined ? undefined : { topic: 'name', text: `call the user ${name}` };
}

type Found = Omit<Learned, 'evidence'>;

function preferencesIn(said: string, isOfProject: boolean): readonly Found[] {
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
  // "Use tabs" asks for once, "use tabs in this project" for good.
  const use = isOfProject ? openingOf(clause, uses) : undefined;
  if (use) return choicesIn(use.rest, use.kind !== 'never');
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
function mannersIn(clause: string): readonly Found[] {
  const isShort = clause.split(/\s+/).length <= maxMannerWords;
  if (!isShort || !/\bplease\b/i.test(clause)) return [];
  const isNegative = /\b(?:no|don't|do not|stop|without)\b/i.test(clause);
  const words = clause.replace(/,?\s*\bplease\b,?\s*/i, ' ').trim();
  if (!isJustChoice(words)) return [];
  const manners = preferenceTopics.filter(({ isManner }) => isManner === true);
  return choicesIn(words, !isNegative, manners);
}

/** Whether it is a choice and nothing else: "I want a script without tabs" and "remove the tabs" are tasks. */
function isJustChoice(words: string, more: ReadonlySet<string> = new Set()): boolean {
  let rest = spaced(preferredOf(words));
  for (const { choices, pattern } of preferenceTopics) {
    if (pattern) rest = rest.replace(pattern, '•');
    for (const written of Object.keys(choices)) rest = rest.replaceAll(` ${written} `, ' • ');
  }
  // Behind a choice may stand what it is for.
  const others = rest.replace(/ • (?:for|in|when) .*$/, '').split(' ');
  return (
    rest.includes('•') &&
    others.every((word) => word === '' || word === '•' || besideChoices.has(word) || more.has(word))
  );
}

function choicesIn(
  words: string,
  isLiked: boolean,
  topics: readonly PreferenceTopic[] = preferenceTopics,
): readonly Found[] {
  const preferred = preferredOf(words);
  const found = topics.flatMap((topic) => firstChoice(preferred, topic) ?? []);
  // In "pytest in Python" the second says where, and is no choice.
  const scopeAt = Math.min(...found.map(({ scopeAt: at }) => at));
  return found.filter(({ at }) => at < scopeAt).map((choice) => learnedOf(choice, isLiked));
}

/** What is preferred stands before what it is preferred to. */
function preferredOf(words: string): string {
  const [preferred = ''] = words.split(/ (?:over|instead of|rather than|not|to(?! \d)|than) /i, 1);
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
  const found = chosenIn(spaced(words), topic);
  if (!found) return undefined;
  const { choice, at, end } = found;
  const scope = /^(?:for|in|when|with) [\w +#.-]{1,40}$/i.exec(words.slice(end).trim())?.[0] ?? '';
  return { topic, choice, at, scope, scopeAt: scope === '' ? Infinity : end };
}

/** The first choice that is written in this text, and where without the blank before the text. */
function chosenIn(text: string, { choices, pattern }: PreferenceTopic) {
  for (const [written, choice] of Object.entries(choices)) {
    const at = text.indexOf(` ${written} `);
    if (at >= 0) return { choice, at, end: at + written.length };
  }
  const matched = pattern?.exec(text);
  const value = matched?.groups?.['value'];
  if (!matched || value === undefined) return undefined;
  const choice = value.length === 1 ? `${value} spaces` : value;
  const at = matched.index - 1;
  return { choice, at, end: at + matched[0].length };
}

function learnedOf({ topic, choice, scope }: Choice, isLiked: boolean): Found {
  const where = scope === '' ? '' : ` ${scope.toLowerCase()}`;
  const scoped = where
    .split(' ')
    .flatMap((word) => (word in codeLanguages ? [codeLanguages[word]] : []))[0];
  const language = topic.groups?.[choice]?.toLowerCase() ?? scoped;
  const about = `${topic.name}${language === undefined ? where : ` of ${language}`}`;
  const against = `${about}: not ${choice}`;
  const liked = `${topic.liked.replace('$', choice)}${where}`;
  const disliked = `${topic.disliked.replace('$', choice)}${where}`;
  const limited = language === undefined ? {} : { language };
  if (!isLiked) {
    return { topic: against, text: disliked, ...limited, undoes: { topic: about, text: liked } };
  }
  // What holds "for scripts" alone cannot be told from the arguments of a call.
  const isEverywhere = where === '' || scoped !== undefined;
  const chosen = isEverywhere ? { choice: { of: topic.name, value: choice } } : {};
  return { topic: about, text: liked, ...limited, ...chosen, undoes: { topic: against } };
}

/** What no table knows, as it was said: "always add type hints". */
function ownWords(rest: string, kind: 'always' | 'never' | 'prefer'): readonly Found[] {
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
