/** A worker for tests of the pool: tools that echo, compute for ever, eat memory, hang, wait or crash. */
import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { defineTool } from '../../src/toolbox/define-tool.ts';
import { createToolboxServer } from '../../src/toolbox/toolbox-server.ts';
import { slowItemsMetaKey, hostServer } from '../../src/toolbox/worker/worker-host.ts';

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

/** Goes through `items`, and never gets beyond one that is called "slow". */
const itemsTool = defineTool({
  name: 'items',
  title: 'items',
  description: 'items',
  input: z.object({ items: z.array(z.string()) }),
  output: anything,
  annotations: { readOnlyHint: true },
  examples: [],
  run: async ({ items }, { meta, progress }) => {
    const left = z.array(z.string()).parse(meta[slowItemsMetaKey]);
    const wanted = items.filter((item) => !left.includes(item));
    for (const [index, message] of wanted.entries()) {
      progress({ progress: index, total: wanted.length, message });
      if (message.startsWith('slow')) for (;;);
    }
    return { done: wanted, left };
  },
});

const hoard: unknown[] = [];
if (!parentPort) throw new Error('runs in a worker thread only');
hostServer(
  createToolboxServer({
    name: 'slow',
    title: 'Slow',
    version: '1',
    instructions: '',
    tools: [
      itemsTool,
      aTool('echo', (input) => input),
      aTool('spin', () => {
        for (;;);
      }),
      aTool('hoard', () => {
        for (;;) hoard.push(Array.from({ length: 1e5 }, () => Math.random()));
      }),
      aTool('crash', () => process.exit(3)),
      aTool('read', ({ path }) => readFileSync(String(path), 'utf8')),
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
