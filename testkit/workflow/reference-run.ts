import type { Json, Plan, Step } from '../../src/contract/plan/index.ts';
import type { CallOutcome } from '../../src/workflow/engine/activity-data.ts';
import type { TimedActivity } from './memory-engine.ts';
import { fillIn, holdsCondition, namesIn, type Names } from './reference-values.ts';

/**
 * What a plan comes to, worked out one step after the other, and when it would be through if nothing ever
 * waited for a worker. Shares no code with the interpreter, is slow and simple, and knows plans in which
 * no two things happen at the same time by chance.
 */
export type ReferenceResult =
  | { readonly kind: 'succeeded'; readonly output: Json; readonly endMs: number }
  | {
      readonly kind: 'failed';
      readonly step: string;
      readonly code: string;
      readonly endMs: number;
    };

/** The world the plan runs in. */
export interface ReferenceWorld {
  readonly perform: TimedActivity;
  /** Signals that come whatever the run does. */
  readonly signals: Readonly<Record<string, { readonly payload: Json; readonly atMs: number }>>;
}

export function referenceRun(
  plan: Plan,
  input: Readonly<Record<string, Json>>,
  world: ReferenceWorld,
): ReferenceResult {
  const done = runPlan({ plan, input: { ...input }, prefix: '', startMs: 0 }, world);
  if (done.failure) return { kind: 'failed', ...done.failure, endMs: done.endMs };
  return { kind: 'succeeded', output: done.value ?? null, endMs: done.endMs };
}

/** Without `value` and `failure` it is skipped. */
interface Done {
  readonly value?: Json;
  readonly failure?: { readonly step: string; readonly code: string };
  readonly endMs: number;
  /** When activities ran. */
  readonly spans: readonly Span[];
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

interface PlanGo {
  readonly plan: Plan;
  readonly input: Json;
  readonly prefix: string;
  readonly startMs: number;
}

function runPlan({ plan, input, prefix, startMs }: PlanGo, world: ReferenceWorld): Done {
  const done = new Map<string, Done>();
  const names: Names = { input, run: { id: 'memory' } };
  while (done.size < plan.steps.length) {
    for (const step of plan.steps) {
      const needs = namesIn(step).filter((name) => plan.steps.some(({ id }) => id === name));
      if (done.has(step.id) || !needs.every((need) => done.has(need))) continue;
      const begin = Math.max(startMs, ...needs.map((need) => done.get(need)?.endMs ?? 0));
      const result = runStep(
        { step, path: prefix + step.id, names, startMs: begin },
        { done, world },
      );
      done.set(step.id, result);
      if (result.value !== undefined) names[step.id] = result.value;
    }
  }
  const all = [...done.values()];
  const spans = all.flatMap((one) => one.spans);
  const failed = all.filter((one) => one.failure).sort((a, b) => a.endMs - b.endMs)[0];
  if (failed?.failure) {
    // Nothing begins after the first failure; what runs then is let finish.
    const begun = spans.filter((span) => span.startMs < failed.endMs);
    const endMs = Math.max(failed.endMs, ...begun.map((span) => span.endMs));
    return { failure: failed.failure, endMs, spans: begun };
  }
  const endMs = Math.max(startMs, ...all.map((one) => one.endMs));
  return { value: outputOf(plan, names), endMs, spans };
}

function outputOf(plan: Plan, names: Names): Json {
  if (plan.output !== undefined) return fillIn(plan.output, names);
  const needed = new Set(plan.steps.flatMap((step) => namesIn(step)));
  const ends = plan.steps.filter(({ id }) => !needed.has(id) && names[id] !== undefined);
  return Object.fromEntries(ends.map(({ id }) => [id, names[id] ?? null]));
}

interface StepGo {
  readonly step: Step;
  readonly path: string;
  readonly names: Names;
  readonly startMs: number;
}

interface Surroundings {
  readonly done: ReadonlyMap<string, Done>;
  readonly world: ReferenceWorld;
}

function runStep(go: StepGo, { done, world }: Surroundings): Done {
  const { step, names, startMs } = go;
  const { when, ...rest } = step;
  const isWithout = namesIn(rest).some((name) => done.has(name) && names[name] === undefined);
  const isHeld = when !== undefined && !holdsCondition(String(when), names);
  if (isWithout || isHeld) return { endMs: startMs, spans: [] };
  if (step.forEach === undefined) return runWork(go, world);
  const items = fillIn(step.forEach, names);
  return Array.isArray(items) ? runElements(go, items, world) : fails(go, 'workflow.not_a_list');
}

/** Each worker takes the next element when it is through with one. */
function runElements(go: StepGo, items: readonly Json[], world: ReferenceWorld): Done {
  const workers = Array.from({ length: go.step.concurrency ?? items.length }, () => go.startMs);
  const results: Done[] = [];
  for (const [index, item] of items.entries()) {
    const startMs = Math.min(...workers);
    const path = `${go.path}[${index}]`;
    const result = runWork({ ...go, path, startMs, names: { ...go.names, item, index } }, world);
    workers[workers.indexOf(startMs)] = result.endMs;
    results.push(result);
  }
  const spans = results.flatMap((one) => one.spans);
  const failed = results.filter((one) => one.failure).sort((a, b) => a.endMs - b.endMs)[0];
  if (failed?.failure) return { failure: failed.failure, endMs: failed.endMs, spans };
  const endMs = Math.max(go.startMs, ...results.map((one) => one.endMs));
  return { value: results.map((one) => one.value ?? null), endMs, spans };
}

function runWork(go: StepGo, world: ReferenceWorld): Done {
  if (go.step.approval === undefined) return runApproved(go, world);
  const asked = ask(go, world);
  if (asked.failure) return settleFailure(go, { ...asked, failure: asked.failure });
  const { step } = go;
  if (!(step.tool ?? step.plan ?? step.wait ?? step.sleep)) return asked;
  const result = runApproved({ ...go, startMs: asked.endMs }, world);
  return { ...result, spans: [...asked.spans, ...result.spans] };
}

function runApproved(go: StepGo, world: ReferenceWorld): Done {
  const { step, path, names, startMs } = go;
  if (step.tool !== undefined) return runCall(go, world);
  if (step.wait !== undefined) return wait(go, world);
  if (typeof step.plan !== 'object') {
    return { value: null, endMs: startMs + Number(fillIn(step.sleep ?? 0, names)), spans: [] };
  }
  const input = fillIn(step.input ?? {}, names);
  const result = runPlan({ plan: step.plan, input, prefix: `${path}/`, startMs }, world);
  return result.failure ? settleFailure(go, { ...result, failure: result.failure }) : result;
}

function ask({ step, path, names, startMs }: StepGo, world: ReferenceWorld): Done {
  const args = { value: fillIn(step.args ?? step.input ?? {}, names) };
  const input = { step: path, tool: step.tool ?? null, args };
  const request = { key: `${path}!ask`, activity: 'approve', input, nowMs: startMs } as const;
  const { durationMs, signal } = world.perform(request);
  const asked = { startMs, endMs: startMs + durationMs };
  const endMs = asked.endMs + (signal?.afterMs ?? 0);
  const value = signal?.payload ?? null;
  const isApproved = JSON.stringify(value).includes('"approved"');
  const failure = { step: path, code: 'workflow.approval_denied' };
  return isApproved ? { value, endMs, spans: [asked] } : { failure, endMs, spans: [asked] };
}

function wait(go: StepGo, { signals }: ReferenceWorld): Done {
  const { wait: asked = '' } = go.step;
  const { signal, timeoutMs = Infinity } = typeof asked === 'string' ? { signal: asked } : asked;
  const atMs = Math.max(go.startMs, signals[signal]?.atMs ?? Infinity);
  const limitMs = go.startMs + timeoutMs;
  if (atMs < limitMs) return { value: signals[signal]?.payload ?? null, endMs: atMs, spans: [] };
  return fails({ ...go, startMs: limitMs }, 'workflow.wait_timed_out');
}

function runCall(go: StepGo, world: ReferenceWorld): Done {
  const { step, path } = go;
  const defaults = { attempts: 1, backoffMs: 1_000, factor: 2, maxBackoffMs: 60_000 };
  const retry = typeof step.retry === 'number' ? { attempts: step.retry } : step.retry;
  const { attempts, backoffMs, factor, maxBackoffMs } = { ...defaults, ...retry };
  const spans: Span[] = [];
  let { startMs } = go;
  let args = fillIn(step.args ?? {}, go.names);
  for (let attempt = 1, failures = 0; ; attempt += 1) {
    const input = { step: path, attempt, tool: step.tool ?? '', args: { value: args } };
    const request = { key: `${path}#${attempt}`, activity: 'call', input, nowMs: startMs } as const;
    const performed = world.perform(request);
    const endMs = startMs + performed.durationMs;
    spans.push({ startMs, endMs });
    // The activity is asked for a call, so that is what it gives.
    const outcome = performed.value as unknown as CallOutcome;
    const answerMs = endMs + (performed.signal?.afterMs ?? 0);
    if (outcome.kind === 'succeeded') {
      return { value: 'value' in outcome.held ? outcome.held.value : null, endMs, spans };
    }
    if (outcome.kind === 'unknown') {
      const answer = Object(performed.signal?.payload) as { kind: string; output?: Json };
      if (answer.kind === 'happened')
        return { value: answer.output ?? null, endMs: answerMs, spans };
      startMs = answerMs;
      continue;
    }
    failures += 1;
    if (failures < attempts && outcome.isRetryable) {
      startMs = endMs + Math.min(maxBackoffMs, backoffMs * factor ** (failures - 1));
      continue;
    }
    const failure = { step: path, code: outcome.error.code };
    if (step.onFailure !== 'repair') return settleFailure(go, { failure, endMs, spans });
    const repair = performed.signal?.payload as { args?: Json } | null;
    if (!repair?.args) return { failure, endMs: answerMs, spans };
    [args, failures, startMs] = [repair.args, 0, answerMs];
  }
}

function fails(go: StepGo, code: string): Done {
  return settleFailure(go, { failure: { step: go.path, code }, endMs: go.startMs, spans: [] });
}

function settleFailure(
  { step }: StepGo,
  { failure, endMs, spans }: Done & { readonly failure: NonNullable<Done['failure']> },
): Done {
  return step.onFailure === 'skip' ? { endMs, spans } : { failure, endMs, spans };
}
