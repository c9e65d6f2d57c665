import type { PlanCandidate } from '../../contract/agent/index.ts';
import type { Guesses } from '../../kernel/index.ts';
import { draftSteps, type Drafted } from './draft-steps.ts';
import { languageOf, lexicon } from './lexicon.ts';
import type { Clause, Split, Stretch } from './read-clauses.ts';
import { isDeletion, type Choice, type Situation } from './read-context.ts';
import { readSlots, type Slots } from './read-slots.ts';
import { has, isKnown, isSignificant, type Word } from './read-words.ts';
import { changesField, givesCode, isWriter, takes, type ToolProfile } from './tool-profile.ts';
import { writePlan } from './write-plan.ts';

/** One way to understand the message, as a whole plan. */
export interface Reading {
  readonly drafted: Drafted;
  readonly candidate: PlanCandidate;
}

/** Labels of one clause that are tried. */
const maxLabels = 4;
/** Readings that are written out, best first. */
const maxReadings = 8;

/** A clause with what it is taken for; without a tool it asks for nothing. */
type Pick = Readonly<{ clause: Clause; profile?: ToolProfile | undefined; share: number }>;

type Interpretation = Readonly<{ picks: readonly Pick[]; weight: number }>;

/** All that the message may ask for, most likely first. What calls the same tools is one reading. */
export function offerReadings(splits: readonly Split[], situation: Situation): readonly Reading[] {
  const byTools = Map.groupBy(
    splits.flatMap((split) => interpret(split, situation)),
    ({ picks }) =>
      picks
        .map(({ profile }) => profile?.entry.name ?? '')
        .toSorted()
        .join(),
  );
  byTools.delete('');
  const readings = [...byTools.values()].map((same) => ({
    picks: same.toSorted((a, b) => b.weight - a.weight)[0]?.picks ?? [],
    total: same.reduce((sum, { weight }) => sum + Math.exp(weight), 0),
  }));
  const sum = readings.reduce((all, { total }) => all + total, 0);
  return readings
    .toSorted((a, b) => b.total - a.total)
    .slice(0, maxReadings)
    .flatMap(({ picks, total }) => writeReading(picks, total / sum, situation));
}

/** The likeliest tool for every clause, and every way in which one clause is taken for something else. */
function interpret({ clauses, weight }: Split, { tools }: Situation): readonly Interpretation[] {
  const options = clauses.map((clause) => optionsFor(clause, tools));
  const best = options.flatMap(([first]) => first ?? []);
  const others = options.flatMap((some, at) =>
    some.slice(1).map((other) => best.map((one, index) => (index === at ? other : one))),
  );
  return [best, ...others].map((picks) => ({
    picks: mergeDetails(picks.filter(({ clause, profile }) => profile && !clause.isNegated)),
    weight: picks.reduce((total, { share }) => total + Math.log(share), weight),
  }));
}

function optionsFor(clause: Clause, tools: Situation['tools']): readonly Pick[] {
  const guesses = clause.guesses.filter(({ label }) => tools.has(label));
  const picks = guesses.map(({ label, share }) => ({ clause, profile: tools.get(label), share }));
  const nothing: Pick = { clause, share: picks.reduce((left, { share }) => left - share, 1) };
  return [...picks.slice(0, maxLabels), nothing].toSorted((a, b) => b.share - a.share);
}

/** "Drop the logging, add type hints" is one change, "review a.py and b.py" one review of both. */
function mergeDetails(picks: readonly Pick[]): readonly Pick[] {
  const merged = new Map<string | undefined, Pick>();
  for (const pick of picks) {
    const name = pick.profile?.entry.name;
    const known = merged.get(name);
    const words = [...(known?.clause.words ?? []), ...pick.clause.words];
    const paths = [...(known?.clause.paths ?? []), ...pick.clause.paths];
    merged.set(name, { ...pick, ...known, clause: { ...(known ?? pick).clause, words, paths } });
  }
  return [...merged.values()];
}

function writeReading(picks: readonly Pick[], share: number, situation: Situation) {
  const { prose } = situation;
  const choices = picks.flatMap(({ clause, profile }): readonly Choice[] => {
    const { words } = clause;
    const text = prose.slice(words[0]?.from ?? 0, words.at(-1)?.to ?? prose.length).trim();
    return profile ? [{ clause, profile, slots: readSlots(words, prose), text }] : [];
  });
  const drafted = draftSteps(choices, situation);
  if (drafted.drafts.length === 0) return [];
  const plan = writePlan(drafted.drafts, prose);
  const confidence = Math.round(Math.max(0.05, Math.min(0.95, share)) * 100) / 100;
  return [{ drafted, candidate: { plan, confidence, why: explain(drafted, situation) } }];
}

function explain({ drafts }: Drafted, { prose, reading }: Situation): string {
  const deeds = drafts.map(({ profile: { entry }, subject, target }) => {
    const title = entry.tool.title ?? entry.tool.annotations?.title ?? entry.name;
    const path = subject?.path?.path;
    const where = target ?? (path === '.' ? 'the whole project' : path);
    return where === undefined ? title : `${title} (${where})`;
  });
  const isTemplate = drafts.some(({ profile }) => profile.needsModel);
  const isFixing =
    lexicon.asksToFix.test(prose) ||
    reading.words.some(({ meaning: { verbs } }) => verbs.includes('fix'));
  const isLooking = drafts.every(({ profile }) => profile.isReadOnly && !givesCode(profile));
  const note = isTemplate
    ? ' Without a model this gives a template only.'
    : isFixing && isLooking
      ? ` ${lexicon.answers.fix}`
      : '';
  return `${deeds.join(', then ')}.${note}`;
}

/** What is known before a word is read, as logarithms of odds. */
const odds = {
  fitsCode: 0.9,
  fitsPath: 0.5,
  noPath: -1,
  wrongFile: -9,
  foreign: -3.1,
  nameMatch: 3,
  bound: 1.5,
  withMaterial: -1.5,
  topic: -0.3,
  outside: -0.6,
  vague: 0.6,
} as const;
/** A tool of another server is considered where this part of its name is spoken of. */
const enoughOfName = 0.6;
/** What changes something is offered only where it is this likely. */
const clearShare = 0.1;

/** Values of these speak for a tool that takes them. */
const boundRoles = ['email', 'channel', 'commit', 'setting', 'glob', 'args', 'filter'];

/** A stretch with whether there is code to work on, and the values it names. */
type There = Stretch & Readonly<{ hasCode: boolean; hasGiven: boolean; values: Slots['single'] }>;

/**
 * What a stretch of words asks for, given what there is to work on and what each tool takes. Tools of other servers
 * are known by their names only; they are compared with the best of ours and never change the order among ours.
 */
export function weighTools(stretch: Stretch, situation: Situation): Guesses {
  const { tools, classify, context } = situation;
  const { words, features, isFirst } = stretch;
  const { lastTool = '' } = context;
  if (namesPathOnly(situation.reading.words) && tools.get(lastTool)?.isReadOnly === true)
    return [{ label: lastTool, share: 1 }];
  const texts = [...context.given, ...context.remembered];
  const hasCode = !isFirst || texts.some(({ kind }) => kind === 'code');
  const { single: values } = readSlots(words, situation.prose);
  const hasGiven = !isFirst || context.given.length > 0;
  const there = { ...stretch, hasCode, hasGiven, values };
  const prior = (label: string): number => {
    const profile = tools.get(label);
    return profile ? toolOdds(profile, there) : topicOdds(label, there);
  };
  const own = classify(features, prior);
  const best = own[0] ?? { label: '', share: 1 };
  const others = [...tools].flatMap(([label, profile]) => {
    const weight = foreignOdds(profile, stretch, situation);
    if (weight === undefined) return [];
    return { label, share: best.share * Math.exp(weight + prior(label) - prior(best.label)) };
  });
  const sum = others.reduce((total, { share }) => total + share, 1);
  const guesses = [...own, ...others].map(({ label, share }) => ({ label, share: share / sum }));
  const isDelete = isDeletion(words);
  return guesses
    .filter(({ label, share }) => {
      const profile = tools.get(label);
      if (isDelete) return profile !== undefined && changesField(profile) !== undefined;
      if (there.values['text'] !== undefined) return profile !== undefined && isWriter(profile);
      return profile === undefined || share > clearShare || profile.isReadOnly;
    })
    .toSorted((a, b) => b.share - a.share);
}

/** "and the rest of the repo?", "same for src": the last request once more. */
function namesPathOnly(words: readonly Word[]): boolean {
  const said = words.filter((word) => isSignificant(word) && !has(word, 'pronouns', 'joins'));
  const others = said.filter(({ path }) => path === undefined || path.kind === 'new');
  const isPlace = ({ nouns }: Word['meaning']): boolean => /^(?:file|folder)$/u.test(nouns.join());
  return said.length > others.length && others.every(({ meaning }) => isPlace(meaning));
}

/** How well a tool of another server fits beside the best of ours; undefined where it is not spoken of, or ours has its name. */
function foreignOdds(profile: ToolProfile, { words, features }: Stretch, situation: Situation) {
  const { entry, nameWords } = profile;
  if (situation.request.isOwn(entry.server)) return undefined;
  const said = nameWords.filter((word) => word.some((one) => features.includes(one)));
  const match = nameWords.length < 2 ? 0 : said.length / nameWords.length;
  const isNamed = words.some((word) => !isKnown(word) && word.plain === entry.server.toLowerCase());
  if (match < enoughOfName || situation.ownNames.has(entry.tool.name)) return undefined;
  return (isNamed ? 0 : odds.foreign) + odds.nameMatch * match;
}

/** Whether the tool can take what there is. */
function toolOdds(profile: ToolProfile, there: There): number {
  const { isFirst, values, hasCode, paths } = there;
  const isOnCode = paths.some(({ path }) => languageOf(path) !== undefined);
  const isMaker = !profile.isChange && takes(profile, 'task', 'required') && takes(profile, 'code');
  const takesText = takes(profile, 'code') || (!isFirst && takes(profile, 'content'));
  const isFolder = paths.some(({ kind }) => kind === 'folder');
  const roles = isFolder ? ['path'] : ['path', 'code', 'content'];
  const pathOdds = roles.some((role) => takes(profile, role)) ? odds.fitsPath : odds.noPath;
  const isBound = boundRoles.some((role) => values[role] !== undefined && takes(profile, role));
  return (
    (takesText && !isMaker && hasCode ? odds.fitsCode : 0) +
    (isOnCode && profile.isForData ? odds.wrongFile : paths.length > 0 ? pathOdds : 0) +
    (isBound ? odds.bound : 0)
  );
}

function topicOdds(label: string, { hasGiven, paths }: There): number {
  if (label === 'vague') return odds.vague;
  const own = label === 'outside' ? odds.outside : odds.topic;
  // Files are explained, and what earlier messages made is nothing that this one is about.
  const isOnFiles = label !== 'explain' && (hasGiven || paths.some(({ path }) => path !== '.'));
  return own + (isOnFiles ? odds.withMaterial : 0);
}
