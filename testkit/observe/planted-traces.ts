import { randomOf } from './seasonal-series.ts';
import type { SpanRecord } from '../../src/observe/trace/span.ts';

export const plantedCauses = [
  'slow tool',
  'lock',
  'retry storm',
  'queue',
  'cold start',
  'dependency',
  'model',
  'disk',
] as const;

export type PlantedCause = (typeof plantedCauses)[number];

export interface PlantedTrace {
  readonly cause: PlantedCause;
  /** Tool, server or model the cause was planted in. */
  readonly subject: string;
  readonly spans: readonly SpanRecord[];
  readonly earlier: readonly (readonly SpanRecord[])[];
}

type Random = () => number;

function itemAt<Item>(items: readonly Item[], at: number): Item {
  const item = items[at];
  if (item === undefined) throw new RangeError(`There is no item ${at}`);
  return item;
}

interface Tool {
  readonly name: string;
  readonly server: string;
  readonly usualMs: number;
}

interface Shape {
  readonly kind: 'run' | 'agent';
  /** Stages after each other; the tools of one run side by side. */
  readonly stages: readonly (readonly Tool[])[];
  readonly modelMs: number;
  readonly model: string;
  readonly journalMs: number;
}

interface Fault {
  readonly cause: PlantedCause;
  readonly subject: string;
  readonly stage: number;
  readonly size: number;
  readonly variant: number;
}

/** A trace in which one thing went wrong, and traces of the same work in which nothing did. */
export function plantedTrace(seed: number): PlantedTrace {
  const random = randomOf(seed);
  const cause = itemAt(plantedCauses, seed % plantedCauses.length);
  const shape = aShape(random, cause);
  const fault = aFault(random, shape, cause);
  const count = 6 + Math.floor(random() * 15);
  const earlier = Array.from({ length: count }, (_, at) =>
    buildTrace({ random, shape, fault: undefined, startUs: 1e15 + at * 6e7, id: `${seed}e${at}` }),
  );
  const startUs = 1e15 + count * 6e7;
  const spans = buildTrace({ random, shape, fault, startUs, id: `${seed}t` });
  return { cause, subject: fault.subject, spans, earlier };
}

function aShape(random: Random, cause: PlantedCause): Shape {
  const servers = Array.from({ length: 3 + Math.floor(random() * 3) }, (_, at) => `server${at}`);
  const tools = servers.flatMap((server) =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, (_, at) => ({
      name: `${server}.tool${at}`,
      server,
      usualMs: 5 * 160 ** random(),
    })),
  );
  const pick = <Item>(items: readonly Item[]): Item =>
    itemAt(items, Math.floor(random() * items.length));
  const stages: Tool[][] = Array.from({ length: 3 + Math.floor(random() * 5) }, () =>
    Array.from({ length: random() < 0.6 ? 1 : 2 + Math.floor(random() * 3) }, () => pick(tools)),
  );
  if (cause === 'dependency') {
    // What a server depends on shows in several of its tools.
    const slow = tools.filter(({ server }) => server === servers[0]);
    stages.push([itemAt(slow, 0)], [itemAt(slow, 1)]);
  }
  if (cause === 'lock') {
    const held = tools.filter(({ server }) => server === servers[0]);
    stages.push(
      [itemAt(held, 0), itemAt(held, 1), itemAt(held, 0), itemAt(held, 1)].slice(
        0,
        3 + Math.floor(random() * 2),
      ),
    );
  }
  const kind = cause === 'model' || random() < 0.3 ? 'agent' : 'run';
  const modelMs = 300 * 6 ** random();
  return { kind, stages, modelMs, model: 'local/coder', journalMs: 0.5 + 3 * random() };
}

function aFault(random: Random, shape: Shape, cause: PlantedCause): Fault {
  const last = shape.stages.length - 1;
  const isLast = cause === 'dependency' || cause === 'lock';
  const stage = isLast ? last : Math.floor(random() * shape.stages.length);
  // The longest of its stage: what runs beside something longer slows down nothing.
  const tool = itemAt(
    itemAt(shape.stages, stage).toSorted((a, b) => b.usualMs - a.usualMs),
    0,
  );
  const variant = random();
  const size = 1 + 2 * random();
  const subject =
    cause === 'model'
      ? shape.model
      : ['lock', 'dependency', 'cold start', 'queue'].includes(cause)
        ? tool.server
        : tool.name;
  return { cause, subject, stage, size, variant };
}

interface Building {
  readonly random: Random;
  readonly shape: Shape;
  readonly fault: Fault | undefined;
  readonly startUs: number;
  readonly id: string;
}

interface SpanParts {
  readonly name: string;
  readonly fromUs: number;
  readonly untilUs: number;
  readonly parentSpanId?: string;
  readonly attributes?: SpanRecord['attributes'];
  readonly error?: string;
}

class Trace {
  readonly spans: SpanRecord[] = [];
  readonly #traceId: string;

  constructor(id: string) {
    this.#traceId = Buffer.from(id).toString('hex').padStart(32, '0').slice(-32);
  }

  add({ name, fromUs, untilUs, parentSpanId, attributes = {}, error }: SpanParts): string {
    const spanId = (this.spans.length + 1).toString(16).padStart(16, '0');
    this.spans.push({
      traceId: this.#traceId,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name,
      kind: 'internal',
      startedAtUs: Math.round(fromUs),
      durationUs: Math.max(1, Math.round(untilUs - fromUs)),
      status: error === undefined ? 'unset' : 'error',
      ...(error === undefined ? {} : { statusMessage: error }),
      attributes: { ...attributes, ...(error === undefined ? {} : { 'error.type': 'tool_error' }) },
      callerId: 'local',
    });
    return spanId;
  }

  lengthen(spanId: string, untilUs: number): void {
    const at = this.spans.findIndex((span) => span.spanId === spanId);
    const span = itemAt(this.spans, at);
    this.spans[at] = { ...span, durationUs: Math.round(untilUs - span.startedAtUs) };
  }
}

function buildTrace(building: Building): readonly SpanRecord[] {
  const { shape, startUs, id } = building;
  const trace = new Trace(id);
  const isAgent = shape.kind === 'agent';
  const root = trace.add({
    name: isAgent ? 'invoke_agent tutti' : 'run nightly',
    fromUs: startUs,
    untilUs: startUs + 900,
    attributes: isAgent ? { 'gen_ai.operation.name': 'invoke_agent' } : { 'tutti.run.id': id },
  });
  let atUs = startUs + 1_000;
  for (const stage of shape.stages.keys()) {
    if (isAgent) atUs = addModelTurn(trace, building, { root, atUs });
    atUs = addStage(trace, building, { root, atUs, stage }) + 300;
  }
  if (isAgent) trace.lengthen(root, addModelTurn(trace, building, { root, atUs }) + 200);
  return trace.spans;
}

const jitter = (random: Random): number => {
  const normal = Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random());
  return Math.exp(0.2 * normal);
};

function addModelTurn(
  trace: Trace,
  { random, shape, fault }: Building,
  { root, atUs }: { readonly root: string; readonly atUs: number },
): number {
  const slow = fault?.cause === 'model' ? 3 + 3 * fault.size : 1;
  const untilUs = atUs + shape.modelMs * 1_000 * jitter(random) * slow;
  trace.add({
    name: `chat ${shape.model}`,
    fromUs: atUs,
    untilUs,
    parentSpanId: root,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': shape.model },
  });
  return untilUs;
}

/** About what a clean trace of this shape takes. */
function usualMs({ stages, kind, modelMs }: Shape): number {
  const ofTools = stages.map((tools) => Math.max(...tools.map((tool) => tool.usualMs)));
  const ofModel = kind === 'agent' ? (stages.length + 1) * modelMs : 0;
  return ofTools.reduce((sum, ms) => sum + ms, 0) + ofModel;
}

interface At {
  readonly root: string;
  readonly atUs: number;
  readonly stage: number;
}

function addStage(trace: Trace, building: Building, { root, atUs, stage }: At): number {
  const { fault, shape } = building;
  let endUs = atUs;
  let heldUntilUs = atUs;
  const tools = itemAt(shape.stages, stage);
  // Calls of a lock wait for each other, each longer than usual for holding it.
  const isSerial = fault?.cause === 'lock' && fault.stage === stage && fault.variant < 0.6;
  for (const [place, tool] of tools.entries()) {
    const isLongest = tool.usualMs === Math.max(...tools.map((one) => one.usualMs));
    const isFirst = tools.findIndex((one) => one.name === tool.name) === place;
    const step = { tool, atUs, isHit: fault?.stage === stage && isLongest && isFirst, heldUntilUs };
    const untilUs = addStep(trace, building, { ...step, root, isSerial, stage });
    heldUntilUs = untilUs;
    endUs = Math.max(endUs, untilUs);
  }
  return endUs;
}

interface StepAt extends At {
  readonly tool: Tool;
  readonly isHit: boolean;
  readonly isSerial: boolean;
  readonly heldUntilUs: number;
}

function addStep(trace: Trace, building: Building, at: StepAt): number {
  const { fault, random, shape } = building;
  const extraMs = fault ? usualMs(shape) * (0.5 + 0.5 * fault.size) : 0;
  const failures = failuresOf(building, at);
  let fromUs = at.atUs;
  for (let attempt = 1; attempt <= failures.count; attempt += 1) {
    const untilUs = fromUs + at.tool.usualMs * 1_000 * jitter(random) * 0.7;
    addCall(trace, { at, building, fromUs, untilUs, attempt, error: failures.message, waits: {} });
    const pauseMs = failures.isPlanted ? extraMs / failures.count : 10;
    fromUs = untilUs + pauseMs * 1_000 * (0.5 + random());
  }
  const works = at.tool.usualMs * 1_000 * jitter(random);
  const { waits, workUs } = workOf({ building, at, extraMs, works });
  const waitedUs = Object.values(waits).reduce((sum, ms) => sum + ms * 1_000, 0);
  const beginUs = at.isSerial ? Math.max(fromUs, at.heldUntilUs) : fromUs;
  const untilUs = beginUs + waitedUs + workUs;
  return addCall(trace, { at, building, fromUs, untilUs, attempt: failures.count + 1, waits });
}

interface Failures {
  readonly count: number;
  readonly message: string;
  readonly isPlanted: boolean;
}

function failuresOf({ fault, random }: Building, at: StepAt): Failures {
  const messages: Partial<Record<PlantedCause, readonly string[]>> = {
    'retry storm': ['The answer could not be parsed', 'Validation failed: name is missing'],
    lock: ['database is locked', 'Could not acquire lock "index": held by pid 4711'],
    disk: ['ENOSPC: no space left on device, write', 'EIO: i/o error, fsync'],
  };
  const list = fault && at.isHit ? messages[fault.cause] : undefined;
  const isOther = fault?.cause === 'retry storm' || (fault && fault.variant >= 0.6);
  if (list && isOther) {
    const message = itemAt(list, Math.floor(random() * list.length));
    return { count: 3 + Math.floor(random() * 5), message, isPlanted: true };
  }
  // Now and then something fails once and works the second time.
  return { count: random() < 0.03 ? 1 : 0, message: 'temporary failure', isPlanted: false };
}

interface Working {
  readonly building: Building;
  readonly at: StepAt;
  readonly extraMs: number;
  readonly works: number;
}

function workOf({ building, at, extraMs, works }: Working): {
  waits: Record<string, number>;
  workUs: number;
} {
  const { fault, random } = building;
  const noise = random() < 0.05 ? { 'tutti.queue.wait_ms': 2 + 20 * random() } : {};
  if (fault?.cause === 'dependency' && at.tool.server === fault.subject) {
    return { waits: noise, workUs: works * (4 + 6 * fault.size) };
  }
  if (!fault || !at.isHit) return { waits: noise, workUs: works };
  if (fault.cause === 'slow tool') return { waits: noise, workUs: works + extraMs * 1_000 };
  if (fault.cause === 'queue') {
    return { waits: { 'tutti.queue.wait_ms': extraMs }, workUs: works };
  }
  if (fault.cause !== 'cold start') return { waits: noise, workUs: works };
  const name = fault.variant < 0.4 ? 'tutti.sandbox.start_ms' : 'tutti.server.start_ms';
  return { waits: { [name]: extraMs }, workUs: works };
}

interface CallParts {
  readonly at: StepAt;
  readonly building: Building;
  readonly fromUs: number;
  readonly untilUs: number;
  readonly attempt: number;
  readonly error?: string;
  readonly waits: Readonly<Record<string, number>>;
}

/** A step with its call inside; with an agent the call alone. Gives when it ended. */
function addCall(trace: Trace, parts: CallParts): number {
  const { at, building, fromUs, untilUs, attempt, error, waits } = parts;
  const { shape, fault, random } = building;
  const failed = error === undefined ? {} : { error };
  const isRun = shape.kind === 'run';
  const isDisk = fault?.cause === 'disk' && fault.variant < 0.6;
  const slow = isDisk ? (usualMs(shape) * fault.size) / shape.stages.length : 0;
  const journalUs = isRun ? (shape.journalMs * jitter(random) + slow) * 1_000 : 0;
  const step = isRun
    ? trace.add({
        name: `step s${at.stage}-${at.tool.name}`,
        fromUs,
        untilUs: untilUs + journalUs,
        parentSpanId: at.root,
        attributes: { 'tutti.step.attempt': attempt, 'gen_ai.tool.name': at.tool.name },
        ...failed,
      })
    : at.root;
  trace.add({
    name: `tools/call ${at.tool.name}`,
    fromUs: fromUs + journalUs / 2,
    untilUs: untilUs + journalUs / 2 + (isDisk && !isRun ? slow * 1_000 : 0),
    parentSpanId: step,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': at.tool.name,
      'tutti.server': at.tool.server,
      ...waits,
    },
    ...failed,
  });
  return untilUs + journalUs;
}
