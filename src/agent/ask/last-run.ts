import type { RunView } from '../../contract/run/index.ts';
import { describeBadResults, describeFailure, resultsOfRun, resultText } from '../answer/index.ts';
import { hideIn, type Turn } from './turn.ts';
import asked from './last-run.json' with { type: 'json' };

export const nothingRun = 'Nothing has been run in this folder yet.';

/** The run that the conversation is about, else the last one in this folder. */
export async function lastRun({ parts, request, before }: Turn): Promise<RunView | undefined> {
  const { caller } = request;
  const told = before.turns.findLast(({ runId }) => runId !== undefined)?.runId;
  const [last] = await parts.workflows.list(caller, { limit: 1, where: 'here' });
  const runId = told ?? last?.runId;
  return runId === undefined ? undefined : parts.workflows.show(caller, runId);
}

const asksForDuration = new RegExp(asked.duration, 'iu');
const asksForOutcome = new RegExp(asked.outcome, 'iu');

/** "how long did it take?", "did it pass?": what a question about runs asks of the last one; undefined for a list. */
export async function answerAboutLastRun(turn: Turn): Promise<string | undefined> {
  const isDuration = asksForDuration.test(turn.words);
  if (!isDuration && !asksForOutcome.test(turn.words)) return undefined;
  const view = await lastRun(turn);
  if (!view) return nothingRun;
  return isDuration ? durationOf(view) : outcomeOf(view, turn);
}

/** Whether it worked: a run whose tests fail has succeeded as a run, and has not passed. */
async function outcomeOf(view: RunView, turn: Turn): Promise<string> {
  const { status } = view;
  if (status === 'failed' || status === 'cancelled')
    return hideIn(`No, ${titleOf(view)} ${status}.\n${describeFailure(view)}`, turn);
  if (status !== 'succeeded')
    return `${titleOf(view)} has not ended: it is ${status}. "continue" goes on with it.`;
  const { parts, request } = turn;
  const results = await resultsOfRun(view, await parts.artifacts(), request.caller);
  const bad = describeBadResults(results);
  if (bad !== '')
    return hideIn(`No: ${titleOf(view)} ran to its end, but not all is well.\n${bad}`, turn);
  const lines = results.map((one) => resultText(one).split('\n', 1)[0] ?? '');
  const shown = lines.filter((line) => line !== '').slice(0, maxLines);
  return hideIn([`Yes, ${titleOf(view)} succeeded.`, ...shown].join('\n'), turn);
}

function durationOf(view: RunView): string {
  const { startedAt, createdAt, endedAt } = view;
  const took = timeText(startedAt ?? createdAt, endedAt);
  const steps = Object.entries(view.steps).flatMap(([id, step]) =>
    step.startedAt === null ? [] : `- ${id}: ${timeText(step.startedAt, step.endedAt)}`,
  );
  const begun = (startedAt ?? createdAt).slice(0, 16).replace('T', ' ');
  const verb = endedAt === null ? 'has been running for' : 'took';
  return [
    `${titleOf(view)} ${verb} ${took}; it started at ${begun} UTC.`,
    ...(steps.length > 1 ? steps.slice(0, maxLines) : []),
  ].join('\n');
}

const maxLines = 10;

function titleOf({ name, goal, runId }: RunView): string {
  const title = (name ?? goal ?? '').split('\n', 1)[0];
  return title ? `"${title}"` : `run ${runId}`;
}

function timeText(from: string, to: string | null): string {
  const ms = Math.max(0, (to === null ? Date.now() : Date.parse(to)) - Date.parse(from));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
