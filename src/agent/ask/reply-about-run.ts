import type { Plan } from '../../contract/plan/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import { AppError } from '../../kernel/index.ts';
import {
  answerRun,
  createHiddenTexts,
  describeFailure,
  describeResults,
  describeWaits,
  hideInResults,
  nextSteps,
  rememberResults,
  resultsOfRun,
  showCode,
  type StepResult,
} from '../answer/index.ts';
import { keepTexts } from './kept-texts.ts';
import { asAttachment, base, tell, tellingCall, type Reply, type Turn } from './turn.ts';

export interface SettledRun {
  readonly view: RunView;
  readonly runId: string;
  readonly plan?: Plan;
  readonly model: string | null;
  readonly confidence: number;
}

/** What is said about a run that has ended or waits. */
export async function replyAboutRun(turn: Turn, run: SettledRun): Promise<Reply> {
  const { parts, request } = turn;
  const { caller } = request;
  const { view, runId, plan, confidence } = run;
  const about = { runId, runStatus: view.status, ...(plan && { plan }) };
  if (view.status !== 'succeeded' && view.status !== 'failed' && view.status !== 'cancelled') {
    const questions = describeWaits(view);
    const asked =
      questions.length > 0
        ? questions
        : [`Run ${runId} is ${view.status}. Say "continue" to wait for it.`];
    const known = base(turn, run);
    // They show arguments and errors, which hold results.
    return {
      outcome: { ...known, kind: 'question', questions: asked, candidates: [], runId },
      remembered: [],
      isTainted: true,
    };
  }
  const results = await resultsOfRun(view, await parts.artifacts(), caller);
  const origin = { parts, caller, origin: turn.session.id };
  const remembered = await keepTexts(rememberResults(results, runId), origin);
  if (view.status !== 'succeeded') {
    const answer = describeFailure(view);
    tell(turn, answer);
    return { outcome: { ...base(turn, run), kind: 'answer', answer, ...about }, remembered };
  }
  const hide = await parts.hideSecrets?.();
  const hidden = createHiddenTexts(hide);
  const shown = hideInResults(results, hide);
  const { text, model } = await sayWhatWasDone(turn, run, { results, shown, hidden });
  const code = await showCode({ results, plan, readFile: parts.readFile });
  const tools = new Set((await parts.tools.entries()).map(({ name }) => name));
  const closing = [
    hidden.show(code.text),
    hidden.note(),
    model === null ? nextSteps({ results, changesFile: code.changesFile, tools }) : '',
    model === null ? 'No model took part in this.' : '',
  ];
  const rest = closing.filter((part) => part !== '').join('\n\n');
  const gap = text === '' || rest === '' ? '' : '\n\n';
  tell(turn, `${gap}${rest}`);
  const answer = `${text}${gap}${rest}`;
  return {
    outcome: { ...base(turn, { confidence, model }), kind: 'answer', answer, ...about },
    remembered,
  };
}

interface ResultsToTell {
  readonly results: readonly StepResult[];
  /** For a model. */
  readonly shown: readonly StepResult[];
  readonly hidden: ReturnType<typeof createHiddenTexts>;
}

async function sayWhatWasDone(
  turn: Turn,
  { view, plan, model }: SettledRun,
  { results, shown, hidden }: ResultsToTell,
): Promise<{ readonly text: string; readonly model: string | null }> {
  const { parts, words, options, emit, context } = turn;
  const active = turn.preferences.filter(({ state }) => state === 'active');
  const preferences = active.slice(0, maxPreferences).map(({ text: one }) => one);
  const isShort = active.some(
    ({ choice }) => choice?.of === 'length of answers' && choice.value === 'short',
  );
  if (model !== null) {
    try {
      const goal = plan?.goal ?? view.goal ?? words;
      return await answerRun(
        parts.models,
        {
          words,
          goal,
          view,
          results: shown,
          given: context ? [asAttachment(context)] : [],
          preferences,
        },
        tellingCall(turn),
      );
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      // The work is done and its results are there; only the words for them are missing.
      emit({ kind: 'restart' });
      emit({ kind: 'notice', text: `The model could not put it into words: ${error.message}` });
    }
  }
  const told = hidden.show(describeResults(view, results, plan));
  const text = isShort ? firstLines(told) : told;
  tell(turn, text);
  return { text, model };
}

/** Before a model that puts a run into words. */
const maxPreferences = 20;
/** Of what is told of a run to someone who likes short answers. */
const maxShortLines = 6;

function firstLines(text: string): string {
  const lines = text.split('\n');
  const left = lines.length - maxShortLines;
  if (left <= 1) return text;
  return [...lines.slice(0, maxShortLines), `… ${left} more lines: say "show all".`].join('\n');
}
