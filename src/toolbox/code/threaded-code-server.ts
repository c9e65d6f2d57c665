import { availableParallelism } from 'node:os';
import type { McpServer } from '../../contract/server/index.ts';
import { ownModule } from '../../kernel/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { WorkerPool } from '../worker/worker-pool.ts';
import { codeTools, describeServer, type CodeServerOptions } from './code-server.ts';

const maxWorkers = Math.min(4, Math.max(2, availableParallelism() - 1));
const maxWaiting = 10_000;
const maxHeapMb = 2_048;
const cancelGraceMs = 250;
const idleStopMs = 60_000;

/**
 * The code tools as they are served: listed from here, run in worker threads, because their engines
 * compute without pause and a caller's time limit must still hold.
 */
export function createThreadedCodeServer(options: CodeServerOptions): McpServer {
  const pool = new WorkerPool({
    entry: ownModule('toolbox/code/code-worker'),
    data: options,
    maxWorkers,
    maxWaiting,
    maxHeapMb,
    cancelGraceMs,
    idleStopMs,
  });
  const tools = codeTools(options).map((tool) => ({
    name: tool.name,
    declare: () => tool.declare(),
    call: (args: unknown, context: Parameters<typeof tool.call>[1]) =>
      pool.call(tool.name, args, context),
  }));
  return createToolboxServer({
    ...describeServer(options),
    tools,
    close: () => pool.close(),
  });
}
