import type { Guesses } from '../../kernel/index.ts';
import { isDeletion, type Situation } from './read-context.ts';
import { readSlots, type Slots } from './read-slots.ts';
import type { Stretch } from './read-clauses.ts';
import { has, isKnown, isSignificant, type Word } from './read-words.ts';
import { changesField, isWriter, takes, type ToolProfile } from './tool-profile.ts';

/** What is known before a word is read, as logarithms of odds. */
const odds = {
  fitsCode: 0.9,
  fitsPath: 0.5,
  noPath: -1,
  foreign: -3.1,
  named: 5,
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
const boundRoles = ['email', 'channel', 'commit'];

/** A stretch with whether there is code to work on, and the values it names. */
type There = Stretch & { readonly hasCode: boolean; readonly values: Slots['single'] };

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
  const there = { ...stretch, hasCode, values: readSlots(words, situation.prose).single };
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

/** How well a tool of another server fits beside the best of ours; undefined where it is not spoken of. */
function foreignOdds(
  { entry, nameWords }: ToolProfile,
  { words, features }: Stretch,
  { request, ownNames }: Situation,
): number | undefined {
  if (request.isOwn(entry.server)) return undefined;
  const names = [entry.server, entry.tool.name].map((name) => name.toLowerCase());
  const isNamed = words.some((word) => !isKnown(word) && names.includes(word.plain));
  const said = nameWords.filter((word) => word.some((one) => features.includes(one)));
  const match = nameWords.length < 2 ? 0 : said.length / nameWords.length;
  // A tool of ours with the same name does the same.
  if (!isNamed && (match < enoughOfName || ownNames.has(entry.tool.name))) return undefined;
  return odds.foreign + (isNamed ? odds.named : 0) + odds.nameMatch * match;
}

/** Whether the tool can take what there is. */
function toolOdds(profile: ToolProfile, there: There): number {
  const { isFirst, values, hasCode, paths } = there;
  const isMaker = !profile.isChange && takes(profile, 'task', 'required') && takes(profile, 'code');
  const takesText = takes(profile, 'code') || (!isFirst && takes(profile, 'content'));
  const isFolder = paths.some(({ kind }) => kind === 'folder');
  const roles = isFolder ? ['path'] : ['path', 'code', 'content'];
  const pathOdds = roles.some((role) => takes(profile, role)) ? odds.fitsPath : odds.noPath;
  const isBound = boundRoles.some((role) => values[role] !== undefined && takes(profile, role));
  return (
    (takesText && !isMaker && hasCode ? odds.fitsCode : 0) +
    (paths.length > 0 ? pathOdds : 0) +
    (isBound ? odds.bound : 0)
  );
}

function topicOdds(label: string, { hasCode, paths }: There): number {
  if (label === 'vague') return odds.vague;
  const own = label === 'outside' ? odds.outside : odds.topic;
  return own + (hasCode || paths.length > 0 ? odds.withMaterial : 0);
}
