import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { isWriter, takes } from './draft-steps.ts';
import { splitCode } from './find-code.ts';
import { findPaths } from './find-paths.ts';
import { offerReadings, type Reading } from './offer-readings.ts';
import type { Planner, PlanningAnswer, PlanningRequest } from './plan-request.ts';
import { createRanking } from './rank-tools.ts';
import { readContext } from './read-context.ts';
import { isHarmful, readAbout } from './read-intent-class.ts';
import { readWishes, type Situation, type Wish, type Wishes } from './read-wishes.ts';
import { readWords, type Word } from './read-words.ts';
import { repeatLast } from './repeat-last.ts';
import { has, isSignificant } from './split-clauses.ts';
import { profileTool, type ToolProfile } from './tool-profile.ts';

const maxMessageChars = 6_000;
const maxReadings = 3;
/** A tool that fits this well, and so much better than the next, is meant. */
const sureScore = 0.6;
const sureMargin = 0.18;
const standIn = 0.85;

/**
 * Plans without a language model: the words of the message are compared with what the tools in the catalogue say about
 * themselves, names in it with the files on disk, and what one step gives with what the next takes. The same request on
 * the same disk always gives the same answer.
 */
export function createPlanner(): Planner {
  const toolset = rememberTools();
  return {
    plan: async (request) => {
      request.signal.throwIfAborted();
      const message = request.message.slice(0, maxMessageChars);
      if (isHarmful(message)) return refuseHarm;
      const topic = readAbout(message);
      if (topic && request.attachments.length === 0) return { kind: 'about', topic };
      const { prose, code } = splitCode(message);
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

type Toolset = Pick<Situation, 'profiles' | 'rank'>;

/** Reading what tools say about themselves takes longer than a plan, and a catalogue seldom changes. */
function rememberTools(): (request: PlanningRequest) => Toolset {
  let last: { readonly tools: readonly CatalogueEntry[]; readonly toolset: Toolset } | undefined;
  return ({ tools, isOwn }) => {
    const isSame =
      last?.tools.length === tools.length && last.tools.every((tool, at) => tool === tools[at]);
    if (last && isSame) return last.toolset;
    const profiles = tools.map(profileTool);
    last = { tools, toolset: { profiles, rank: createRanking(profiles, isOwn) } };
    return last.toolset;
  };
}

function decide(situation: Situation): PlanningAnswer {
  const again = repeatLast(situation);
  if (again) return { kind: 'plan', candidates: [again] };
  const wishes = readWishes(situation);
  const { known } = wishes;
  if (known.length === 0 || isOffTopic(situation, known)) return answerUnknown(situation, known);
  const lost = lostPaths(known, situation);
  if (lost.length > 0) return { kind: 'question', questions: lost, candidates: [] };
  const readings = offerReadings(known, situation);
  if (readings[0]?.drafted.missing.includes('model')) return refuseTemplate;
  // Where the best reading lacks something, only one that is as good may stand in for it.
  const floor =
    readings[0]?.drafted.missing.length === 0
      ? 0
      : (readings[0]?.candidate.confidence ?? 0) * standIn;
  const whole = readings.filter(
    ({ drafted, candidate }) => drafted.missing.length === 0 && candidate.confidence >= floor,
  );
  // Of several readings, those that lack a value are left out.
  const complete = whole.filter(
    ({ candidate }) => candidate === whole[0]?.candidate || candidate.plan.input === undefined,
  );
  const isVague = known.every((wish) => lacksTask(wish, situation));
  const [first] = whole;
  if (isVague || !first) {
    const missing = readings[0]?.drafted.missing ?? [];
    const lacking = missing.filter((what) => what !== 'model');
    const asked = new Set([...lacking, ...(isVague ? (['task'] as const) : [])]);
    return {
      kind: 'question',
      questions: [...asked].map((what) => questions[what]),
      candidates: [],
    };
  }
  const offered = complete.length > 1 ? complete : whole;
  return offer(offered, wishes, { ...situation, isFirstWhole: first === readings[0] });
}

const refuseTemplate: PlanningAnswer = {
  kind: 'refusal',
  reason:
    'That needs a model: without one only a template could be made, and it must not replace files that are there.',
  nearest: [],
};

const questions = {
  code: 'Which code do you mean? Name a file or folder, or paste the code.',
  task: 'What exactly should it do? Describe it in a sentence or two.',
  file: 'Which file do you mean? That works for single files only.',
  content: 'What should be saved? Nothing has been made yet in this conversation.',
} as const;

/** One plan when there is no doubt, numbered readings when there is. */
function offer(
  whole: readonly Reading[],
  wishes: Wishes,
  { request, isFirstWhole }: Situation & { readonly isFirstWhole: boolean },
): PlanningAnswer {
  const [first] = whole;
  const count = first?.drafted.drafts.length ?? 0;
  if (count > request.maxSteps) {
    const question = `That would take ${count} steps, and at most ${request.maxSteps} are allowed. Which part comes first?`;
    return { kind: 'question', questions: [question], candidates: [] };
  }
  const notUnderstood = wordsNotRead(wishes);
  const isSure =
    isFirstWhole &&
    wishes.unknown.length === 0 &&
    wishes.known.every(isClear) &&
    (whole.length === 1 || (first?.drafted.isScopeAssumed === false && notUnderstood.length < 2));
  const shown = whole.slice(0, isSure ? 1 : maxReadings).map(({ candidate }) => candidate);
  if (!isSure && shown.length === 1) {
    const asked = `Did you mean this? ${shown[0]?.why ?? ''}`;
    return { kind: 'question', questions: [asked], candidates: shown };
  }
  return {
    kind: 'plan',
    candidates: shown,
    ...(notUnderstood.length > 0 && { notUnderstood }),
  };
}

function isClear({ frame, ranked: [best, next] }: Wish): boolean {
  if (!best || frame.isObjectUnknown) return false;
  return best.score >= sureScore && best.score - (next?.score ?? 0) >= sureMargin;
}

/** What a program is for is in its description; elsewhere a word that stands for nothing was not read. */
function wordsNotRead({ known, unknown }: Wishes): readonly string[] {
  const isTaken = ({ frame, ranked: [best] }: Wish): boolean =>
    frame.isMaking ||
    (best !== undefined &&
      (takes(best.profile, 'task', 'required') || takes(best.profile, 'query', 'required')));
  const words = known.filter((wish) => !isTaken(wish)).flatMap(({ frame }) => frame.unknown);
  return [...new Set([...words, ...unknown.map(({ text }) => text)])];
}

/** Everyday words, and nothing that programs are made of. */
function isOffTopic({ reading, request, context }: Situation, wishes: readonly Wish[]): boolean {
  const { words } = reading;
  if (!words.some((word) => has(word, 'offTopic')) || context.given.length > 0) return false;
  if (words.some(isTechnical)) return false;
  return !wishes.some(({ frame, ranked: [top] }) => {
    const isProgram = frame.isMaking && !frame.isObjectUnknown;
    const isForeign = top && top.score >= sureScore && !request.isOwn(top.profile.entry.server);
    return isProgram || isForeign === true;
  });
}

function isTechnical({ meaning: { names, nouns }, path, kind }: Word): boolean {
  const { languages, frameworks, testFrameworks } = names;
  const isNamed = (languages ?? frameworks ?? testFrameworks) !== undefined;
  const isObject = nouns.some((noun) => noun === 'code' || noun === 'tests' || noun === 'spec');
  return isNamed || isObject || path !== undefined || kind === 'symbol' || kind === 'code';
}

/** A program is wanted and nothing says which, or something is to be changed and nothing says how. */
function lacksTask({ frame, ranked: [best] }: Wish, { context }: Situation): boolean {
  if (!best || !takes(best.profile, 'task', 'required')) return false;
  const isEmpty = ({ meaning: { classes, names, verbs, nouns }, kind }: Word): boolean =>
    nouns.some((noun) => /^(?:spec|tests|code|review)$/u.test(noun)) ||
    kind === 'mark' ||
    verbs.length > 0 ||
    (names.languages ?? names.frameworks) !== undefined ||
    emptyClasses.some((name) => classes.has(name));
  const says = frame.words.some((word) => isSignificant(word) && !isEmpty(word));
  return !says && frame.paths.length + context.given.length + context.remembered.length === 0;
}

const emptyClasses = [
  'generic',
  'vague',
  'polite',
  'given',
  'light',
  'pronouns',
  'questions',
] as const;

/** Names of files that are not there, or that are in several places. */
function lostPaths(wishes: readonly Wish[], { reading }: Situation): readonly string[] {
  const isSource = (name: string): boolean =>
    wishes.some(({ frame, ranked: [top] }) => {
      const isWork = top && !isWriter(top.profile) && !takes(top.profile, 'query', 'required');
      return isWork && frame.verb !== 'create' && frame.words.some((word) => word.text === name);
    });
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

/** No tool is for it: something vague is asked about, something else is refused. */
function answerUnknown(situation: Situation, wishes: readonly Wish[]): PlanningAnswer {
  const { request, reading, context, profiles } = situation;
  const { words } = reading;
  const isOff = words.some((word) => has(word, 'offTopic'));
  const content = words.filter(
    (word) =>
      word.kind === 'word' &&
      isSignificant(word) &&
      !has(word, 'pronouns') &&
      !has(word, 'vague') &&
      !has(word, 'light'),
  );
  const isWork = words.some(
    (word) => isTechnical(word) || has(word, 'software') || word.meaning.nouns.length > 0,
  );
  const hasMaterial = context.given.length + context.remembered.length > 0;
  if (!isOff && (isWork || hasMaterial || content.length < 2)) {
    const hint = reading.hasFiles ? ' Name a file or folder and say what to do with it.' : '';
    const question = `What would you like to have done?${hint}`;
    return { kind: 'question', questions: [question], candidates: [] };
  }
  const near = (wishes[0]?.ranked ?? []).slice(0, 3).map(({ profile }) => profile.entry.name);
  const reason = `No tool here is for that. ${offers(profiles, request.isOwn)}`.trim();
  return { kind: 'refusal', reason, nearest: isOff ? [] : near };
}

/** A few titles, so that a refusal says what would work. */
function offers(profiles: readonly ToolProfile[], isOwn: (server: string) => boolean): string {
  const titles = profiles
    .filter((profile) => isOwn(profile.entry.server) && takes(profile, 'code'))
    .map(({ entry }) => entry.tool.title ?? entry.tool.name);
  if (titles.length === 0) return '';
  return `Tutti can, for example: ${titles.slice(0, 6).join(', ').toLowerCase()}.`;
}
