/** A worker for tests of the pool: tools that echo, compute for ever, eat memory, wait or crash. */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { hostServer } from '../worker/worker-host.ts';

const anything = z.record(z.string(), z.unknown());

function aTool(
  name: string,
  run: (input: z.output<typeof anything>, signal: AbortSignal) => unknown,
) {
  return defineTool({
    name,
    title: name,
    description: name,
    input: anything,
    output: anything,
    annotations: { readOnlyHint: true },
    examples: [],
    run: async (input, context) => {
      context.progress({ progress: 1, total: 2 });
      return { value: await run(input, context.signal) };
    },
  });
}

const hoard: unknown[] = [];
if (!parentPort) throw new Error('runs in a worker thread only');
hostServer(
  createToolboxServer({
    name: 'slow',
    title: 'Slow',
    version: '1',
    instructions: '',
    tools: [
      aTool('echo', (input) => input),
      aTool('spin', () => {
        for (;;);
      }),
      aTool('hoard', () => {
        for (;;) hoard.push(Array.from({ length: 1e5 }, () => Math.random()));
      }),
      aTool('crash', () => process.exit(3)),
      aTool(
        'wait',
        (_input, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      ),
    ],
  }),
  parentPort,
);
