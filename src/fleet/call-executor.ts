import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import { errorMetaKey, type ToolResult } from '../contract/tool/index.ts';
import { Semaphore, SharedTimeout, type Log } from '../kernel/index.ts';
import type { CallSpan, CallTracer, RunIn, TracedCall } from './call-tracer.ts';
import {
  runCall,
  startCall,
  type CallLimits,
  type CallPlan,
  type Settling,
} from './running-call.ts';

export interface ExecutorLimits extends Partial<CallLimits> {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly timeoutMs: number;
}

const defaultAbortGraceMs = 1_000;
/** Four times the longest time limit a server's entry may set. */
const defaultMaxTotalMs = 4 * 3_600_000;

/** A tool call and the settings of its server. */
export interface ExecutorCall {
  readonly entry: CatalogueEntry;
  /** Slots of its server; without it the call takes one of the shared slots. */
  readonly semaphore?: Semaphore | undefined;
  readonly timeoutMs?: number | undefined;
  /** The work enters the span itself where needed: entering is the most expensive part of tracing. */
  readonly entersSpan?: boolean;
  readonly mayRepeat?: boolean;
  readonly work: (context: CallContext, inSpan?: RunIn) => Promise<ToolResult>;
}

/**
 * Runs every tool call: inside a span, in a slot, within a time limit. Time spent in the queue counts, so
 * a caller never waits longer than the limit. A tool that ignores its abort signal loses its slot after a
 * grace period; the abandoned work is logged.
 */
export class CallExecutor {
  readonly #limits: CallLimits;
  /** By time limit: the entries of all servers use only a few. */
  readonly #times = new Map<number, CallTime>();
  readonly #tracer: CallTracer | undefined;
  readonly #log: Log;
  readonly #semaphore: Semaphore;
  /** The same object for the same tool and face, so that a tracer recognizes it. */
  readonly #spans = new WeakMap<
    CatalogueEntry,
    Map<string, Pick<TracedCall, 'name' | 'attributes'>>
  >();

  /** Without a tracer nothing is recorded, and trace context is passed on unchanged. */
  constructor(limits: ExecutorLimits, tracer: CallTracer | undefined, log: Log) {
    this.#limits = { abortGraceMs: defaultAbortGraceMs, maxTotalMs: defaultMaxTotalMs, ...limits };
    this.#tracer = tracer;
    this.#log = log;
    this.#semaphore = new Semaphore(limits);
  }

  run(call: ExecutorCall, context: CallContext): Promise<ToolResult> {
    if (!this.#tracer) return runCall(this.#planOf(call), context, context.meta);
    return this.#runIn(this.#tracer.open(this.#spanOf(call.entry, context)), call, context);
  }

  #runIn(span: CallSpan, call: ExecutorCall, context: CallContext): Promise<ToolResult> {
    const plan = this.#planOf(call, span);
    const meta = withTrace(context.meta, span.outgoingMeta());
    return new Promise((resolve, reject) => {
      // The span records the first outcome; a call that timed out may still settle later.
      let isOver = false;
      const settling: Settling<ToolResult> = {
        resolve: (result) => {
          if (result.isError && !isOver) noteFailure(span, result);
          isOver = true;
          span.end();
          resolve(result);
        },
        reject: (error) => {
          if (!isOver) noteError(span, error, context);
          isOver = true;
          span.end();
          reject(error);
        },
      };
      if (call.entersSpan) startCall(plan, { context, meta }, settling);
      else span.runIn(() => startCall(plan, { context, meta }, settling));
    });
  }

  /** The same time limit for requests other than tool calls: no span, no slot. */
  limit<Result>(
    { what, timeoutMs }: { readonly what: string; readonly timeoutMs?: number | undefined },
    context: CallContext,
    work: (context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const { limits, timeout } = this.#timeOf(timeoutMs);
    const plan = { what, limits, timeout, semaphore: undefined, work, onLeftBehind: () => {} };
    return runCall(plan, context, context.meta);
  }

  #spanOf(entry: CatalogueEntry, { meta, caller, face: servedBy }: CallContext): TracedCall {
    const face = servedBy ?? 'mcp';
    let byFace = this.#spans.get(entry);
    if (!byFace) this.#spans.set(entry, (byFace = new Map()));
    let span = byFace.get(face);
    if (!span) {
      span = { name: `tools/call ${entry.name}`, attributes: attributesOf(entry, face) };
      byFace.set(face, span);
    }
    const { name, attributes } = span;
    return { name, kind: 'server', attributes, parentMeta: meta, caller };
  }

  #planOf(
    { entry, semaphore, timeoutMs, entersSpan, mayRepeat, work }: ExecutorCall,
    span?: CallSpan,
  ): CallPlan<ToolResult> {
    const { limits, timeout } = this.#timeOf(timeoutMs);
    const inSpan: RunIn | undefined = entersSpan && span ? (inner) => span.runIn(inner) : undefined;
    const warn = (): void =>
      this.#log.warn('tool ignored abort signal', {
        tool: entry.name,
        graceMs: limits.abortGraceMs,
      });
    return {
      what: `Tool "${entry.name}"`,
      limits,
      timeout,
      semaphore: semaphore ?? this.#semaphore,
      mayRepeat,
      work: inSpan ? (context) => work(context, inSpan) : work,
      annotate: span && ((facts) => span.setAttributes(facts)),
      onLeftBehind: inSpan ? () => inSpan(warn) : warn,
    };
  }

  #timeOf(timeoutMs = this.#limits.timeoutMs): CallTime {
    let time = this.#times.get(timeoutMs);
    if (!time) {
      const limits = { ...this.#limits, timeoutMs };
      time = { limits, timeout: new SharedTimeout(Math.min(timeoutMs, limits.maxTotalMs)) };
      this.#times.set(timeoutMs, time);
    }
    return time;
  }
}

type CallTime = Pick<CallPlan<unknown>, 'limits' | 'timeout'>;

function attributesOf({ name, server }: CatalogueEntry, face: string): TracedCall['attributes'] {
  return {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'tutti.server': server,
    'tutti.face': face,
  };
}

/** Replaces the caller's trace context with that of the span, for the next hop. */
function withTrace(meta: CallContext['meta'], trace: CallContext['meta']): CallContext['meta'] {
  return Object.keys(meta).length === 0 ? trace : { ...meta, ...trace };
}

function noteError(span: CallSpan, error: unknown, { signal }: CallContext): void {
  if (signal.aborted && error === signal.reason) span.cancel();
  else span.fail(error);
}

/** Names follow the OpenTelemetry conventions for GenAI; the code is ours. */
function noteFailure(span: CallSpan, result: ToolResult): void {
  const report = result._meta?.[errorMetaKey];
  const isReport = typeof report === 'object' && report !== null && 'code' in report;
  span.setAttributes({
    'error.type': 'tool_error',
    ...(isReport ? { 'tutti.error.code': String(report.code) } : {}),
  });
  const text = result.content.find((block) => block.type === 'text')?.['text'];
  span.fail(typeof text === 'string' ? text : 'The tool reported an error');
}
