import { availableParallelism } from 'node:os';
import type { Generation } from '../../contract/generation/index.ts';
import type { CallContext, McpServer } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { ownModule } from '../../kernel/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { WorkerPool } from '../worker/worker-pool.ts';
import { codeTools, describeServer, type CodeServerOptions } from './code-server.ts';
import { generationTools } from './generate/generation-tools.ts';

const maxWorkers = Math.min(4, Math.max(2, availableParallelism() - 1));
const maxWaiting = 10_000;
const maxHeapMb = 2_048;
const cancelGraceMs = 250;
const idleStopMs = 60_000;
/** In a folder, a file that takes longer is left out and named; a busy machine needs some seconds for large ones. */
const maxFileMs = 15_000;
/** Each begins the call anew, and a call has a minute in all. */
const maxSlowItems = 3;
const toolsOverFiles = [
  'analyze_complexity',
  'format_code',
  'refactor_code',
  'review_code',
  'scan_security',
];

/** Calls a tool of this server. */
type CallOwnTool = (name: string, args: unknown, context: CallContext) => Promise<ToolResult>;

/** Opens what writes code, given the means to check it; asked for by the first call that needs it. */
export type OpenGeneration = (
  callOwnTool: CallOwnTool,
) => Promise<Generation & { close(): Promise<void> }>;

/**
 * The code tools as they are served: listed from here, run in worker threads, because their engines
 * compute without pause and a caller's time limit must still hold. Those that ask a model wait more than
 * they compute, and run here; without `openGeneration` they are not offered.
 */
export function createThreadedCodeServer(
  options: CodeServerOptions,
  openGeneration?: OpenGeneration,
): McpServer {
  const pool = new WorkerPool({
    entry: ownModule('toolbox/code/code-worker'),
    data: options,
    maxWorkers,
    maxWaiting,
    maxHeapMb,
    cancelGraceMs,
    idleStopMs,
    items: { tools: new Set(toolsOverFiles), maxItemMs: maxFileMs, maxSlowItems },
  });
  const tools = codeTools(options).map((tool) => ({
    name: tool.name,
    declare: () => tool.declare(),
    call: (args: unknown, context: CallContext) => pool.call(tool.name, args, context),
  }));
  const threaded = createToolboxServer({ ...describeServer(options), tools });
  let generation: ReturnType<OpenGeneration> | undefined;
  const generating = openGeneration
    ? generationTools(
        () => (generation ??= openGeneration((...call) => threaded.callTool(...call))),
      )
    : [];
  return createToolboxServer({
    ...describeServer(options),
    tools: [...tools, ...generating],
    close: async () => {
      await (await generation)?.close();
      await pool.close();
    },
  });
}
