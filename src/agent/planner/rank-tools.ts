import type { Frame } from './read-frame.ts';
import { readSlots } from './read-slots.ts';
import type { ToolProfile } from './tool-profile.ts';

export interface Ranked {
  readonly profile: ToolProfile;
  /** About 0 to 1; how well what the tool says about itself fits the clause. */
  readonly score: number;
}

export interface RankOptions {
  /** Words of the whole message, in plain form: who names a server or a tool wants that one. */
  readonly said: ReadonlySet<string>;
  /** Code came with the message, was shown before, or is written by an earlier step. */
  readonly hasCode: boolean;
}

const foreignCost = 0.1;
const namedBonus = 0.35;
const bagWeight = 0.2;
/** Where nothing new is to be written, a tool that needs no model goes first. */
const templateCost = 0.12;
/** A likeness that rests on less than this is no likeness. */
const enoughEvidence = 1;
/** For each required argument that nothing in the clause could be. */
const unboundCost = 0.06;

/** Tools by how well they fit a clause, best first. */
export type RankTools = (frame: Frame, options: RankOptions) => readonly Ranked[];
type Features = ReadonlyMap<string, number>;

/** Words that many tools use say little about which one is meant; tools of ours go before others that do the same. */
export function createRanking(
  profiles: readonly ToolProfile[],
  isOwn: (server: string) => boolean,
): RankTools {
  // Other servers must not change how ours are told apart.
  const own = profiles.filter(({ entry }) => isOwn(entry.server));
  const counted = own.length > 0 ? own : profiles;
  const users = new Map<string, number>();
  for (const { phrases } of counted) {
    for (const feature of new Set(phrases.flatMap((phrase) => [...phrase.keys()])))
      users.set(feature, (users.get(feature) ?? 0) + 1);
  }
  const weigh = (feature: string): number =>
    Math.log(1 + counted.length / ((users.get(feature) ?? counted.length / 4) + 0.5));
  const scoreOf = (profile: ToolProfile, frame: Frame): number => {
    const { features } = frame;
    const best = Math.max(0, ...profile.phrases.map((phrase) => likeness(features, phrase, weigh)));
    return best * (1 - bagWeight) + coverage(features, profile.bag, weigh) * bagWeight;
  };
  const preference = ({ entry }: ToolProfile, said: ReadonlySet<string>): number => {
    const isOurs = isOwn(entry.server);
    const isNamed =
      said.has(entry.tool.name.toLowerCase()) || (said.has(entry.server.toLowerCase()) && !isOurs);
    return isNamed ? namedBonus : isOurs ? 0 : -foreignCost;
  };
  return (frame, options) =>
    profiles
      .filter((profile) => isAskedFor(profile, frame))
      .map((profile) => {
        const bonus = fit(frame, profile, options) + preference(profile, options.said);
        const cost = profile.needsModel && !isWritten(frame) ? templateCost : 0;
        return { profile, score: scoreOf(profile, frame) + bonus - cost };
      })
      .toSorted((a, b) => b.score - a.score);
}

function isWritten({ verb, isMaking }: Frame): boolean {
  return isMaking || verb === undefined || /^(?:create|change|test)$/u.test(verb);
}

/** What changes something is wanted only by someone who names the deed; what deletes, only where it is one. */
function isAskedFor({ entry, verbs }: ToolProfile, { features, verb }: Frame): boolean {
  if (verb === 'delete') return verbs.has(verb);
  const isEffect = entry.tool.annotations?.readOnlyHint !== true;
  const isNamed =
    verb === undefined ? [...verbs].some((deed) => features.has(deed)) : verbs.has(verb);
  return !isEffect || verbs.size === 0 || isNamed;
}

/** Dice's coefficient of two weighted sets, less where little is shared. */
function likeness(a: Features, b: Features, weigh: (feature: string) => number): number {
  let shared = 0;
  let sum = 0;
  for (const [feature, weight] of a) {
    sum += weight * weigh(feature);
    const other = b.get(feature);
    if (other !== undefined) shared += ((weight + other) / 2) * weigh(feature);
  }
  for (const [feature, weight] of b) sum += weight * weigh(feature);
  return sum === 0 ? 0 : Math.min(1, (2 * shared) / sum) * Math.min(1, shared / enoughEvidence);
}

/** The part of the clause that the tool speaks of anywhere. */
function coverage(features: Features, bag: Features, weigh: (feature: string) => number): number {
  const sum = (some: readonly (readonly [string, number])[]): number =>
    some.reduce((total, [feature, weight]) => total + weight * weigh(feature), 0);
  const all = [...features];
  return all.length === 0 ? 0 : sum(all.filter(([feature]) => bag.has(feature))) / sum(all);
}

/** Whether the tool can take what the clause names, and needs nothing else. */
function fit(
  { paths, features, words }: Frame,
  { fields }: ToolProfile,
  { hasCode }: RankOptions,
): number {
  const takes = (...roles: readonly string[]): boolean =>
    fields.some(({ role }) => role !== undefined && roles.includes(role));
  const sources = paths.filter(({ kind }) => kind !== 'new');
  const slots: Readonly<Record<string, unknown>> = { ...readSlots(words) };
  const isBound = (role: string | undefined): boolean =>
    role === 'language'
      ? readSlots(words).languages.length > 0
      : role !== undefined && (!(role in slots) || slots[role] !== undefined);
  const unbound = fields.filter(({ isRequired, role }) => isRequired && !isBound(role)).length;
  return (
    (sources.length > 0 && !takes('path', 'code', 'content') ? -0.12 : 0) +
    (sources.some(({ kind }) => kind === 'folder') && !takes('path') ? -0.12 : 0) +
    (hasCode && paths.length === 0 && takes('path') && !takes('code', 'content') ? -0.12 : 0) +
    (sources.some(({ kind }) => kind === 'file') && fields.some(isForFolders) ? -0.15 : 0) +
    (features.has('symbol') && takes('query') ? 0.08 : 0) -
    unbound * unboundCost
  );
}

/** A path that is described as a folder only. */
function isForFolders({ role, schema }: ToolProfile['fields'][number]): boolean {
  const { description } = schema;
  const about = typeof description === 'string' ? description : '';
  return role === 'path' && /folder|directory/iu.test(about) && !/\bfile\b/iu.test(about);
}
