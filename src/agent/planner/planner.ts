import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { learnLabels, type Classify } from '../../kernel/index.ts';
import { featuresOf } from './read-features.ts';
import type { Missing } from './draft-steps.ts';
import { splitCode } from './find-code.ts';
import { findPaths, type PathReading } from './find-paths.ts';
import { lexicon, type AboutTopic } from './lexicon.ts';
import { offerReadings, type Reading } from './offer-readings.ts';
import type { Planner, PlanningAnswer, PlanningRequest } from './plan-request.ts';
import { splitMessage, type Clause } from './read-clauses.ts';
import { readContext, type Context } from './read-context.ts';
import { isSignificant, readPhrase, readWords, type Word } from './read-words.ts';
import { createHarmFilter } from './refuse-harm.ts';
import { repeatLast } from './repeat-last.ts';
import { isWriter, profileTool, takes, type Phrases, type ToolProfile } from './tool-profile.ts';
import { weighTools } from './weigh-tools.ts';

const maxMessageChars = 6_000;
const maxShown = 3;
/** A reading that takes this share of all is meant. */
const sureShare = 0.6;
/** Another reading is worth showing where it is this likely beside the best. */
const worthShowing = 0.02;

/** All that a message is read from. */
export interface Situation {
  readonly request: PlanningRequest;
  /** The message without its code. */
  readonly prose: string;
  readonly reading: PathReading;
  readonly context: Context;
  /** By name. */
  readonly tools: ReadonlyMap<string, ToolProfile>;
  /** Among all tools, and among those we ship. */
  readonly classify: Classify;
  readonly classifyOwn: Classify;
}

/**
 * Plans without a language model: the words of the message are compared with example phrases of the tools in the
 * catalogue, names in it with the files on disk, and what one step gives with what the next takes. The same request on
 * the same disk always gives the same answer.
 */
export function createPlanner(phrases: Phrases): Planner {
  const toolset = rememberTools(phrases);
  const isHarmful = createHarmFilter(phrases);
  return {
    plan: async (request) => {
      request.signal.throwIfAborted();
      const message = request.message.slice(0, maxMessageChars);
      const { prose, code } = splitCode(message);
      if (isHarmful(prose)) return refuseHarm;
      const reading = await findPaths(readWords(prose), request.files);
      const pasted = code ?? reading.words.find(({ kind }) => kind === 'code')?.text;
      const context = readContext(request, pasted);
      return decide({ request, prose, reading, context, ...toolset(request) });
    },
  };
}

const refuseHarm: PlanningAnswer = {
  kind: 'refusal',
  reason:
    'This asks for something made to harm, deceive or spy on others. Tutti does not help with that.',
  nearest: [],
};

type Toolset = Pick<Situation, 'tools' | 'classify' | 'classifyOwn'>;

/** Learning the phrases takes longer than a plan, and a catalogue seldom changes. */
function rememberTools(phrases: Phrases): (request: PlanningRequest) => Toolset {
  let last: { readonly entries: readonly CatalogueEntry[]; readonly toolset: Toolset } | undefined;
  return ({ tools: entries, isOwn }) => {
    const isSame =
      last?.entries.length === entries.length &&
      last.entries.every((one, at) => one === entries[at]);
    if (last && isSame) return last.toolset;
    const tools = new Map(entries.map((entry) => [entry.name, profileTool(entry, phrases)]));
    const ours = new Map([...tools].filter(([, { entry }]) => isOwn(entry.server)));
    const classifyOwn = learnLabels(allExamples(ours));
    // Other servers must not change how ours are told apart.
    const classify = ours.size === tools.size ? classifyOwn : learnLabels(allExamples(tools));
    last = { entries, toolset: { tools, classify, classifyOwn } };
    return last.toolset;
  };
}

function allExamples(
  tools: Situation['tools'],
): ReadonlyMap<string, readonly (readonly string[])[]> {
  const { topics, explain, outside, vague } = lexicon.phrases;
  const read = (texts: readonly string[]) => texts.map((text) => featuresOf(readPhrase(text)));
  const others = Object.entries({ ...topics, explain, outside, vague });
  return new Map([
    ...[...tools].map(([name, { examples }]) => [name, examples] as const),
    ...[...tools].flatMap(([name, { changes }]) =>
      changes.length > 0 ? [[`${name}#change`, changes] as const] : [],
    ),
    ...others.map(([label, texts]) => [label, read(texts)] as const),
  ]);
}

function decide(situation: Situation): PlanningAnswer {
  const again = repeatLast(situation);
  if (again) return { kind: 'plan', candidates: [again] };
  const splits = splitMessage(situation.reading.words, (words, features, isFirst) =>
    weighTools({ words, features, isFirst }, situation),
  );
  const [whole] = splits[0]?.clauses ?? [];
  const special = whole && answerSpecial(whole, situation);
  if (special) return special;
  const readings = offerReadings(splits, situation);
  const [first] = readings;
  if (!first) return unknown(situation);
  const lost = lostPaths(first, situation);
  if (lost.length > 0) return { kind: 'question', questions: lost, candidates: [] };
  if (first.drafted.missing.includes('model')) return refuseTemplate;
  const complete = readings.filter(({ drafted }) => drafted.missing.length === 0);
  const [best] = complete;
  if (!best || first.candidate.confidence > best.candidate.confidence * 3)
    return askFor(first.drafted.missing);
  return offer(complete, { ...situation, isFirst: best === first });
}

/** What is about Tutti itself, no tool's or too vague, as a whole. */
function answerSpecial(whole: Clause, { request, context }: Situation): PlanningAnswer | undefined {
  const [top] = whole.guesses;
  const topic = Object.keys(lexicon.phrases.topics).find((one) => one === top?.label);
  // The keys of the data are the topics.
  if (topic !== undefined && request.attachments.length === 0)
    return { kind: 'about', topic: topic as AboutTopic };
  if (top?.label === 'outside') return refuseUnknown(request);
  if (top?.label === 'explain') return refuseExplanation;
  const hasMaterial = context.given.length + context.remembered.length > 0;
  return top?.label === 'vague' && !hasMaterial ? askFor(['task']) : undefined;
}

function unknown({ request, reading }: Situation): PlanningAnswer {
  if (reading.words.filter(isSignificant).length > 3) return refuseUnknown(request);
  return askFor(['task']);
}

/** A few titles, so that a refusal says what would work. */
function refuseUnknown({ tools, isOwn }: PlanningRequest): PlanningAnswer {
  const titles = tools
    .filter(({ server, tool }) => isOwn(server) && 'code' in Object(tool.inputSchema['properties']))
    .map(({ tool }) => tool.title ?? tool.name);
  const offers = `Tutti can, for example: ${titles.slice(0, 6).join(', ').toLowerCase()}.`;
  return { kind: 'refusal', reason: `No tool here is for that. ${offers}`, nearest: [] };
}

const refuseExplanation: PlanningAnswer = {
  kind: 'refusal',
  reason:
    'Explaining needs a model: "tutti models" shows how to connect one. Without one, a file can be shown, reviewed or measured.',
  nearest: [],
};

const refuseTemplate: PlanningAnswer = {
  kind: 'refusal',
  reason:
    'That needs a model: without one only a template could be made, and it must not replace files that are there.',
  nearest: [],
};

const questions: Readonly<Record<Missing, string>> = {
  code: 'Which code do you mean? Name a file or folder, or paste the code.',
  task: 'What exactly should it do? Describe it in a sentence or two.',
  file: 'Which file do you mean? That works for single files only.',
  content: 'What should be saved? Nothing has been made yet in this conversation.',
  model: 'That needs a model.',
};

function askFor(missing: readonly Missing[]): PlanningAnswer {
  const asked = missing.length > 0 ? missing : (['task'] as const);
  return { kind: 'question', questions: asked.map((what) => questions[what]), candidates: [] };
}

/** One plan when there is no doubt, numbered readings when there is. */
function offer(
  readings: readonly Reading[],
  { request, isFirst, reading }: Situation & { readonly isFirst: boolean },
): PlanningAnswer {
  const [first] = readings;
  const count = first?.drafted.drafts.length ?? 0;
  if (count > request.maxSteps) {
    const question = `That would take ${count} steps, and at most ${request.maxSteps} are allowed. Which part comes first?`;
    return { kind: 'question', questions: [question], candidates: [] };
  }
  const best = first?.candidate.confidence ?? 0;
  const isSure = isFirst && best >= sureShare;
  const shown = readings
    .filter(({ candidate }) => candidate.confidence >= best * worthShowing)
    .slice(0, isSure ? 1 : maxShown)
    .map(({ candidate }) => candidate);
  if (!isSure && shown.length === 1) {
    const asked = `Did you mean this? ${shown[0]?.why ?? ''}`;
    return { kind: 'question', questions: [asked], candidates: shown };
  }
  const notUnderstood = first ? wordsNotRead(first, reading.words) : [];
  return {
    kind: 'plan',
    candidates: shown,
    ...(notUnderstood.length > 0 && { notUnderstood }),
  };
}

/** What a program is for is in its description; elsewhere a word that stands for nothing was not read. */
function wordsNotRead({ drafted }: Reading, words: readonly Word[]): readonly string[] {
  const isTaken = drafted.drafts.some(
    ({ profile }) => takes(profile, 'task', 'required') || takes(profile, 'query', 'required'),
  );
  if (isTaken) return [];
  const unread = words.filter(({ kind, path, meaning: { verbs, nouns, classes, names } }) => {
    const isKnown = verbs.length + nouns.length + classes.size + Object.keys(names).length > 0;
    return kind === 'word' && !path && !isKnown;
  });
  return [...new Set(unread.map(({ text }) => text))];
}

/** Names of files that are not there, or that are in several places. */
function lostPaths({ drafted }: Reading, { reading }: Situation): readonly string[] {
  const isSource = (name: string): boolean =>
    drafted.drafts.some(
      ({ profile, text }) =>
        text.includes(name) &&
        !isWriter(profile) &&
        !takes(profile, 'query', 'required') &&
        !takes(profile, 'task', 'required'),
    );
  const lost = reading.missing.map(({ name, near }) => {
    const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Which file do you mean?';
    return { name, question: `There is no "${name}" here. ${hint}` };
  });
  const doubled = reading.unclear.map(({ name, paths }) => ({
    name,
    question: `There are several files named "${name}": ${paths.join(', ')}. Which one?`,
  }));
  return [...lost, ...doubled].filter(({ name }) => isSource(name)).map(({ question }) => question);
}
