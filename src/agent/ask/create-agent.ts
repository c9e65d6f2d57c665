import type {
  Agent,
  AskOptions,
  AskOutcome,
  AskRequest,
  Attachment,
} from '../../contract/agent/index.ts';
import type { PackedContext } from '../../contract/context/index.ts';
import type { LearnedPreferences, Preference } from '../../contract/preference/index.ts';
import type { NewTurn, OpenSession } from '../../contract/session/index.ts';
import { AppError, pluralize, reportError } from '../../kernel/index.ts';
import { summarizeTurns } from '../answer/index.ts';
import { InvalidMessageError, SessionElsewhereError } from '../errors.ts';
import { plainLanguage, splitPastes, turnInOwnWords } from '../intent/index.ts';
import type { AgentParts } from './agent-parts.ts';
import { answerNote } from './answer-note.ts';
import { keepTexts, rememberAttachment } from './kept-texts.ts';
import { observeEdits } from './observe-edits.ts';
import { type Note, readNote } from './read-note.ts';
import { takeMessage } from './take-message.ts';
import { base, modelCall, plainReply, type Reply, tell, type Turn } from './turn.ts';
import { lastRequest } from './unanswered.ts';

const maxMessageChars = 200_000;
const maxAttachmentChars = 400_000;
const maxTitleChars = 80;

/**
 * From a message to a plan, a run and an answer.
 *
 * 1. The user's turn is durable before anything is done about it, and every outcome is a turn of its own.
 * 2. No plan runs that did not pass the guard and the type check.
 * 3. What may be called is decided from the user's own words; texts of files and results never change it.
 * 4. The agent approves nothing: it has no port to do so.
 */
export function createAgent(parts: AgentParts): Agent {
  return {
    async ask(request, options) {
      const message = readMessage(request);
      const { sessions } = parts.memory;
      const { caller } = request;
      // Before the session, so that a context that is not there leaves nothing behind.
      const context =
        request.context === undefined
          ? undefined
          : await parts.contexts.pack(caller, request.context);
      const session =
        request.session === undefined
          ? await sessions.create(caller, { title: message.words.slice(0, maxTitleChars) })
          : await sessions.open(caller, request.session);
      try {
        await requireHere(session, parts);
        return await answerIn(session, { parts, request, options, message, context });
      } finally {
        await session.close();
      }
    },
  };
}

/** A session of another folder stays as it is: "yes" to a plan of one project changes no other. */
async function requireHere(session: OpenSession, { project }: AgentParts): Promise<void> {
  const { id, folder } = session.current();
  const here = await project?.();
  if (folder === undefined || here === undefined || folder === here) return;
  throw new SessionElsewhereError({ id, folder }, here);
}

interface Message {
  readonly words: string;
  readonly attachments: readonly Attachment[];
}

/** What a message says, and what came with it: files, and code pasted between its words. */
function readMessage({ message, attachments = [] }: AskRequest): Message {
  if (message.length > maxMessageChars) {
    throw new InvalidMessageError(
      `it has more than ${maxMessageChars} characters; attach long texts as files`,
    );
  }
  const { words, pastes } = splitPastes(message);
  const pasted = pastes.map(({ content, language }, index) => ({
    name: `pasted code ${index + 1}`,
    content,
    ...(language !== undefined && { language }),
  }));
  const given = attachments.map(({ name, content, language }) => ({
    name,
    content,
    ...plainLanguage(language),
  }));
  const all = [...given, ...pasted];
  if (words === '' && all.length === 0)
    throw new InvalidMessageError('it is empty; say what is to be done');
  if (all.reduce((sum, { content }) => sum + content.length, 0) > maxAttachmentChars) {
    throw new InvalidMessageError(
      `what is attached has more than ${maxAttachmentChars} characters; attach less, or name the files so that tools read them`,
    );
  }
  return { words, attachments: all };
}

interface Asked {
  readonly parts: AgentParts;
  readonly request: AskRequest;
  readonly options: AskOptions;
  readonly message: Message;
  readonly context: PackedContext | undefined;
}

async function answerIn(session: OpenSession, asked: Asked): Promise<AskOutcome> {
  const { parts, request, options, message, context } = asked;
  const { caller } = request;
  const emit: Turn['emit'] = (event) => options.onEvent?.(event);
  emit({ kind: 'session', sessionId: session.id });
  const before = session.current();
  const given = message.attachments.map(rememberAttachment);
  const remembered = await keepTexts(given, { parts, caller, origin: session.id });
  await session.append({
    role: 'user',
    text: request.message,
    remembered,
    ...(context && { context: context.id }),
  });
  const leftOut = context?.leftOut.length ?? 0;
  if (leftOut > 0) emit({ kind: 'notice', text: describeLeftOut(leftOut, context) });
  const { words, attachments } = message;
  const bare: Turn = { ...asked, session, before, words, attachments, preferences: [], emit };
  let turn = bare;
  let outcome: AskOutcome;
  try {
    const note = attachments.length > 0 ? undefined : readNote(words, before.turns.at(-2)?.text);
    const { learned, preferences } = await learnFrom(bare, note);
    turn = { ...bare, preferences };
    const noted = describeLearned(learned);
    const isTold = learned.isAll || note?.kind === 'remember';
    const isRedone = learned.isCorrection && lastRequest(before) !== undefined;
    const again = learned.known.map((text) => `Already noted: ${text}`);
    const all = [...noted, ...again];
    const isAll = all.length > 0 && !isRedone && isOnlyPreference(turn, isTold);
    if (!isAll) for (const text of noted) emit({ kind: 'notice', text });
    const made = isAll
      ? acknowledge(turn, all.join('\n'))
      : ((note && (await answerNote(turn, note))) ??
        (await takeMessage(turn, { isCorrection: learned.isCorrection })));
    await session.append(turnOf(made));
    outcome = made.outcome;
  } catch (error) {
    await recordFailure(turn, error);
    throw error;
  }
  await keepSummary(turn);
  return outcome;
}

function describeLeftOut(count: number, context: PackedContext | undefined): string {
  return `${pluralize(count, 'item')} of the context left out: ${context?.maxTokens} tokens are all it may take`;
}

/** Learns from the message and from what the user did since, and gives what holds here from then on. */
async function learnFrom(
  turn: Turn,
  note: Note | undefined,
): Promise<{
  readonly learned: LearnedPreferences;
  readonly preferences: readonly Preference[];
}> {
  const { parts, request, session, before, words } = turn;
  const { memory } = parts;
  const project = await parts.project?.();
  const source = { session: session.id, turn: before.turns.length + 1 };
  await observeEdits(turn, source);
  const isReply = before.turns.at(-1)?.role === 'assistant';
  // "Forget that I prefer tabs" states no preference; "remember that I prefer tabs" does.
  const said = note === undefined || note.kind === 'correct' ? words : textToLearn(note);
  const learned = await memory.learn(request.caller, said, { project, source, isReply });
  const known = await memory.preferences(request.caller);
  const preferences = known.filter(
    (one) =>
      (one.state === 'active' || one.state === 'suggested') &&
      (one.project === undefined || one.project === project),
  );
  return { learned, preferences };
}

function textToLearn(note: Note): string {
  return note.kind === 'remember' ? note.text : '';
}

function describeLearned({
  learned,
  suggested,
  replaced,
  refused,
}: LearnedPreferences): readonly string[] {
  const quoted = refused.map((text) => `"${text}"`).join(', ');
  const note =
    `Not stored: ${quoted}. Approvals, permissions, safety and secrets are not a matter of preferences: ` +
    'you are asked as before. Only the settings "planning.approval" and "workflow.approval" change that.';
  return [
    ...learned.map((one) => `Noted for later: ${one}`),
    ...suggested.map((one) => `Noted for now: ${one}. Say "always" with it to keep it.`),
    ...replaced.map((one) => `No longer: ${one}`),
    ...(quoted === '' ? [] : [note]),
  ];
}

/** Every sentence tells of the writer, and none asks for anything. */
function isOnlyPreference({ words, attachments, before }: Turn, isTold: boolean): boolean {
  const { outcome } = before.turns.at(-1) ?? {};
  if (attachments.length > 0 || outcome === 'question' || outcome === 'plan') return false;
  if (isTold) return true;
  const telling =
    /^(?:please )?(?:i|we|my|our|always|never|from now on|in (?:the )?future|by default|you (?:should|must)|call me|remember|note)\b/i;
  const sentences = words.split(/[.!;\n]+/).map((sentence) => sentence.trim());
  return sentences.every((one) => one === '' || (telling.test(one) && !one.includes('?')));
}

function acknowledge(turn: Turn, answer: string): Reply {
  tell(turn, answer);
  const known = base(turn, { confidence: 1, model: null });
  return plainReply({ ...known, kind: 'answer', answer });
}

function turnOf({ outcome, remembered, isTainted, keptText }: Reply): NewTurn {
  const kept: Pick<NewTurn, 'role' | 'remembered' | 'isTainted'> = {
    role: 'assistant',
    remembered: [...remembered],
    ...(isTainted && { isTainted }),
  };
  switch (outcome.kind) {
    case 'plan': {
      const { plan, candidates, preview: text } = outcome;
      const alternatives = candidates.slice(1).map((other) => other.plan);
      return { ...kept, text, outcome: 'plan', plan, alternatives };
    }
    case 'question': {
      const { questions, candidates, runId } = outcome;
      return {
        ...kept,
        text: questions.join('\n'),
        outcome: 'question',
        questions: [...questions],
        alternatives: candidates.map(({ plan }) => plan),
        ...(runId !== undefined && { runId }),
      };
    }
    case 'refusal':
      return { ...kept, text: outcome.reason, outcome: 'refusal' };
    case 'answer': {
      const { answer: text, plan, runId, runStatus } = outcome;
      const isFailed = runStatus === 'failed' || runStatus === 'cancelled';
      return {
        ...kept,
        text: keptText ?? text,
        outcome: isFailed ? 'failed' : 'answer',
        // The run keeps what it was given; the conversation needs only which tools were called.
        ...(plan && { plan: withoutInputs(plan) }),
        ...(runId !== undefined && { runId }),
      };
    }
  }
}

function withoutInputs<Plan extends { readonly input?: unknown }>(plan: Plan): Omit<Plan, 'input'> {
  const { input: _input, ...rest } = plan;
  return rest;
}

/** So that the conversation tells what became of the message; what went wrong is told by the error itself. */
async function recordFailure({ session, options, parts }: Turn, error: unknown): Promise<void> {
  const isCancelled = options.signal.aborted;
  const text = isCancelled ? 'Cancelled.' : `It failed: ${reportError(error).message}`;
  try {
    const outcome = isCancelled ? 'cancelled' : 'failed';
    await session.append({ role: 'assistant', text: text.slice(0, 2_000), outcome });
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    parts.log.warn('failed to record turn outcome', { error: failure });
  }
}

/** Turns that leave the window before they are summed up, so that it is not done for each. */
const batch = 10;

/** Sums up turns that no longer go to the model word for word. Nothing depends on it: failures are only logged. */
async function keepSummary(turn: Turn): Promise<void> {
  const { parts, options, session } = turn;
  const { turns, summary } = session.current();
  const newest = turns.length - parts.settings.contextTurns;
  const since = turns.slice(summary?.turn ?? 0, Math.max(0, newest));
  if (since.length < batch) return;
  try {
    if (!(await parts.models.find('agent', options.client))) return;
    const summed = { before: summary?.text ?? null, turns: since.map(turnInOwnWords) };
    const text = await summarizeTurns(parts.models, summed, modelCall(turn));
    if (text !== '') await session.summarize({ text, turn: newest });
  } catch (error) {
    // The answer is given and recorded: what is cancelled from here on is this alone.
    if (options.signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    parts.log.warn('failed to summarize older turns', { error });
  }
}
