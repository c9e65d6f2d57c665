import { z } from 'zod';
import type { ArtifactRef } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type {
  RunStatus,
  RunView,
  StepView,
  Waiting,
  StoredOutput,
} from '../../contract/run/index.ts';
import { questionText } from '../effects/ask-approval.ts';
import type { EffectStore } from '../effects/index.ts';
import type { Held, Hole, Resolved } from '../engine/activity-data.ts';
import {
  pathOfKey,
  type ProjectedWait,
  type RunProjection,
  type StepProjection,
  type RunOutcome,
} from '../interpret/index.ts';
import { fillHoles } from '../plan/template.ts';
import { isOver, type ReadRun } from './find-run.ts';
import type { RunningCall, RunArtifacts } from './workflows-parts.ts';

/** What views are made with. */
interface Describing {
  readonly shower: OutputShower;
  readonly effects: Pick<EffectStore, 'approval'>;
}

/** A run as people and programs see it. */
export async function describeRun(
  { record, projection }: ReadRun,
  describing: Describing,
  underway: readonly RunningCall[],
): Promise<RunView> {
  const caller = { id: record.callerId };
  const { runId, name, goal, engine, createdAt, startedAt, endedAt, forkedFrom, folder } = record;
  const status = statusOf(record.status, projection);
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
    ...(folder !== undefined && { folder }),
    steps: await describeSteps({ projection, status, caller, underway }, describing),
    ...(await outcomeOf(record, describing)),
    waitingFor: isOver(status)
      ? []
      : await Promise.all(
          projection.waitingFor.map((wait) => describeWait(wait, caller, describing)),
        ),
    input: record.input,
    traceId: traceIdOf(record.meta),
  };
}

/** What is stored lags behind: a wait that was answered is over, whether or not the run has continued yet. */
function statusOf(stored: RunStatus, projection: RunProjection): RunStatus {
  if (isOver(stored) || stored === 'paused') return stored;
  if (projection.waitingFor.length > 0 && !isSomethingRunning(projection)) return 'waiting';
  return stored === 'waiting' ? 'running' : stored;
}

function isSomethingRunning({ steps }: RunProjection): boolean {
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
  readonly projection: RunProjection;
  readonly status: RunStatus;
  readonly caller: Caller;
  readonly underway: readonly RunningCall[];
}

async function describeSteps(
  { projection, status, caller, underway }: StepParts,
  { shower }: Describing,
): Promise<Record<string, StepView>> {
  const progress = new Map(underway.map((call) => [pathOfKey(call.key), call.progress]));
  const isEnded = isOver(status);
  const views: Record<string, StepView> = {};
  for (const [path, step] of projection.steps) {
    const { held } = step;
    // Most values are small, and waiting for nothing takes its time with thousands of steps.
    const shown =
      held === undefined || 'value' in held
        ? { output: held?.value }
        : await shower.show(caller, held);
    const view = describeStep(step, shown);
    if (isEnded) view.status = endedStatus(view.status);
    // What could begin has not, as long as the run has no owner.
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

type Mutable<Data> = { -readonly [Key in keyof Data]: Data[Key] };

function describeStep(
  { status, startedAt, endedAt, attempts, text, error, tool, items, isCached }: StepProjection,
  { output, stored }: Pick<StepView, 'stored'> & { readonly output?: Json | undefined },
): Mutable<StepView> {
  const view: Mutable<StepView> = {
    status,
    startedAt: timeOrNull(startedAt),
    endedAt: timeOrNull(endedAt),
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
  wait: ProjectedWait,
  caller: Caller,
  { shower, effects }: Describing,
): Promise<Waiting> {
  switch (wait.kind) {
    case 'approval': {
      const preview = (await effects.approval(wait.approvalId))?.preview;
      return {
        kind: 'approval',
        step: wait.step,
        approvalId: wait.approvalId,
        message:
          wait.message === null
            ? `Step "${wait.step}" waits for approval`
            : questionText(await shower.complete(caller, wait.message)),
        ...(preview && { preview: preview.text, ...(preview.isCut && { isPreviewCut: true }) }),
        tool: wait.tool,
        arguments: await shower.complete(caller, wait.args),
        ...(!shower.isWhole(wait.args) && { isPartial: true }),
        expiresAt: timeOrNull(wait.expiresAt) ?? '',
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

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function traceIdOf(meta: Readonly<Record<string, unknown>>): string | null {
  const { traceparent } = meta;
  return typeof traceparent === 'string' ? (traceparent.split('-')[1] ?? null) : null;
}

/** Makes what runs gave readable: small values as they are, big ones by name and beginning. */
export interface OutputShower {
  show(caller: Caller, held: Held): Promise<Pick<StepView, 'output' | 'stored'>>;
  /** The value with what is in artifacts put in, as far as that is not too much. */
  complete(caller: Caller, resolved: Resolved): Promise<Json>;
  /** Whether that is all of it. */
  isWhole(resolved: Resolved): boolean;
}

const previewBytes = 2_048;
/** Artifacts never change, so neither do their beginnings. */
const maxKeptPreviews = 2_000;
/** What all artifacts in one output may come to; larger ones are named instead. */
const maxFilledBytes = 4_194_304;

export function createOutputShower(artifacts: Pick<RunArtifacts, 'get' | 'page'>): OutputShower {
  const previews = new Map<string, string>();
  const store = async (caller: Caller, ref: ArtifactRef): Promise<StoredOutput> => {
    const { id, bytes, mediaType } = ref;
    const name = `${caller.id} ${id}`;
    let preview = previews.get(name);
    if (preview === undefined) {
      preview = await readPreview(artifacts, caller, id);
      if (previews.size >= maxKeptPreviews) previews.clear();
      previews.set(name, preview);
    }
    return { id, bytes, mediaType, preview };
  };
  return {
    show: async (caller, held) =>
      'value' in held ? { output: held.value } : { stored: await store(caller, held.artifact) },
    isWhole: ({ holes = [] }) => divide(holes)[1].length === 0,
    async complete(caller, resolved) {
      if (resolved.holes === undefined) return resolved.value;
      const [small, large] = divide(resolved.holes);
      let value = structuredClone(resolved.value);
      for (const hole of large) {
        const stored = await Promise.all(artifactsOf(hole).map((ref) => store(caller, ref)));
        value = put(value, hole.at, { stored: stored.map((it) => ({ ...it })) });
      }
      return fillHoles({ value, holes: small }, async (id) => {
        const bytes = await artifacts.get(caller, id);
        // Outputs of steps are kept as JSON.
        return JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
      });
    },
  };
}

/** An artifact that is gone or damaged must not hide the rest of the run. */
async function readPreview(
  artifacts: Pick<RunArtifacts, 'page'>,
  caller: Caller,
  id: string,
): Promise<string> {
  try {
    const page = await artifacts.page(caller, id, { offset: 0, maxBytes: previewBytes });
    return page.text ?? '(not text)';
  } catch {
    return '(cannot be read)';
  }
}

function divide(holes: readonly Hole[]): readonly [small: Hole[], large: Hole[]] {
  const small: Hole[] = [];
  const large: Hole[] = [];
  let filled = 0;
  for (const hole of holes) {
    const bytes = artifactsOf(hole).reduce((sum, ref) => sum + ref.bytes, 0);
    if (filled + bytes > maxFilledBytes) large.push(hole);
    else {
      filled += bytes;
      small.push(hole);
    }
  }
  return [small, large];
}

function artifactsOf({ parts }: Hole): ArtifactRef[] {
  return parts.flatMap((part) =>
    typeof part !== 'string' && 'artifact' in part ? [part.artifact] : [],
  );
}

/** The value with another one at a place in it, which is there already. */
function put(root: Json, at: readonly (string | number)[], value: Json): Json {
  const last = at.at(-1);
  if (last === undefined) return value;
  let inner: unknown = root;
  for (const key of at.slice(0, -1)) inner = Reflect.get(Object(inner), key);
  Reflect.set(Object(inner), last, value);
  return root;
}

/** Values came out of JSON: there is nothing to check. */
const json = z.unknown() as z.ZodType<Json>;

const pathSchema = z.array(z.union([z.string(), z.number()]));
const heldSchema = z.union([
  // A part of a text may be a list or an object that has holes itself.
  z.strictObject({
    value: json,
    get holes() {
      return z.array(holeSchema).exactOptional();
    },
  }),
  z.strictObject({
    artifact: z.object({ id: z.string(), bytes: z.number(), mediaType: z.string() }),
    path: pathSchema,
  }),
]);
const holeSchema = z.strictObject({
  at: pathSchema,
  parts: z.array(z.union([z.string(), heldSchema])),
});

const storedOutcomeSchema = z.union([
  z.object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
  z.object({
    output: z.object({ value: json, holes: z.array(holeSchema).exactOptional() }),
  }),
]);

/** The stored outcome of a run: big parts of the output stay in their artifacts. */
type StoredOutcome = { readonly output: Resolved } | { readonly error: ErrorReport };

export function toStoredOutcome(outcome: RunOutcome): {
  readonly status: 'succeeded' | 'failed';
  readonly outcome: Json;
} {
  const stored: StoredOutcome =
    outcome.kind === 'succeeded' ? { output: outcome.output } : { error: outcome.error };
  // Values of a run came out of JSON, so they go into it again.
  return { status: outcome.kind, outcome: JSON.parse(JSON.stringify(stored)) as Json };
}

/** Undefined where there is none, or none that is understood. */
function readStoredOutcome(outcome: Json | undefined): StoredOutcome | undefined {
  if (outcome === undefined) return undefined;
  const parsed = storedOutcomeSchema.safeParse(outcome);
  return parsed.success ? parsed.data : undefined;
}
