import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { buildPlan } from './build-plan.ts';
import { readContext, type Context } from './deciding/context.ts';
import { doubtsOf } from './deciding/doubts.ts';
import { decideSteps } from './deciding/decide-steps.ts';
import type { Decided, Deciding } from './deciding/drafting.ts';
import { givenBy, type Draft } from './deciding/draft.ts';
import { guessMeaning, weighSubject, type Embed, type Guess } from './reading/guess-meaning.ts';
import { Lexicon } from './words/lexicon.ts';
import type { PlanCandidate } from '../../contract/agent/index.ts';
import type { Planner, PlanningAnswer, PlanningRequest } from './plan-request.ts';
import {
  deeds,
  openQuestion,
  questionOfLanguages,
  questionsFor,
  questionsOfDoubt,
} from './questions.ts';
import { isHarmful } from './words/is-harmful.ts';
import type { Term } from './words/read-terms.ts';
import { isProgramming } from './words/is-programming.ts';
import { chooseTools, otherTools, type ToolChoice } from './deciding/tool-choice.ts';
import { profileOf } from './deciding/tool-profile.ts';
import { readView } from './reading/piece-view.ts';
import { understand, type Understanding } from './reading/understand.ts';
import { mendings, variantsOf } from './deciding/variants.ts';
import type { Wish } from './reading/wish.ts';

export interface PlannerParts {
  /** One vector of length 1 per text; asked only where rules leave doubt. */
  readonly embed: Embed;
}

const maxMessageChars = 6_000;
const maxCandidates = 3;
/** A cosine, measured with MiniLM on what tools say about themselves. */
const sureToolLikeness = 0.62;

/**
 * Plans without a language model: words and their order say what is wanted, what tools take and give says in
 * which order and with which arguments. The same request always gives the same answer.
 */
export function createPlanner({ embed }: PlannerParts): Planner {
  const lexicon = new Lexicon();
  const choose = rememberChoice();
  return {
    plan: async (request) => {
      request.signal.throwIfAborted();
      const { message, inlineCode } = separateCode(request.message.slice(0, maxMessageChars));
      if (isHarmful(message)) return refuseHarm;
      const context = readContext(request, inlineCode);
      const understanding = understand(message, lexicon, {
        hasContext: context.given.length > 0,
        hasTests: context.given.some(({ kind }) => kind === 'tests'),
        hasSpec: context.given.some(({ kind }) => kind === 'spec'),
      });
      const deciding: Deciding = { message, understanding, context, tools: choose(request.tools) };
      const how = { embed, signal: request.signal };
      const wishes = wishesOf(understanding, context);
      if (wishes.length === 0) return await answerUnread(deciding, request, how);
      const doubtful = isDoubtful(wishes, understanding, context);
      if (understanding.isOff && doubtful) return refuseOff(request);
      const subject = doubtful ? await weighSubject(message, how) : 'program';
      if (subject === 'everyday') return refuseOff(request);
      const answer = answerWishes(wishes, deciding, request);
      if (subject === 'program' || answer.kind !== 'plan') return answer;
      return {
        kind: 'question',
        questions: ['Is that to be a program? Say in a sentence what it should do.'],
        candidates: answer.candidates,
      };
    },
  };
}

/** A catalogue is looked through once, as long as it is the same list. */
function rememberChoice(): (entries: readonly CatalogueEntry[]) => ToolChoice {
  const known = new WeakMap<readonly CatalogueEntry[], ToolChoice>();
  return (entries) => {
    const choice = known.get(entries) ?? chooseTools(entries);
    known.set(entries, choice);
    return choice;
  };
}

const refuseHarm: PlanningAnswer = {
  kind: 'refusal',
  reason: 'This asks for a program that harms others, which I do not help with.',
  nearest: [],
};

function refuseOff({ tools }: PlanningRequest): PlanningAnswer {
  const choice = chooseTools(tools);
  const able = (['code', 'tests', 'review', 'spec'] as const).filter((capability) =>
    choice.has(capability),
  );
  const can = able.map((capability) => deeds[capability]).join(', ');
  return {
    kind: 'refusal',
    reason: `No tool here is for that.${can === '' ? '' : ` What I can do: ${can}.`}`,
    nearest: able.flatMap((capability) => choice.get(capability)?.[0]?.entry.name ?? []),
  };
}

function wishesOf(understanding: Understanding, context: Context): readonly Wish[] {
  const { wishes, denied, isOff } = understanding;
  if (wishes.length === 0 && !isOff) return fromSlots(understanding, context);
  const isSpecGiven = context.given.some(({ kind }) => kind === 'spec');
  const isBuilt = wishes.some(({ capability }) => capability === 'code');
  return wishes
    .map((wish) => ofSpec(wish, understanding, context))
    .filter(
      ({ capability, terms }) =>
        !denied.includes(capability) &&
        // "Based on the attached spec, write the service": it is there already.
        !(
          capability === 'spec' &&
          isSpecGiven &&
          isBuilt &&
          terms.some(({ tags }) => tags.has('f.attached'))
        ),
    );
}

/** After a specification alone, a remark is about it: "it should say five attempts". */
function ofSpec(wish: Wish, understanding: Understanding, context: Context): Wish {
  const isChange = wish.capability === 'code' && wish.target === 'given' && !wish.isSame;
  return isChange && !hasVerb(wish) && isAboutSpec(understanding, context)
    ? { ...wish, capability: 'spec' }
    : wish;
}

function isAboutSpec({ slots }: Understanding, { given }: Context): boolean {
  const isBuilt = slots.languages.length > 0 || slots.framework !== undefined;
  return !isBuilt && given.length > 0 && given.every(({ kind }) => kind === 'spec');
}

function hasVerb({ terms }: Wish): boolean {
  return readView({ join: 'start', terms }).hasOwnVerb;
}

/** "And in Go?", "max 100 characters per line": a value alone changes what there is. */
function fromSlots({ slots, terms, hasContent }: Understanding, context: Context): readonly Wish[] {
  const isNamed = slots.languages.length > 0 || slots.framework !== undefined;
  if (context.given.length === 0)
    return isNamed && hasContent && !isAsked(terms)
      ? [{ capability: 'code', target: 'new', terms }]
      : [];
  const base = { target: 'given', terms } as const;
  if (slots.focus.length > 0 && isAsked(terms)) return [{ ...base, capability: 'review' }];
  if (slots.testFramework !== undefined || slots.coverage !== undefined)
    return [{ ...base, capability: 'tests' }];
  const isChange = isNamed || slots.lineLength !== undefined || slots.styleGuide !== undefined;
  return isChange ? [{ ...base, capability: 'code' }] : [];
}

function isAsked(terms: readonly Term[]): boolean {
  return terms.some(({ word }) => word === '?') || terms[0]?.tags.has('f.question') === true;
}

/** Something is to be written, but no word says that it is a program. */
function isDoubtful(
  wishes: readonly Wish[],
  understanding: Understanding,
  context: Context,
): boolean {
  const makes = wishes.every(
    ({ capability, target }) =>
      (capability === 'code' && target === 'new') ||
      (capability === 'search' && understanding.isOff),
  );
  return (
    makes &&
    understanding.hasContent &&
    context.given.length === 0 &&
    !isProgramming(understanding.terms)
  );
}

interface How {
  readonly embed: Embed;
  readonly signal: AbortSignal;
}

/** Nothing in the message was understood by rule: by meaning, then. */
async function answerUnread(
  deciding: Deciding,
  request: PlanningRequest,
  how: How,
): Promise<PlanningAnswer> {
  const { understanding, message, context } = deciding;
  const guess = await guessMeaning(message, otherTools(request.tools, deciding.tools), how);
  if (guess.kind === 'tool') return answerTool(guess, deciding, request);
  if (understanding.isOff) return refuseOff(request);
  const isAboutPrograms = isProgramming(understanding.terms) || context.given.length > 0;
  if (guess.kind === 'off' && !(isAboutPrograms || isTooShort(understanding)))
    return refuseOff(request);
  if (guess.kind !== 'capability') return ask(openQuestion);
  // After an answer, a remark about the code is a wish to have it changed.
  const isRemark =
    context.latest !== undefined &&
    !isAsked(understanding.terms) &&
    !guess.isSure &&
    understanding.hasContent;
  const changed = isAboutSpec(understanding, context) ? 'spec' : 'code';
  const capability = isRemark ? changed : guess.capability;
  const wishes: readonly Wish[] = [
    { capability, target: context.given.length > 0 ? 'given' : 'open', terms: understanding.terms },
  ];
  const answer = answerWishes(wishes, deciding, request);
  if (answer.kind !== 'plan' || isRemark || (guess.isSure && context.given.length > 0))
    return answer;
  return {
    kind: 'question',
    questions: [`Do you want me to ${deeds[guess.capability]}?`],
    candidates: answer.candidates,
  };
}

/** "Continue", "Do your thing": too little to say that it is about something else. */
function isTooShort({ hasContent, terms }: Understanding): boolean {
  return !hasContent || terms.length <= 2;
}

function ask(...questions: readonly string[]): PlanningAnswer {
  return { kind: 'question', questions, candidates: [] };
}

/** A tool that no rule knows of, found by what it says about itself. */
function answerTool(
  guess: Extract<Guess, { kind: 'tool' }>,
  deciding: Deciding,
  request: PlanningRequest,
): PlanningAnswer {
  const { message, understanding } = deciding;
  const draft: Draft = {
    id: idOf(guess.entry),
    capability: 'search',
    tool: profileOf(guess.entry),
    sources: [],
    text: message,
    slots: understanding.slots,
    gives: givenBy.search,
  };
  const plan = buildPlan({ message: request.message, drafts: [draft] });
  const why = `"${guess.entry.name}" says that it is for something like this.`;
  const candidates = [{ plan, confidence: Math.min(0.7, guess.score), why }];
  // Nothing but the likeness of two texts speaks for it.
  if (guess.score >= sureToolLikeness) return { kind: 'plan', candidates };
  return {
    kind: 'question',
    questions: [`Did you mean "${guess.entry.name}"? ${why}`],
    candidates,
  };
}

function idOf({ tool }: CatalogueEntry): string {
  const id = tool.name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 60);
  return /^[A-Za-z]/u.test(id) && !['input', 'item', 'index', 'run', 'result'].includes(id)
    ? id
    : `step_${id}`;
}

function answerWishes(
  wishes: readonly Wish[],
  deciding: Deciding,
  request: PlanningRequest,
): PlanningAnswer {
  const { understanding, tools } = deciding;
  const decided = decideSteps(wishes, deciding);
  const lacking = decided.missing.filter(({ what }) => what === 'tool');
  if (lacking.length > 0 && decided.drafts.length === 0) return refuseLacking(decided);
  const others = variantsOf(wishes, understanding, tools).flatMap(
    ({ wishes: other, isJoined, why }) => {
      const made = decideSteps(other, deciding, { isJoined: isJoined ?? false });
      return made.missing.length === 0 && made.drafts.length > 0 ? [{ decided: made, why }] : [];
    },
  );
  const doubts = decided.missing.length > 0 ? [] : doubtsOf(wishes, decided, deciding);
  const mended = mendings(wishes, doubts).flatMap(({ wishes: other, why }) => {
    const made = decideSteps(other, deciding);
    return made.missing.length === 0 && made.drafts.length > 0 ? [{ decided: made, why }] : [];
  });
  const candidates = distinct([
    ...(decided.drafts.length > 0 && decided.missing.length === lacking.length
      ? [candidateOf(decided, deciding, request)]
      : []),
    ...[...mended, ...others].map(({ decided: made, why }, at) => ({
      ...candidateOf(made, deciding, request),
      confidence: Math.max(0.1, 0.4 - at * 0.1),
      why,
    })),
  ]);
  if (decided.missing.length > 0)
    return { kind: 'question', questions: questionsFor(decided.missing), candidates };
  if (decided.drafts.length > request.maxSteps) {
    return ask(
      `That would take ${decided.drafts.length} steps, and at most ${request.maxSteps} are allowed. Which part comes first?`,
    );
  }
  if (understanding.undecided.length > 0)
    return {
      kind: 'question',
      questions: [questionOfLanguages(understanding.undecided)],
      candidates,
    };
  return doubts.length > 0
    ? { kind: 'question', questions: questionsOfDoubt(doubts, decided.drafts), candidates }
    : { kind: 'plan', candidates };
}

function refuseLacking({ missing }: Decided): PlanningAnswer {
  const lacking = missing.flatMap((one) => (one.what === 'tool' ? [deeds[one.capability]] : []));
  return { kind: 'refusal', reason: `No tool here can ${lacking.join(' or ')}.`, nearest: [] };
}

function candidateOf(
  { drafts }: Decided,
  deciding: Deciding,
  request: PlanningRequest,
): PlanCandidate {
  const { understanding, context } = deciding;
  const isSame = understanding.wishes.some((wish) => wish.isSame);
  const plan = buildPlan({
    message: request.message,
    drafts,
    ...(isSame && context.lastRequest !== undefined && { lastRequest: context.lastRequest }),
  });
  const unread = understanding.unknown.length;
  const confidence = Math.max(0.4, 0.85 - 0.1 * unread - 0.03 * Math.max(0, drafts.length - 4));
  const steps = drafts.map(({ capability }) => deeds[capability]).join(', then ');
  const left = unread > 0 ? ` A part of the message was not understood.` : '';
  return { plan, confidence, why: `Read as: ${steps}.${left}` };
}

/** Candidates that call other tools than those before them. */
function distinct(candidates: readonly PlanCandidate[]): readonly PlanCandidate[] {
  const seen = new Set<string>();
  return candidates
    .filter(({ plan }) => {
      const key = plan.steps
        .map(({ tool }) => tool)
        .toSorted((a = '', b = '') => (a < b ? -1 : 1))
        .join();
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    })
    .slice(0, maxCandidates);
}

const fence = /```[^\n`]*\n([\s\S]*?)(?:```|$)/u;

/** Code between fences is material, not words. */
function separateCode(message: string): {
  readonly message: string;
  readonly inlineCode: string | undefined;
} {
  const found = fence.exec(message);
  return {
    message: found ? message.replace(found[0], () => ' ') : message,
    inlineCode: found?.[1],
  };
}
