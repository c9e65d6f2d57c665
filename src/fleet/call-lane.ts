import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import { errorMetaKey, type ToolResult } from '../contract/tool/index.ts';
import { Gate, withTimeLimit } from '../kernel/index.ts';
import type { CallTracer, TraceScope } from './call-tracer.ts';

export interface LaneLimits {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly timeoutMs: number;
}

/**
 * The way every tool call takes: a span around it, a place in the queue, a time limit. The time
 * spent waiting for a place counts, so that a caller never waits longer than the limit.
 */
export class CallLane {
  readonly #limits: LaneLimits;
  readonly #tracer: CallTracer;
  readonly #gate: Gate;

  constructor(limits: LaneLimits, tracer: CallTracer) {
    this.#limits = limits;
    this.#tracer = tracer;
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
      const result = await withTimeLimit(limit, (signal) =>
        this.#gate.pass(() => call({ ...context, meta, signal }), signal),
      );
      if (result.isError) noteFailure(scope, result);
      return result;
    });
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
