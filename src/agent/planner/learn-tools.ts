import { lexicon, type Elsewhere } from './lexicon.ts';
import type { PlanningRequest } from '../planning.ts';
import {
  featuresOf,
  has,
  isDescriptive,
  isSignificant,
  readWords,
  type Word,
} from './read-words.ts';
import { isWriter, profileTool, takes, type Phrases, type ToolProfile } from './tool-profile.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { learnLabels, type Classify } from '../../kernel/index.ts';

/** Added to the odds that one of our tools or topics is meant. */
const herePrior = 1;

/** The catalogue as the planner knows it. */
export type Toolset = ReturnType<typeof learnToolset>;

/** Remembers the last catalogue: learning the phrases takes longer than a plan, and it seldom changes. */
export function createToolLearner(phrases: Phrases): (request: PlanningRequest) => Toolset {
  let last: { readonly entries: readonly CatalogueEntry[]; readonly toolset: Toolset } | undefined;
  return (request) => {
    const { tools: entries } = request;
    const isSame =
      last?.entries.length === entries.length &&
      last.entries.every((one, at) => one === entries[at]);
    if (!last || !isSame) last = { entries, toolset: learnToolset(request, phrases) };
    return last.toolset;
  };
}

function learnToolset({ tools: entries, isOwn }: PlanningRequest, phrases: Phrases) {
  const tools = new Map(entries.flatMap((one) => profileTool(one, phrases, isOwn(one.server))));
  const ours = new Map([...tools].filter(([, { entry }]) => isOwn(entry.server)));
  const examples = allExamples(ours);
  return {
    tools,
    // Among the tools we ship, topics and what is no tool's: other servers must not change how ours are told apart.
    classify: learnLabels(examples),
    isHarmful: createHarmFilter([...examples.values()].flat()),
    findElsewhere: createElsewhereFinder(examples),
    ownNames: new Set([...ours.values()].map(({ entry }) => entry.tool.name)),
    // Reads a file into text, where a tool takes no path.
    reader: [...ours.values(), ...tools.values()].find(isReader),
    // Makes new code of a description.
    maker: [...ours.values()].find(
      (one) => takes(one, 'task', 'required') && one.output.kind === 'code',
    ),
  };
}

/** What to answer where the words ask for what other programs and servers do: by a classifier of its own. */
function createElsewhereFinder(examples: ReturnType<typeof allExamples>) {
  // What is no tool's at all is no sign of one of ours.
  const ours = [...examples].flatMap(([label, some]) => (label === 'outside' ? [] : some));
  const elsewhere = [...lexicon.elsewhere].map(
    ([name, { phrases }]) => [name, phrases.map(featuresOf)] as const,
  );
  const classify = learnLabels(new Map([['', ours], ...elsewhere]));
  return (features: Features, minShare: number): Elsewhere | undefined => {
    const [best] = classify(features, (label) => (label === '' ? herePrior : 0));
    return best && best.share >= minShare ? lexicon.elsewhere.get(best.label) : undefined;
  };
}

function allExamples(
  tools: ReadonlyMap<string, ToolProfile>,
): ReadonlyMap<string, ToolProfile['examples']> {
  const { topics, explain, outside, vague } = lexicon.phrases;
  const others = Object.entries({ ...topics, explain, outside, vague });
  return new Map([
    ...[...tools].map(([label, { examples }]) => [label, examples] as const),
    ...others.map(([label, texts]) => [label, texts.map(featuresOf)] as const),
  ]);
}

function isReader(profile: ToolProfile): boolean {
  const required = profile.fields.filter(({ isRequired }) => isRequired);
  const isNamed = ['verb:read', 'noun:file'].every((one) => profile.examples[0]?.includes(one));
  return isNamed && !isWriter(profile) && required.length === 1 && required[0]?.role === 'path';
}

type Features = readonly string[];

/** Added to the odds of harm: to refuse too much costs a word more, to refuse too little may hurt. */
const harmfulPrior = 0.8;
/** For a word for a harmful program, or for an act and its victim; against it where a defence is spoken of. */
const namedPrior = 1;
/** Two labels are told apart by finer signs than many are. */
const learningRounds = 5;
/** So few words convict only where one of them is a sign of harm: what is merely unknown is none. */
const fewWords = 3;

/** Tells requests for programs and deeds that harm others from those that only sound like them. */
export function createHarmFilter(ordinary: readonly Features[]): (message: string) => boolean {
  const { harmful, harmless, work } = lexicon.phrases;
  // With a feature that every message has: what says nothing for harm is harmless.
  const withAny = (features: Features): Features => [...features, 'any'];
  const learn = (): Classify => {
    const elsewhere = [...lexicon.elsewhere.values()].flatMap(({ phrases }) => phrases);
    const known = [...harmless, ...work, ...elsewhere].map(featuresOf);
    const labels = { harmful: harmful.map(featuresOf), harmless: [...known, ...ordinary] };
    const examples = Object.entries(labels).map(
      ([label, some]) => [label, some.map(withAny)] as const,
    );
    return learnLabels(new Map(examples), learningRounds);
  };
  let classify: Classify | undefined;
  return (message) => {
    const words = readWords(message);
    const says = (name: string): boolean => words.some((word) => has(word, name));
    const isNamed = says('harmfulProgram') || (says('harmfulAct') && says('victim'));
    // What others could do to a file is asked to defend it.
    const isOwn = says('attacker') && words.some(({ kind }) => kind === 'path');
    const isGuarded = isOwn || says('defence') || says('inspection');
    // Words for work alone ("write code", "test it") are no evidence of harm.
    if (!isNamed && !words.some((one) => one.kind === 'word' && isDescriptive(one))) return false;
    const count = words.filter(isSignificant).length;
    const signs = ['harmfulProgram', 'harmfulAct', ...(count < fewWords ? [] : ['victim'])];
    const isSign = (one: Word): boolean => has(one, ...signs) || lexicon.signsOfHarm.has(one.plain);
    if (count <= fewWords && !words.some(isSign)) return false;
    classify ??= learn();
    const named = isNamed ? (isGuarded ? -namedPrior : namedPrior) : 0;
    const prior = (label: string): number => (label === 'harmful' ? harmfulPrior + named : 0);
    return classify(withAny(featuresOf(words)), prior)[0]?.label === 'harmful';
  };
}
