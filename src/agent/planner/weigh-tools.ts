import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Guesses } from '../../kernel/index.ts';
import { isDeletion } from './draft-steps.ts';
import type { Situation } from './planner.ts';
import type { FoundPath, Word } from './read-words.ts';
import { deletionField, takes, type ToolProfile } from './tool-profile.ts';

/** What is known before a word is read, as logarithms of odds. */
const odds = {
  fitsCode: 0.9,
  fitsPath: 0.5,
  noPath: -1,
  foreign: -0.9,
  named: 4,
  bound: 3,
  nameMatch: 2.5,
  frequency: 0.4,
  withMaterial: -1.5,
  topic: -0.3,
  outside: -0.6,
  vague: 0.6,
  longVague: -1,
  explain: -0.7,
} as const;
/** As many phrases as a tool of ours usually has. */
const usualPhrases = 100;
const fewPhrases = 25;
/** More words than these are seldom vague. */
const shortMessage = 6;
/** A tool of another server is considered where this part of its name is spoken of. */
const enoughOfName = 0.5;
/** What changes something is meant where it is this likely, or where a word for it is said. */
const clearShare = 0.25;

/** A stretch of the message as it is weighed. */
interface Stretch {
  readonly words: readonly Word[];
  readonly features: readonly string[];
  readonly isFirst: boolean;
}

/** What a stretch of words asks for, given what there is to work on and what each tool takes. */
export function weighTools(stretch: Stretch, situation: Situation): Guesses {
  const { tools, reading, request } = situation;
  const { words, features } = stretch;
  // A server may have the name of an ordinary word.
  const said = new Set(
    reading.words.flatMap(({ plain, meaning: { verbs, nouns, classes } }) =>
      verbs.length + nouns.length + classes.size === 0 ? plain : [],
    ),
  );
  const isNamed = ({ server, tool }: CatalogueEntry): boolean =>
    said.has(tool.name.toLowerCase()) || (said.has(server.toLowerCase()) && !request.isOwn(server));
  const prior = (label: string): number => {
    const profile = tools.get(label.replace(/#change$/u, ''));
    if (!profile) return topicOdds(label, words.length, hasMaterial(stretch, situation));
    const whose = request.isOwn(profile.entry.server) ? 0 : odds.foreign;
    const named = isNamed(profile.entry) ? odds.named : whose;
    const isNew = !label.endsWith('#change');
    return named + toolOdds(profile, { ...stretch, isNew }, situation);
  };
  const considered = [...tools.values()].flatMap(({ entry, nameConcepts }) => {
    const isSpokenOf = nameMatch({ nameConcepts }, features) >= enoughOfName;
    return !request.isOwn(entry.server) && (isSpokenOf || isNamed(entry)) ? entry.name : [];
  });
  const all = considered.length > 0 ? situation.classify(features, prior) : [];
  const isDeleted = isDeletion({ words });
  const guesses = joinGuesses(situation.classifyOwn(features, prior), all, considered);
  return guesses.filter(({ label, share }) => {
    const profile = tools.get(label.replace(/#change$/u, ''));
    if (isDeleted) return profile !== undefined && deletionField(profile) !== undefined;
    return profile === undefined || share > clearShare || isAskedFor(profile, words);
  });
}

/** What changes something is wanted only where a word for it is said. */
function isAskedFor({ isReadOnly, deeds }: ToolProfile, words: readonly Word[]): boolean {
  return (
    isReadOnly ||
    deeds.size === 0 ||
    words.some(({ meaning }) => meaning.verbs.some((verb) => deeds.has(verb)))
  );
}

function hasCode({ isFirst }: Stretch, { context }: Situation): boolean {
  return !isFirst || [...context.given, ...context.remembered].some(({ kind }) => kind === 'code');
}

function pathsOf({ words }: Stretch): readonly FoundPath[] {
  return words.flatMap(({ path }) => (path && path.kind !== 'new' ? path : []));
}

function hasMaterial(stretch: Stretch, situation: Situation): boolean {
  return hasCode(stretch, situation) || pathsOf(stretch).length > 0;
}

/** Whether the tool can take what there is. */
function toolOdds(
  profile: ToolProfile,
  stretch: Stretch & { readonly isNew: boolean },
  situation: Situation,
): number {
  const { isFirst, isNew, words, features } = stretch;
  const isMaker = isNew && takes(profile, 'task', 'required') && takes(profile, 'code');
  const takesText = takes(profile, 'code') || (!isFirst && takes(profile, 'content'));
  const count = isNew ? profile.examples.length : profile.changes.length;
  const paths = pathsOf(stretch);
  const isBound = words.some(
    ({ kind }) =>
      (kind === 'email' && takes(profile, 'address')) ||
      (kind === 'channel' && takes(profile, 'channel')),
  );
  return (
    odds.frequency * Math.log(Math.max(count, fewPhrases) / usualPhrases) +
    (takesText && !isMaker && hasCode(stretch, situation) ? odds.fitsCode : 0) +
    (paths.length === 0 ? 0 : pathOdds(profile, paths)) +
    odds.nameMatch * nameMatch(profile, features) +
    (isBound ? odds.bound : 0)
  );
}

/** Tools of other servers join by how they compare with the best of ours, whose order among themselves they never change. */
function joinGuesses(own: Guesses, all: Guesses, considered: readonly string[]): Guesses {
  const others = all.filter(({ label }) => considered.includes(label));
  const best = all.find(({ label }) => own.some((one) => one.label === label))?.share ?? 1;
  const scale = (own[0]?.share ?? 1) / best;
  const joined = [...own, ...others.map(({ label, share }) => ({ label, share: share * scale }))];
  const sum = joined.reduce((total, { share }) => total + share, 0);
  return joined
    .map(({ label, share }) => ({ label, share: share / sum }))
    .toSorted((a, b) => b.share - a.share);
}

function topicOdds(label: string, length: number, hasMaterial: boolean): number {
  if (label === 'vague') return length > shortMessage ? odds.longVague : odds.vague;
  if (label === 'explain') return odds.explain;
  const own = label === 'outside' ? odds.outside : odds.topic;
  return own + (hasMaterial ? odds.withMaterial : 0);
}

/** The part of the name's concepts that is spoken of, what it is done to counting more than the deed. */
function nameMatch(
  { nameConcepts }: Pick<ToolProfile, 'nameConcepts'>,
  features: readonly string[],
): number {
  const weight = (some: readonly string[]): number =>
    some.reduce((sum, one) => sum + (one.startsWith('noun:') ? 2 : 1), 0);
  const said = nameConcepts.filter((one) => features.includes(one));
  return said.length === 0 ? 0 : weight(said) / weight(nameConcepts);
}

function pathOdds(profile: ToolProfile, paths: readonly { readonly kind: string }[]): number {
  const isFolder = paths.some(({ kind }) => kind === 'folder');
  if (isFolder && !takes(profile, 'path')) return odds.noPath;
  if (!isFolder && profile.fields.some(isForFolders)) return odds.noPath;
  const isTaken = ['path', 'code', 'content'].some((role) => takes(profile, role));
  return isTaken ? odds.fitsPath : odds.noPath;
}

/** A path that is described as a folder only. */
function isForFolders({ role, schema }: ToolProfile['fields'][number]): boolean {
  const { description } = schema;
  const about = typeof description === 'string' ? description : '';
  return role === 'path' && /folder|directory/iu.test(about) && !/\bfile\b/iu.test(about);
}
