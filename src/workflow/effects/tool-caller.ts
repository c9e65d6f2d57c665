import type { CallContext } from '../../contract/server/index.ts';
import type { Tool, ToolResult } from '../../contract/tool/index.ts';

export interface FoundTool {
  readonly server: string;
  readonly tool: Tool;
}

/** The tools of the fleet, by their dotted names (`server.tool`). */
export interface ToolCaller {
  /** At once where the tool is known already: every step asks. */
  find(name: string): FoundTool | undefined | Promise<FoundTool | undefined>;
  /** Throws `AppError`s and the reason of the signal; a tool's own failure is a result with `isError`. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<ToolResult>;
}
