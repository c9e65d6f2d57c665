import type { Frame } from './read-frame.ts';
import type { ToolProfile } from './tool-profile.ts';

export interface Ranked {
  readonly profile: ToolProfile;
  /** About 0 to 1; how well what the tool says about itself fits the clause. */
  readonly score: number;
}

export interface RankOptions {
  /** Servers we ship go before others that do the same. */
  readonly isOwn: (server: string) => boolean;
  /** Words of the whole message, in plain form: who names a server or a tool wants that one. */
  readonly said: ReadonlySet<string>;
  /** Code came with the message, was shown before, or is written by an earlier step. */
  readonly hasCode: boolean;
}

const foreignCost = 0.1;
const namedBonus = 0.35;
const bagWeight = 0.2;
/** What changes something is wanted only by who says so. */
const unaskedEffect = 0.55;
/** A likeness that rests on less than this is no likeness. */
const enoughEvidence = 1;

/** Tools by how well they fit a clause, best first. */
export type RankTools = (frame: Frame, options: RankOptions) => readonly Ranked[];

/** Words that many tools use say little about which one is meant. */
export function createRanking(
  profiles: readonly ToolProfile[],
  isOwn: (server: string) => boolean,
): RankTools {
  const users = new Map<string, number>();
  // Other servers must not change how ours are told apart.
  const own = profiles.filter(({ entry }) => isOwn(entry.server));
  const counted = own.length > 0 ? own : profiles;
  for (const { phrases } of counted) {
    for (const feature of new Set(phrases.flatMap((phrase) => [...phrase.keys()])))
      users.set(feature, (users.get(feature) ?? 0) + 1);
  }
  const weigh = (feature: string): number =>
    Math.log(1 + counted.length / ((users.get(feature) ?? counted.length / 4) + 0.5));
  return (frame, options) =>
    profiles
      .map((profile) => ({
        profile,
        score:
          scoreOf({ frame, profile, weigh }) +
          fit(frame, profile, options) +
          preference(profile, frame, options),
      }))
      .toSorted((a, b) => b.score - a.score);
}

interface Scored {
  readonly frame: Frame;
  readonly profile: ToolProfile;
  readonly weigh: (feature: string) => number;
}

function scoreOf({ frame, profile, weigh }: Scored): number {
  const best = Math.max(
    0,
    ...profile.phrases.map((phrase) => likeness(frame.features, phrase, weigh)),
  );
  const isEffect = profile.entry.tool.annotations?.readOnlyHint !== true;
  const isUnasked = isEffect && !(frame.verb !== undefined && profile.verbs.has(frame.verb));
  if (isUnasked) return best * unaskedEffect;
  return best * (1 - bagWeight) + coverage(frame.features, profile.bag, weigh) * bagWeight;
}

/** Dice's coefficient of two weighted sets. */
function likeness(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  weigh: (feature: string) => number,
): number {
  let shared = 0;
  let sum = 0;
  for (const [feature, weight] of a) {
    const worth = weigh(feature);
    sum += weight * worth;
    const other = b.get(feature);
    if (other !== undefined)
      shared +=
        Math.min(weight, other) * worth +
        (Math.max(weight, other) - Math.min(weight, other)) * worth * 0.5;
  }
  for (const [feature, weight] of b) sum += weight * weigh(feature);
  return sum === 0 ? 0 : Math.min(1, (2 * shared) / sum) * Math.min(1, shared / enoughEvidence);
}

/** The part of the clause that the tool speaks of anywhere. */
function coverage(
  features: ReadonlyMap<string, number>,
  bag: ReadonlyMap<string, number>,
  weigh: (feature: string) => number,
): number {
  let all = 0;
  let known = 0;
  for (const [feature, weight] of features) {
    all += weight * weigh(feature);
    if (bag.has(feature)) known += weight * weigh(feature);
  }
  return all === 0 ? 0 : known / all;
}

/** Whether the tool can take what the clause names. */
function fit(
  { paths, features }: Frame,
  { fields }: ToolProfile,
  { hasCode }: RankOptions,
): number {
  const takes = (role: string): boolean => fields.some((field) => field.role === role);
  const sources = paths.filter(({ kind }) => kind !== 'new');
  let sum = 0;
  if (sources.length > 0 && !takes('path') && !takes('code') && !takes('content')) sum -= 0.12;
  if (sources.some(({ kind }) => kind === 'folder') && !takes('path')) sum -= 0.12;
  if (hasCode && paths.length === 0 && takes('path') && !takes('code') && !takes('content'))
    sum -= 0.12;
  if (features.has('symbol') && takes('query')) sum += 0.08;
  return sum;
}

function preference({ entry }: ToolProfile, _frame: Frame, { isOwn, said }: RankOptions): number {
  const isNamed =
    said.has(entry.tool.name.toLowerCase()) ||
    (said.has(entry.server.toLowerCase()) && !isOwn(entry.server));
  if (isNamed) return namedBonus;
  return isOwn(entry.server) ? 0 : -foreignCost;
}
