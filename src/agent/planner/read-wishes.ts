import { takes } from './draft-steps.ts';
import type { PathReading } from './find-paths.ts';
import type { PlanningRequest } from './plan-request.ts';
import type { Ranked, RankOptions, RankTools } from './rank-tools.ts';
import type { Context } from './read-context.ts';
import { readFrame, type Frame } from './read-frame.ts';
import { readSlots } from './read-slots.ts';
import type { Word } from './read-words.ts';
import { isSignificant, splitClauses } from './split-clauses.ts';
import type { ToolProfile } from './tool-profile.ts';

/** Below this a clause says nothing that any tool is for. */
export const minScore = 0.34;
const weakDetail = 0.5;

/** All that a message is read from. */
export interface Situation {
  readonly request: PlanningRequest;
  /** The message without its code. */
  readonly prose: string;
  readonly reading: PathReading;
  readonly context: Context;
  readonly profiles: readonly ToolProfile[];
  readonly rank: RankTools;
}

/** A clause with the tools that may be meant, best first. */
export interface Wish {
  readonly frame: Frame;
  readonly text: string;
  readonly ranked: readonly Ranked[];
}

export interface Wishes {
  /** In the order in which they can be done. */
  readonly known: readonly Wish[];
  /** No tool is for these. */
  readonly unknown: readonly Wish[];
}

export function readWishes(situation: Situation): Wishes {
  const { reading } = situation;
  const spans = splitClauses(reading.words);
  const refused = new Set(
    spans
      .filter(({ isNegated }) => isNegated)
      .flatMap(({ words }) => wishOf(words, situation).ranked[0]?.profile ?? []),
  );
  const wishes: Wish[] = [];
  for (const { words } of spans.filter(({ isNegated }) => !isNegated)) {
    const wish = wishOf(words, situation, wishes);
    wishes.push({ ...wish, ranked: wish.ranked.filter(({ profile }) => !refused.has(profile)) });
  }
  const isKnown = (wish: Wish): boolean =>
    (wish.ranked[0]?.score ?? 0) >= minScore && !isUnrelated(wish);
  return {
    known: inWorkingOrder(mergeDetails(wishes.filter(isKnown))),
    unknown: wishes.filter((wish) => !isKnown(wish)),
  };
}

const namedKinds = ['symbol', 'quote', 'email', 'channel'];
const vagueObjects = /^(?:count|quality|author|history|search|read|run|status)$/u;

/** Words that no tool speaks of, and nothing to work on: "how many people live in Brazil". */
function isUnrelated({ frame: { isMaking, unknown, paths, pointsBack, words } }: Wish): boolean {
  if (isMaking || unknown.length < 2 || paths.length > 0 || pointsBack) return false;
  return !words.some(({ kind, meaning: { nouns, names } }) => {
    const isObject = nouns.some((noun) => !vagueObjects.test(noun));
    return isObject || namedKinds.includes(kind) || names.languages !== undefined;
  });
}

function wishOf(words: readonly Word[], situation: Situation, before: readonly Wish[] = []): Wish {
  const { reading, prose, context } = situation;
  const frame = inherit(readFrame(words), before.at(-1)?.frame);
  const text = prose.slice(words[0]?.from ?? 0, words.at(-1)?.to ?? prose.length).trim();
  const options = {
    isLater: before.length > 0,
    said: new Set(reading.words.map(({ plain }) => plain)),
    hasCode: hasCode(context) || before.some((wish) => wish.frame.isMaking),
  };
  return { frame, text: text === '' ? prose : text, ranked: rankFor(frame, situation, options) };
}

/** "run them" after "write tests": they are what was spoken of. */
function inherit(frame: Frame, before: Frame | undefined): Frame {
  if (!frame.pointsBack) return frame;
  const withObject = (object: string, weight: number): Frame => ({
    ...frame,
    features: new Map([...frame.features, [object, weight]]),
  });
  const objects = ['tests', 'spec', 'code'];
  if (objects.some((object) => (frame.features.get(object) ?? 0) > 0.5)) return frame;
  if (frame.verb === 'create') return withObject('code', 0.9);
  const isHandled = frame.verb === undefined || /^(?:run|save|apply|send|post)$/u.test(frame.verb);
  const object = objects.find((one) => (before?.features.get(one) ?? 0) > 0.5);
  return isHandled && object !== undefined ? withObject(object, 0.45) : frame;
}

/** With code in sight, a remark about it that names no deed, or just a value, wants it changed. */
function rankFor(
  frame: Frame,
  { rank, context }: Situation,
  options: RankOptions & { readonly isLater: boolean },
): readonly Ranked[] {
  const ranked = rank(frame, options);
  const isOpen = frame.verb === undefined && !frame.isMaking && !options.isLater;
  if (!isOpen || !hasCode(context)) return ranked;
  const rankAs = (verb: string): readonly Ranked[] => {
    const features = new Map(Object.entries({ [verb]: 1.3, code: verb === 'create' ? 0.9 : 0.6 }));
    return rank({ ...frame, features, verb }, options);
  };
  if (frame.words.some(({ plain }) => /^(?:the )?same/u.test(plain))) return rankAs('create');
  const { languages, framework, styleGuide, lineLength } = readSlots(frame.words);
  const isValue = languages.length > 0 || (framework ?? styleGuide ?? lineLength) !== undefined;
  const isRead = (ranked[0]?.score ?? 0) >= minScore;
  const isRemark = isValue ? !isRead || !frame.isQuestion : !isRead && !frame.isQuestion;
  return isRemark ? rankAs('change') : ranked;
}

export function hasCode({ given, remembered }: Context): boolean {
  return [...given, ...remembered].some(({ kind }) => kind === 'code');
}

/** "Drop the logging, add type hints" is one change; "tests with Mocha, 80 percent" are one set of tests. */
function mergeDetails(wishes: readonly Wish[]): readonly Wish[] {
  const merged: Wish[] = [];
  for (const wish of wishes) {
    const last = merged.at(-1);
    if (last && isDetail(wish, last)) {
      merged[merged.length - 1] = {
        ...last,
        text: `${last.text}, ${wish.text}`,
        frame: joinFrames(last.frame, wish.frame),
      };
    } else merged.push(wish);
  }
  return merged;
}

function isDetail({ frame, ranked }: Wish, last: Wish): boolean {
  if (frame.paths.length > 0 || frame.isMaking) return false;
  const top = ranked[0];
  const isSame = last.ranked[0]?.profile === top?.profile;
  if (frame.verb !== undefined)
    return isSame && top !== undefined && takes(top.profile, 'task', 'required');
  const isShared = (object: string): boolean =>
    frame.features.has(object) && last.frame.features.has(object);
  // Only a value or a quality is weak: "max 100 columns".
  return isSame || (top?.score ?? 0) < weakDetail || isShared('tests') || isShared('spec');
}

function joinFrames(a: Frame, b: Frame): Frame {
  const unknown = [...a.unknown, ...b.unknown];
  return { ...a, words: [...a.words, ...b.words], paths: [...a.paths, ...b.paths], unknown };
}

/** Code that is to be written comes before what needs it, its specification first. */
function inWorkingOrder(wishes: readonly Wish[]): readonly Wish[] {
  const making = wishes.findIndex(({ frame }) => frame.isMaking && !isBareWord(frame));
  if (making < 0) return wishes;
  const rest = wishes.filter(
    ({ frame }, at) => at !== making && !(isBareWord(frame) && isCoding(frame)),
  );
  const needsCode = ({ frame, ranked: [top] }: Wish): boolean =>
    !frame.pointsBack && !frame.isMaking && top !== undefined && takes(top.profile, 'code');
  const isFirst = (wish: Wish): boolean =>
    wish.frame.paths.length > 0
      ? wishes.indexOf(wish) < making
      : wish.frame.features.has('spec') || (wishes.indexOf(wish) < making && !needsCode(wish));
  const later = rest.filter((wish) => !isFirst(wish));
  return [...rest.filter(isFirst), ...wishes.slice(making, making + 1), ...later];
}

function isBareWord({ words }: Frame): boolean {
  return words.filter((word) => isSignificant(word) && word.kind !== 'mark').length <= 1;
}

/** "code", "implementation": beside a program that is to be written it says nothing new. */
function isCoding({ words }: Frame): boolean {
  return words.some(({ meaning: { verbs, nouns } }) =>
    [...verbs, ...nouns].some((one) => one === 'create' || one === 'code'),
  );
}
