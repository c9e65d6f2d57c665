import type { RunStatus, RunView } from '../../../contract/run/index.ts';
import { hideOnScreen } from '../../hide-on-screen.ts';
import type { Invocation } from '../../invocation.ts';
import { cutText } from '../../output.ts';
import type { System } from '../../system.ts';
import { describeWaits } from './describe-wait.ts';
import { outputText } from './output-text.ts';
import { durationText } from './run-tree.ts';

/** What a shell learns from how a run stands. */
export const exitCodes: Readonly<Record<RunStatus, number>> = {
  succeeded: 0,
  failed: 1,
  cancelled: 130,
  waiting: 4,
  paused: 4,
  queued: 0,
  running: 0,
};

/** Outputs longer than this are for programs, and those say `--json`. */
const maxShown = 10_000;

/** Prints a run that was followed: its output on stdout, how it went on stderr. Says the exit code. */
export async function showResult(
  view: RunView,
  invocation: Pick<Invocation, 'io' | 'output'>,
  system: Pick<System, 'hideSecrets'>,
): Promise<number> {
  const { output } = invocation;
  const whole = output.isJson ? '' : await hideOnScreen(await outputText(view), invocation, system);
  const text = cutOutput(whole, view);
  output.data(view, () => text);
  if (output.isJson) return exitCodes[view.status];
  if (view.error && view.status !== 'cancelled') {
    output.note(`error: ${view.error.message} (${view.error.code})`);
  }
  output.note(verdict(view));
  const answers = describeWaits(view);
  if (answers !== '' && exitCodes[view.status] === 4) output.note(answers);
  return exitCodes[view.status];
}

/** `Run … succeeded after 1.2 s`, with what helps to go on. */
export function verdict(view: RunView): string {
  const { runId, status, startedAt, endedAt } = view;
  if (view.isInterrupted) {
    return `Run ${runId} was interrupted: its process ended. Go on with it: tutti runs resume ${runId}`;
  }
  const took =
    startedAt === null || endedAt === null ? '' : ` after ${durationText(startedAt, endedAt)}`;
  const next: Readonly<Partial<Record<RunStatus, string>>> = {
    failed: `. Try what failed again: tutti runs retry ${runId}`,
    cancelled: `. Try again from where it was: tutti runs retry ${runId}`,
    waiting: ' for you',
    queued: `. Execute it here: tutti runs resume ${runId}`,
  };
  return `Run ${runId} ${words[status]}${took}${next[status] ?? ''}`;
}

const words: Readonly<Record<RunStatus, string>> = {
  queued: 'is stored and not begun',
  running: 'is running',
  waiting: 'is waiting',
  paused: 'is paused',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'was cancelled',
};

function cutOutput(text: string, { runId }: RunView): string {
  if (text.length <= maxShown) return text;
  return `${cutText(text, maxShown)}\n[${text.length - maxShown} more characters: tutti runs show ${runId} --json]`;
}
