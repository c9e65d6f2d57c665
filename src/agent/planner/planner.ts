import { splitCode } from '../intent/index.ts';
import { readContext, type Situation } from './read-context.ts';
import { findPaths } from './find-paths.ts';
import { createToolLearner } from './learn-tools.ts';
import { lexicon, type AboutTopic, type Elsewhere } from './lexicon.ts';
import { offerReadings, weighTools, type Reading } from './offer-readings.ts';
import type { Planner, PlanningAnswer } from '../planning.ts';
import { splitMessage, type Clause } from './read-clauses.ts';
import { has, isKnown, isSignificant, readWords, type Word } from './read-words.ts';
import { isWriter, takes, type Phrases } from './tool-profile.ts';

const maxMessageChars = 6_000;
const maxShown = 3;
/** A reading that takes this share of all is meant. */
const sureShare = 0.6;
/** A tool with this share is kept where the words are also like those for what no tool does. */
const likelyShare = 0.25;
/** No reading of a few unknown words with less than this is worth offering. */
const strayShare = 0.17;
/** Unless they are so with this share. */
const elsewhereShare = 0.4;
/** A message that is vague with this likelihood is never read in one way only. */
const vagueShare = 0.05;
/** What is incomplete is asked about where it is so many times likelier than what is complete. */
const muchLikelier = 3;

/**
 * Plans without a language model: the words of the message are compared with example phrases of the tools in the
 * catalogue, names in it with the files on disk, and what one step gives with what the next takes. The same request on
 * the same disk always gives the same answer.
 */
export function createPlanner(phrases: Phrases): Planner {
  const learnTools = createToolLearner(phrases);
  return {
    plan: async (request) => {
      request.signal.throwIfAborted();
      const message = request.message.slice(0, maxMessageChars);
      const { prose, code } = splitCode(message);
      if (prose === '') return ask('What should be done with this code?');
      const toolset = learnTools(request);
      if (toolset.isHarmful(prose)) return { ...refuse(lexicon.answers.harm), isFinal: true };
      const reading = await findPaths(readWords(prose), request.files);
      const pasted = code ?? reading.words.find(({ kind }) => kind === 'code')?.text;
      const context = readContext(request, pasted);
      return decide({ request, prose, reading, context, ...toolset });
    },
  };
}

const refuse = (reason: string) => ({ kind: 'refusal', reason }) as const;

const ask = (...asked: readonly string[]) =>
  ({ kind: 'question', questions: asked, candidates: [] }) as const;

function decide(situation: Situation): PlanningAnswer {
  const splits = splitMessage(situation.reading.words, (stretch) => weighTools(stretch, situation));
  const [whole] = splits[0]?.clauses ?? [];
  const said = situation.reading.words.filter(({ kind }) => kind !== 'mark');
  if (!said.some(isSignificant))
    return { kind: 'about', topic: has(said[0], 'polite') ? 'greeting' : 'capabilities' };
  const special = whole && answerSpecial(whole, situation);
  if (special) return special;
  const vague = whole?.guesses.find(({ label }) => label === 'vague')?.share ?? 0;
  const readings = offerReadings(splits, situation);
  const [first] = readings;
  if (!first) return ask(lexicon.answers.task);
  const lost = situation.reading.lost.filter(({ name }) => isReadFrom(name, first));
  if (lost.length > 0) return ask(...lost.map(({ question }) => question));
  const { missing } = first.drafted;
  const isNamed = ({ kind, path }: Word): boolean => kind === 'path' && path?.kind === 'file';
  if (missing.includes('model'))
    return said.some(isNamed) ? refuse(lexicon.answers.template) : ask(lexicon.answers.model);
  const complete = readings.filter(({ drafted }) => drafted.missing.length === 0);
  const isLikely =
    first.candidate.confidence > (complete[0]?.candidate.confidence ?? 0) * muchLikelier;
  if (missing.length > 0 && isLikely) return ask(...missing.map((what) => lexicon.answers[what]));
  return offer(complete, { ...situation, isClear: complete[0] === first && vague < vagueShare });
}

/** What is about Tutti itself, or no tool's, as a whole. */
function answerSpecial(whole: Clause, situation: Situation): PlanningAnswer | undefined {
  const { request, tools, findElsewhere } = situation;
  const label = whole.guesses[0]?.label ?? '';
  // Tools of other servers are among the guesses only where the words speak of them.
  const isOffered = whole.guesses.some(({ label: name }) => {
    const server = tools.get(name)?.entry.server;
    return server !== undefined && !request.isOwn(server);
  });
  const tool = tools.get(label);
  const isSure = (whole.guesses[0]?.share ?? 0) >= likelyShare || tool?.isReadOnly === false;
  // One that takes any task is no sign that it does this one.
  const isOurs = label === 'vague' || (tool && isSure && !takes(tool, 'task', 'required'));
  const elsewhere = findElsewhere(whole.features, isOffered ? 1 : isOurs ? elsewhereShare : 0);
  if (elsewhere !== undefined) return refuseWith(elsewhere, whole, situation);
  const isStray = (whole.guesses[0]?.share ?? 0) < strayShare && isEveryday(whole.words);
  if (isStray && !isOffered) return refuse(lexicon.answers.unknown);
  // The keys of the data are the topics.
  if (label in lexicon.phrases.topics && request.attachments.length === 0)
    return { kind: 'about', topic: label as AboutTopic };
  if (label === 'outside') return refuse(lexicon.answers.unknown);
  return label === 'explain' ? refuseWith(lexicon.explain, whole, situation) : undefined;
}

/** With requests for what helps instead, about the file or folder that is spoken of. */
function refuseWith(
  { answer, offers = [] }: Elsewhere,
  { paths, pointsBack }: Clause,
  { context, reading }: Situation,
): PlanningAnswer | undefined {
  // What is not there is asked about first.
  if (offers.length > 0 && reading.lost.length > 0) return undefined;
  const path = paths[0]?.path ?? (pointsBack ? context.lastPath : undefined);
  const said = path === '.' ? 'this project' : path;
  if (said === undefined) return refuse(answer);
  const other = reading.files.has(said) ? 'FOLDER' : 'FILE';
  const fitting = offers.filter((one) => !one.includes(other));
  return {
    ...refuse(answer),
    offers: fitting.map((one) => one.replace(/FILE|FOLDER|PATH/u, () => said)),
  };
}

/** "call mom": two words, neither of work on a project; more describe something, even if no word of it is known. */
function isEveryday(words: readonly Word[]): boolean {
  const said = words.filter(isSignificant);
  const isForeign = (word: Word): boolean =>
    word.kind === 'word' &&
    !word.path &&
    (!isKnown(word) || has(word, 'offTopic', 'victim', 'says'));
  return said.length === 2 && said.every(isForeign);
}

/** One plan when there is no doubt and every word is read, numbered readings otherwise. */
function offer(
  readings: readonly Reading[],
  { request, isClear, reading }: Situation & { readonly isClear: boolean },
): PlanningAnswer {
  const [first] = readings;
  const count = first?.drafted.drafts.length ?? 0;
  if (count > request.maxSteps)
    return ask(`That takes ${count} steps of at most ${request.maxSteps}. Which part comes first?`);
  const notUnderstood = first ? wordsNotRead(first, reading.words) : [];
  const isSure = isClear && (first?.candidate.confidence ?? 0) >= sureShare;
  const shown = isSure && notUnderstood.length === 0 ? 1 : maxShown;
  const candidates = readings.slice(0, shown).map(({ candidate }) => candidate);
  if (!isSure && candidates.length === 1)
    return { ...ask(`Did you mean this? ${candidates[0]?.why ?? ''}`), candidates };
  return { kind: 'plan', candidates, ...(notUnderstood.length > 0 && { notUnderstood }) };
}

/** Words that stand for nothing and are in no argument either. */
function wordsNotRead({ candidate, drafted }: Reading, words: readonly Word[]): readonly string[] {
  const args = JSON.stringify(candidate.plan.steps);
  const understood = drafted.drafts.map(({ slots }) => slots.understood).join(' ');
  const unread = words
    .filter(({ kind, path }) => /^(?:word|flag|number|quote)$/u.test(kind) && !path)
    .filter((word) => !isKnown(word) || word.kind === 'flag')
    .filter(({ text }) => !understood.includes(text) && !args.includes(text));
  return [...new Set(unread.map(({ text }) => text))];
}

/** The name stands where a step reads something, and is not what is written, described or searched for. */
function isReadFrom(name: string, { drafted }: Reading): boolean {
  return drafted.drafts.some(
    ({ profile, text }) =>
      text.includes(name) &&
      !isWriter(profile) &&
      !['query', 'task'].some((role) => takes(profile, role, 'required')),
  );
}
