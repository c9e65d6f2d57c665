import { digestJson } from '../../kernel/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import type { Tool, ToolResult } from '../../contract/tool/index.ts';

export interface FoundTool {
  readonly server: string;
  readonly tool: Tool;
  /** Whether what its server says about it counts where it asks for less care. */
  readonly isTrusted?: boolean;
  /** Whether it is one of this program. */
  readonly isOwn?: boolean;
  /** Whether its server ends with the process that called it, so that no call outlives that for long. */
  readonly endsWithCaller?: boolean;
  /** How long a call may go without progress. */
  readonly timeoutMs?: number;
}

/** Tells whether a server has made another tool of one; our own change with the program alone. */
export function toolDigest({ tool, isOwn }: FoundTool): string | null {
  return isOwn === true ? null : digestJson(tool);
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
