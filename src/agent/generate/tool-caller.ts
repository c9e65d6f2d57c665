import type { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { errorMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { ToolFailedError } from './errors.ts';

/** Our own tools by their dotted names: `code.format_code`, `exec.run_tests` … */
export interface ToolCaller {
  call(name: string, args: object, context: CallContext): Promise<ToolResult>;
}

interface ToolRequest<Value> {
  readonly name: string;
  readonly args: object;
  readonly schema: z.ZodType<Value>;
}

/** The output of a tool of ours. Throws `ToolFailedError` with the tool's own code. */
export async function callForValue<Value>(
  tools: ToolCaller,
  request: ToolRequest<Value>,
  context: CallContext,
): Promise<Value> {
  // The tool's own progress is not that of this call.
  const quiet = { ...context, signal: context.signal, progress: () => {} };
  const result = await tools.call(request.name, request.args, quiet);
  if (result.isError === true) {
    const report: { code?: unknown; message?: unknown } = Object(result._meta?.[errorMetaKey]);
    throw new ToolFailedError(request.name, {
      code: typeof report.code === 'string' ? report.code : 'internal.bug',
      message: typeof report.message === 'string' ? report.message : 'it failed',
    });
  }
  return request.schema.parse(result.structuredContent);
}

/** The output of a tool of ours, or its failure. Throws only for cancellation and bugs. */
export async function tryTool<Value>(
  tools: ToolCaller,
  request: ToolRequest<Value>,
  context: CallContext,
): Promise<{ readonly value: Value } | { readonly failure: ToolFailedError }> {
  try {
    return { value: await callForValue(tools, request, context) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ToolFailedError) return { failure: error };
    throw error;
  }
}
