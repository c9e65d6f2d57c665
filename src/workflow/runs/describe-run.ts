import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus, RunView, StepView, Waiting } from '../../contract/run/index.ts';
import {
  pathOfKey,
  type PictureWait,
  type RunPicture,
  type StepPicture,
} from '../interpret/index.ts';
import { isOver } from './find-run.ts';
import type { ReadRun } from './read-run.ts';
import { questionText } from '../effects/question-text.ts';
import type { EffectStore } from '../effects/index.ts';
import type { OutputShower } from './show-output.ts';
import { readStoredOutcome } from './stored-outcome.ts';
import type { RunningCall } from './workflows-parts.ts';

/** What views are made with; the same for all of them, because most of their times are of the same second. */
export interface Describing {
  readonly shower: OutputShower;
  readonly isoTime: (ms: number) => string;
  readonly effects: Pick<EffectStore, 'approval'>;
}

/** A run as people and programs see it. */
export async function describeRun(
  { record, picture }: ReadRun,
  describing: Describing,
  underway: readonly RunningCall[],
): Promise<RunView> {
  const caller = { id: record.callerId };
  const { runId, name, goal, engine, createdAt, startedAt, endedAt, forkedFrom } = record;
  const status = statusOf(record.status, picture);
  return {
    runId,
    name,
    goal,
    status,
    engine,
    createdAt,
    startedAt,
    endedAt,
    forkedFrom,
    steps: await describeSteps({ picture, status, caller, underway }, describing),
    ...(await outcomeOf(record, describing)),
    waitingFor: isOver(status)
      ? []
      : await Promise.all(picture.waitingFor.map((wait) => describeWait(wait, caller, describing))),
    input: record.input,
    traceId: traceIdOf(record.meta),
  };
}

/** What is stored lags behind: a wait that was answered is over, whether or not somebody went on yet. */
export function statusOf(stored: RunStatus, picture: RunPicture): RunStatus {
  if (isOver(stored) || stored === 'paused') return stored;
  if (picture.waitingFor.length > 0 && !isSomethingRunning(picture)) return 'waiting';
  return stored === 'waiting' ? 'running' : stored;
}

function isSomethingRunning({ steps }: RunPicture): boolean {
  // Steps that hold others are running while those wait.
  const outer = new Set<string>();
  for (const path of steps.keys()) {
    for (let at = path.length - 1; at > 0; at -= 1) {
      const character = path.charAt(at);
      if (character === '/' || character === '[') outer.add(path.slice(0, at));
    }
  }
  for (const [path, { status }] of steps) if (status === 'running' && !outer.has(path)) return true;
  return false;
}

interface StepParts {
  readonly picture: RunPicture;
  readonly status: RunStatus;
  readonly caller: Caller;
  readonly underway: readonly RunningCall[];
}

async function describeSteps(
  { picture, status, caller, underway }: StepParts,
  { shower, isoTime }: Describing,
): Promise<Record<string, StepView>> {
  const progress = new Map(underway.map((call) => [pathOfKey(call.key), call.progress]));
  const isEnded = isOver(status);
  const views: Record<string, StepView> = {};
  for (const [path, step] of picture.steps) {
    const { held } = step;
    // Most values are small, and waiting for nothing takes its time with thousands of steps.
    const shown =
      held === undefined || 'value' in held
        ? { output: held?.value }
        : await shower.show(caller, held);
    const view = describeStep(step, shown, isoTime);
    if (isEnded) view.status = endedStatus(view.status);
    // What could begin has not, as long as nobody has the run.
    else if (status === 'queued' && view.status === 'running') view.status = 'pending';
    const said = progress.get(path);
    if (said !== undefined) view.progress = said;
    views[path] = view;
  }
  return views;
}

/** Steps that did not come to an end before their run did will not. */
function endedStatus(status: StepView['status']): StepView['status'] {
  return status === 'running' || status === 'waiting' || status === 'pending'
    ? 'cancelled'
    : status;
}

type IsoTime = Describing['isoTime'];

type Mutable<Data> = { -readonly [Key in keyof Data]: Data[Key] };

function describeStep(
  { status, startedAt, endedAt, attempts, text, error, tool, items, isCached }: StepPicture,
  { output, stored }: Pick<StepView, 'stored'> & { readonly output?: Json | undefined },
  isoTime: IsoTime,
): Mutable<StepView> {
  const view: Mutable<StepView> = {
    status,
    startedAt: timeOrNull(isoTime, startedAt),
    endedAt: timeOrNull(isoTime, endedAt),
    attempts,
  };
  if (output !== undefined) view.output = output;
  if (stored !== undefined) view.stored = stored;
  if (text !== undefined) view.text = text;
  if (error !== undefined) view.error = error;
  if (tool !== null) view.tool = tool;
  if (items !== undefined) view.items = items;
  if (isCached === true) view.isCached = true;
  return view;
}

async function describeWait(
  wait: PictureWait,
  caller: Caller,
  { shower, isoTime, effects }: Describing,
): Promise<Waiting> {
  switch (wait.kind) {
    case 'approval': {
      const preview = (await effects.approval(wait.approvalId))?.preview?.text;
      return {
        kind: 'approval',
        step: wait.step,
        approvalId: wait.approvalId,
        message:
          wait.message === null
            ? `Step "${wait.step}" waits for approval`
            : questionText(await shower.complete(caller, wait.message)),
        ...(preview !== undefined && { preview }),
        tool: wait.tool,
        arguments: await shower.complete(caller, wait.args),
        ...(!shower.isWhole(wait.args) && { isPartial: true }),
        expiresAt: timeOrNull(isoTime, wait.expiresAt) ?? '',
      };
    }
    case 'signal':
      return { kind: 'signal', step: wait.step, signal: wait.signal };
    case 'resolve':
      return { kind: 'resolve', step: wait.step, tool: wait.tool, message: wait.message };
    case 'repair':
      return { kind: 'repair', step: wait.step, error: wait.error };
  }
}

async function outcomeOf(
  record: ReadRun['record'],
  { shower }: Describing,
): Promise<Pick<RunView, 'output' | 'error'>> {
  const outcome = readStoredOutcome(record.outcome);
  if (outcome === undefined) return {};
  if ('error' in outcome) return { error: outcome.error };
  return { output: await shower.complete({ id: record.callerId }, outcome.output) };
}

function timeOrNull(isoTime: IsoTime, ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

function traceIdOf(meta: Readonly<Record<string, unknown>>): string | null {
  const { traceparent } = meta;
  return typeof traceparent === 'string' ? (traceparent.split('-')[1] ?? null) : null;
}
