import { isDeepStrictEqual } from 'node:util';
import { localCaller } from '../../../contract/caller/index.ts';
import type { Json } from '../../../contract/plan/index.ts';
import type { RunStatus, RunView, Workflows } from '../../../contract/run/index.ts';
import type { Invocation } from '../../invocation.ts';
import { cutText, hideOnScreen } from '../../output.ts';
import type { System } from '../../../compose/index.ts';
import { describeWaits } from './approvals.ts';
import { durationText } from './live-tree.ts';

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
  { hideSecrets, seen = '' }: Pick<System, 'hideSecrets'> & { readonly seen?: string },
): Promise<number> {
  const { output } = invocation;
  const said = output.isJson ? '' : withoutSeen(await outputText(view), seen);
  const whole = await hideOnScreen(said, invocation, { hideSecrets });
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

/** A diff that was shown for approval is not printed again. */
function withoutSeen(text: string, seen: string): string {
  const diff = /^--- [^]*$/mu.exec(seen)?.[0].trimEnd();
  return diff === undefined ? text : text.replace(`\n\n${diff}`, '');
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

/** The output of a run for people: what tools said of their results, and values as text. */
export async function outputText({ steps, output }: RunView): Promise<string> {
  if (output === undefined) return '';
  const results: Readonly<Record<string, Json>> = isObject(output) ? output : {};
  const parts = Object.entries(results).map(([name, result]) => {
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
    const said = isDeepStrictEqual(step?.output, result) ? step?.text?.trimEnd() : undefined;
    return { said, value: { [name]: result } };
  });
  if (parts.every(({ said }) => said === undefined)) return valueText(output);
  const texts = parts.map(async ({ said, value }) => said ?? (await valueText(value)));
  return (await Promise.all(texts)).join('\n\n');
}

/** A text as it is; all else as YAML, in which the lines of a text stay lines. */
export async function valueText(value: Json): Promise<string> {
  if (typeof value === 'string') return value;
  const { stringify } = await import('yaml');
  const layout = { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false } as const;
  return stringify(value, layout).trimEnd();
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Prints a run that goes on without this process. */
export async function showDetached(
  { output }: Invocation,
  workflows: Workflows,
  runId: string,
): Promise<number> {
  const view = await workflows.show(localCaller, runId);
  output.result(view, () => view.runId);
  output.note(
    `Run ${view.runId} is kept. A "tutti worker" or "tutti serve" that runs executes it; here: tutti runs resume ${view.runId}`,
  );
  return 0;
}
