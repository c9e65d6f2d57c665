import { createHiddenTexts } from '../answer/index.ts';
import type { AgentParts } from './agent-parts.ts';
import { loadText } from './kept-texts.ts';
import { isOwn, plainLanguage, withoutPastes } from '../intent/index.ts';
import { collectInputs, type GuardRules, type PlanInput } from '../propose/index.ts';
import type {
  AgentEvent,
  AskOptions,
  AskOutcome,
  AskRequest,
  Attachment,
} from '../../contract/agent/index.ts';
import type { PackedContext } from '../../contract/context/index.ts';
import type { ModelCall } from '../../contract/model/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import type { OpenSession, Remembered, Session } from '../../contract/session/index.ts';

/** One message on its way to an outcome. */
export interface Turn {
  readonly parts: AgentParts;
  readonly request: AskRequest;
  readonly options: AskOptions;
  readonly session: OpenSession;
  /** The session as it was before this message. */
  readonly before: Session;
  /** What the user wants in their own words, what they answered to questions included; pastes left out. */
  readonly words: string;
  readonly attachments: readonly Attachment[];
  /** Read by models only to answer, and by plans as `input.context`; no decision rests on it. */
  readonly context?: PackedContext | undefined;
  /** Those of the user that hold here, and those that are suggested; the latest learned first. */
  readonly preferences: readonly Preference[];
  readonly emit: (event: AgentEvent) => void;
}

/** What came of a turn, and what of it a later one may refer to. */
export interface Reply {
  readonly outcome: AskOutcome;
  readonly remembered: readonly Remembered[];
  /** Earlier answers were in sight when its words were chosen. */
  readonly isTainted?: boolean;
  /** What the conversation keeps where that is not the answer itself. */
  readonly keptText?: string;
}

/** How this turn asks models: within the session's budget. */
export function modelCall({ request, options, session }: Turn): ModelCall {
  return {
    caller: request.caller,
    signal: options.signal,
    ...(options.client && { client: options.client }),
    budgets: [`session:${session.id}`],
  };
}

/** The same, with the answer told piece by piece as it is made. */
export function tellingCall(turn: Turn): ModelCall {
  return {
    ...modelCall(turn),
    onText: (text) => turn.emit({ kind: 'text', text, isMarkdown: true }),
    onRestart: () => turn.emit({ kind: 'restart' }),
  };
}

/** A text that no model wrote, such as that of a tool: it is shown as it is. */
export function tell(turn: Turn, text: string): void {
  if (text !== '') turn.emit({ kind: 'text', text });
}

/** Text of results as it may be shown, and how much of it is hidden. */
export async function hideIn(text: string, { parts }: Turn): Promise<string> {
  const hidden = createHiddenTexts(await parts.hideSecrets?.());
  const shown = hidden.show(text);
  const note = hidden.note();
  return note === '' ? shown : `${shown}\n\n${note}`;
}

/** The members every outcome has. */
export function base(
  turn: Turn,
  { confidence, model }: { readonly confidence: number; readonly model: string | null },
) {
  return { sessionId: turn.session.id, confidence, model };
}

export function plainReply(outcome: AskOutcome): Reply {
  return { outcome, remembered: [] };
}

/** What plans of this turn are held to, but for what they may call. */
export function guardRules({
  parts,
  before,
  words,
  attachments,
}: Turn): Omit<GuardRules, 'capability'> {
  const { maxSteps, approval } = parts.settings;
  const said = before.turns.filter(isOwn).map(({ text }) => withoutPastes(text));
  const ownWords = [...said, words, ...attachments.map(({ name }) => name)].join('\n');
  return { ownWords, approval, maxSteps, isTrusted: parts.isTrusted };
}

/** What plans of this turn can refer to: attachments, and the latest of each kind the conversation made. */
export function inputsOf({ parts, request, before, attachments, context }: Turn): PlanInput[] {
  const { caller } = request;
  const inputs = collectInputs(attachments, latestRemembered(before), (item) =>
    loadText(item, { parts, caller }),
  );
  if (!context) return inputs;
  const title = contextLabel(context);
  return [...inputs, { name: 'context', title, kind: 'text', load: async () => context.text }];
}

/** By its id: a name may be a stranger's words. */
export function contextLabel({ id }: PackedContext): string {
  return `context ${id.slice(0, shownIdChars)}`;
}

const shownIdChars = 16;

export function asAttachment(context: PackedContext): Attachment {
  return { name: contextLabel(context), content: context.text };
}

/** What plans of this turn are filled from; only a plan that a person sees may follow a suggestion. */
export function preferencesFor({ preferences, request }: Turn): readonly Preference[] {
  return preferences.filter(({ state }) => state === 'active' || request.acceptPreview !== true);
}

const maxTurnsBack = 200;

/** The latest of each kind, or so many of each, newest first, with all of their contents. */
export function latestRemembered({ turns }: Session, maxOfKind = 1): Remembered[] {
  const latest: Remembered[] = [];
  for (const turn of turns.slice(-maxTurnsBack).toReversed()) {
    for (const item of turn.remembered.toReversed()) {
      const { language, ...rest } = item;
      const count = latest.filter(({ kind }) => kind === item.kind).length;
      if (count < maxOfKind) latest.push({ ...rest, ...plainLanguage(language) });
    }
  }
  return latest;
}
