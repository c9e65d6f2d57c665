import type { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { errorMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { ToolFailedError } from './errors.ts';

/** Our own tools by their dotted names: `code.format_code`, `exec.run_tests` … */
export interface ToolCaller {
  call(name: string, args: object, context: CallContext): Promise<ToolResult>;
}

/** What a tool of ours gave, as far as `schema` names it. Throws `ToolFailedError` with the tool's own code. */
export async function callForValue<Value>(
  tools: ToolCaller,
  request: { readonly name: string; readonly args: object; readonly schema: z.ZodType<Value> },
  context: CallContext,
): Promise<Value> {
  // What a tool says while it works is not what this call is about.
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
