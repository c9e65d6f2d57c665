import type { Intent } from '../../contract/agent/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Conversation } from '../../contract/session/index.ts';
import { answerDirectly } from '../answer/index.ts';
import { ownWords, questionsAbout, readIntent } from '../intent/index.ts';
import { newTask, runTask, type Task } from '../loop/index.ts';
import {
  describeInput,
  describeOffered,
  fixCapability,
  nameTool,
  offerTools,
  proposeWithModel,
  stepsJsonSchema,
  type Capability,
  type PlanInput,
} from '../propose/index.ts';
import { askQuestions, canBeAsked } from './ask-client.ts';
import { carryOut, needsPreview, type Undertaking } from './carry-out.ts';
import {
  guardRules,
  inputsOf,
  asAttachment,
  base,
  modelCall,
  plainReply,
  preferencesFor,
  tellingCall,
  type Reply,
  type Turn,
} from './turn.ts';
import { respondWithoutModel } from './respond-without-model.ts';

/** What the user is taken to want, and all it was read from. */
interface Understood {
  readonly turn: Turn;
  readonly intent: Intent;
  readonly model: string;
  /** A plan that came with the intent, as the model wrote it. */
  readonly steps: unknown;
  readonly conversation: Conversation;
  readonly background: string;
  readonly inputs: readonly PlanInput[];
  readonly offered: readonly CatalogueEntry[];
  /** Earlier answers, which hold texts of tools and files, were in sight. */
  readonly isTainted: boolean;
}

/** From a message to a reply, with a model. */
export async function respondWithModel(turn: Turn): Promise<Reply> {
  const read = await understand(turn);
  turn.emit({ kind: 'intent', intent: read.intent });
  const questions = questionsAbout(read.intent, turn.parts.settings.clarification);
  const understood = questions.length > 0 ? await clarify(read, questions) : read;
  if ('outcome' in understood) return understood;
  const { tools_needed: tools, open_ended: isTask } = understood.intent;
  if (tools.length === 0 && !isTask) return answer(understood);
  return propose(understood);
}

/** Questions that were put to the user, and whether earlier answers were in sight when they were made. */
interface PutQuestions {
  readonly questions: readonly string[];
  readonly isTainted: boolean;
}

async function understand(turn: Turn, put?: PutQuestions): Promise<Understood> {
  const { parts, options, before, words } = turn;
  const { contextTokens: maxTokens, contextTurns: maxTurns } = parts.settings;
  const { caller } = turn.request;
  const wish = { caller, session: before, message: words, maxTokens, maxTurns };
  const [conversation, offered] = await Promise.all([
    parts.memory.converse({ ...wish, signal: options.signal }),
    offerTools(parts.tools, words),
  ]);
  // Questions are a model's words: they are no part of what the user said, and tell only what it was said to.
  const asked = put ?? pendingQuestions(before);
  const background = [
    ownWords(conversation, before),
    ...(put && !put.isTainted ? [`Assistant: asked: ${put.questions.join(' ')}`] : []),
  ].join('\n');
  const inputs = inputsOf(turn);
  const wanted = { words, background, inputs: inputs.map(describeInput) };
  const known = { turn, conversation, background, inputs, offered };
  const answers = [lastAnswers(conversation), ...(asked?.isTainted ? asked.questions : [])]
    .filter((text) => text !== '')
    .join('\n\n');
  if (!asked?.isTainted) {
    const { lines, plannable } = describeOffered(offered, parts.isTrusted);
    const steps = plannable.length > 0 ? { steps: stepsJsonSchema(plannable) } : {};
    const request = { ...wanted, tools: lines, ...steps };
    const read = await readIntent(parts.models, request, modelCall(turn));
    if (answers === '' || !isUnclear(turn, read.intent))
      return { ...known, ...read, isTainted: false };
  }
  // "Do the second one" can be understood only with the answers in sight.
  const tools = offered.map(nameTool);
  const again = await readIntent(parts.models, { ...wanted, tools, answers }, modelCall(turn));
  // What it would do about it is asked without them.
  return { ...known, ...again, steps: undefined, isTainted: true };
}

/** Those the assistant's last turn ended with. */
function pendingQuestions({ turns }: Turn['before']): PutQuestions | undefined {
  const last = turns.at(-1);
  // What a run waits for is not settled by a message.
  if (!last?.questions || last.runId !== undefined) return undefined;
  return { questions: last.questions, isTainted: last.isTainted === true };
}

function isUnclear({ parts }: Turn, intent: Intent): boolean {
  return questionsAbout(intent, parts.settings.clarification).length > 0;
}

const answersInSight = 2;

function lastAnswers({ recent }: Conversation): string {
  return recent
    .filter(({ role, outcome }) => role === 'assistant' && outcome === 'answer')
    .slice(-answersInSight)
    .map(({ text }) => text)
    .join('\n\n');
}

/** Asks the user: at once where the client can, else by the reply. */
async function clarify(
  { turn, intent, model, isTainted }: Understood,
  questions: readonly string[],
): Promise<Understood | Reply> {
  const { options, session, words } = turn;
  if (canBeAsked(options.client)) {
    const answers = await askQuestions(options.client, questions, options.signal);
    if (answers) {
      await session.append({
        role: 'assistant',
        text: questions.join('\n'),
        outcome: 'question',
        questions: [...questions],
        ...(isTainted && { isTainted }),
      });
      await session.append({ role: 'user', text: answers.join('\n') });
      const answered = { ...turn, words: [words, ...answers].join('\n') };
      const read = await understand(answered, { questions, isTainted });
      turn.emit({ kind: 'intent', intent: read.intent });
      // Asked once: with the answers, the best guess is planned and shown.
      return read;
    }
  }
  const { confidence } = intent;
  const known = base(turn, { confidence, model });
  const outcome = { ...known, kind: 'question', questions, candidates: [] } as const;
  return { ...plainReply(outcome), isTainted };
}

async function answer({ turn, intent, conversation, offered }: Understood): Promise<Reply> {
  const { parts, words, attachments, context } = turn;
  const given = context ? [asAttachment(context)] : [];
  const about = { words, intent, conversation, attachments, given, tools: offered, nameTool };
  const { text, model } = await answerDirectly(parts.models, about, tellingCall(turn));
  const known = base(turn, { confidence: intent.confidence, model });
  return plainReply({ ...known, kind: 'answer', answer: text });
}

async function propose(understood: Understood): Promise<Reply> {
  const { turn, intent, model, steps, background, inputs, offered, isTainted } = understood;
  const { parts, words } = turn;
  const { isTrusted, settings } = parts;
  const capability = await fixCapability(parts.tools, { words, offered, intent, isTrusted });
  if (capability.entries.length === 0) return respondWithoutModel(turn, { model });
  const rules = { ...guardRules(turn), capability, isTainted };
  const draft = steps === undefined ? {} : { draft: { steps, model } };
  // A task of several rounds may run without being shown: only what was accepted before acts in it.
  const preferences = preferencesFor(turn).filter(
    ({ acceptedAt }) => !intent.open_ended || acceptedAt !== undefined,
  );
  const asked = { words, intent, background, inputs, rules, preferences };
  const request = { ...asked, call: modelCall(turn), ...draft };
  const proposeParts = { ...parts, optimize: settings.optimizeChains };
  const proposed = await proposeWithModel(proposeParts, request);
  if (proposed.kind === 'proposal') {
    const work = { ...proposed, isTainted };
    const task = taskFor(understood, capability, work);
    if (!intent.open_ended || turn.request.planOnly) {
      const goOn = (runId: string): Promise<Reply> => runTask(turn, withRun(task, runId));
      return carryOut(turn, { ...work, goOn });
    }
    turn.emit({ kind: 'plan', proposal: proposed.proposal });
    return runTask(turn, task);
  }
  const [problem = ''] = proposed.problems;
  turn.emit({
    kind: 'notice',
    text: `The model made no plan that passes the check (${problem}); planning without it.`,
  });
  return respondWithoutModel(turn, { model, problem });
}

/** The request as a task whose first round is this plan. */
function taskFor(
  { turn, intent, background }: Understood,
  { entries }: Capability,
  work: Undertaking & { readonly model: string },
): Task {
  const { proposal, isFree, model, reads = [] } = work;
  return newTask({
    turn: turn.before.turns.length + 1,
    words: turn.words,
    background,
    goal: intent.primary_goal,
    confidence: intent.confidence,
    model,
    tools: entries.map(({ name }) => name),
    rounds: [
      { plan: proposal.plan, isFree, reads: [...reads], mustShow: needsPreview(turn, work) },
    ],
  });
}

/** The same once its first round has run. */
function withRun(task: Task, runId: string): Task {
  const rounds = task.rounds.map((round) => ({ ...round, mustShow: false, runId }));
  const mayRead = rounds.some(({ reads }) => reads.length > 0);
  return { ...task, mayRead, rounds, next: { kind: 'look' } };
}
