import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import { errorMetaKey, type ToolResult } from '../contract/tool/index.ts';
import { Gate, withTimeLimit, type Log } from '../kernel/index.ts';
import type { CallTracer, TraceScope } from './call-tracer.ts';

export interface LaneLimits {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly timeoutMs: number;
  /** How long a call that was cancelled, or took too long, may hold its place until it ends by itself. */
  readonly abortGraceMs?: number;
}

const defaultAbortGraceMs = 1_000;

/**
 * The way every tool call takes: a span around it, a place in the queue, a time limit. The time
 * spent waiting for a place counts, so that a caller never waits longer than the limit. A tool that
 * ignores its signal loses its place after a grace period; its work, left behind, is named in the log.
 */
export class CallLane {
  readonly #limits: LaneLimits;
  readonly #tracer: CallTracer;
  readonly #log: Log;
  readonly #gate: Gate;

  constructor(limits: LaneLimits, tracer: CallTracer, log: Log) {
    this.#limits = limits;
    this.#tracer = tracer;
    this.#log = log;
    this.#gate = new Gate(limits);
  }

  run(
    entry: CatalogueEntry,
    context: CallContext,
    call: (context: CallContext) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const span = {
      name: `tools/call ${entry.name}`,
      kind: 'server',
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': entry.name,
        'tutti.server': entry.server,
      },
      parentMeta: context.meta,
      caller: context.caller,
    } as const;
    return this.#tracer.traced(span, async (scope) => {
      const limit = {
        what: `Tool "${entry.name}"`,
        limitMs: this.#limits.timeoutMs,
        signal: context.signal,
      };
      const meta = { ...context.meta, ...scope.outgoingMeta() };
      try {
        const result = await withTimeLimit(limit, (signal) => {
          const work = (): Promise<ToolResult> => call({ ...context, meta, signal });
          return this.#gate.pass(() => this.#untilLeftBehind(entry.name, work, signal), signal);
        });
        if (result.isError) noteFailure(scope, result);
        return result;
      } catch (error) {
        if (context.signal.aborted && error === context.signal.reason) scope.cancel();
        throw error;
      }
    });
  }

  /** Settles as `work` does, or with the signal's reason when the grace period after its abort is over. */
  async #untilLeftBehind(
    tool: string,
    work: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    signal.throwIfAborted();
    const graceMs = this.#limits.abortGraceMs ?? defaultAbortGraceMs;
    const leftBehind = Promise.withResolvers<never>();
    let grace: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      grace = setTimeout(() => {
        this.#log.warn('A tool ignored the end of its call; its work is left behind', {
          tool,
          graceMs,
        });
        leftBehind.reject(signal.reason);
      }, graceMs).unref();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([work(), leftBehind.promise]);
    } finally {
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** Names follow the OpenTelemetry conventions for GenAI; the code is ours. */
function noteFailure(scope: TraceScope, result: ToolResult): void {
  const report = result._meta?.[errorMetaKey];
  const isReport = typeof report === 'object' && report !== null && 'code' in report;
  scope.setAttributes({
    'error.type': 'tool_error',
    ...(isReport ? { 'tutti.error.code': String(report.code) } : {}),
  });
  const text = result.content.find((block) => block.type === 'text')?.['text'];
  scope.fail(typeof text === 'string' ? text : 'The tool reported an error');
}
