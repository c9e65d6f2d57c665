import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tool, ToolResult } from '../../../src/contract/tool/index.ts';

export interface CountedTools {
  readonly url: string;
  /** How often each call was made: by the tool and the key that names the effect for ever. */
  calls(): ReadonlyMap<string, number>;
  /** Settles when a tool was called this often. */
  untilCalled(tool: string, count: number): Promise<void>;
  close(): Promise<void>;
}

const anything = { type: 'object' } as const;

/** Tools whose calls are counted outside of all processes that call them. */
export const countedTools: readonly Tool[] = [
  { name: 'add', inputSchema: anything, annotations: { readOnlyHint: true } },
  { name: 'big', inputSchema: anything, annotations: { readOnlyHint: true } },
  { name: 'list', inputSchema: anything, annotations: { readOnlyHint: true } },
  { name: 'flaky', inputSchema: anything, annotations: { idempotentHint: true } },
  { name: 'fail', inputSchema: anything, annotations: { readOnlyHint: true } },
  { name: 'slow', inputSchema: anything, annotations: { idempotentHint: true } },
  { name: 'once', inputSchema: anything },
];

interface Call {
  readonly tool: string;
  readonly key: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export async function startCountedTools(): Promise<CountedTools> {
  const calls = new Map<string, number>();
  const totals = new Map<string, number>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void readCall(request).then(async (call) => {
      const name = `${call.tool} ${call.key}`;
      const count = (calls.get(name) ?? 0) + 1;
      calls.set(name, count);
      totals.set(call.tool, (totals.get(call.tool) ?? 0) + 1);
      for (const look of waiting) look();
      const result = await answer(call, count);
      response.end(JSON.stringify(result));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    untilCalled: (tool, count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if ((totals.get(tool) ?? 0) < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readCall(request: IncomingMessage): Promise<Call> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Call;
}

async function answer({ tool, args }: Call, count: number): Promise<ToolResult> {
  switch (tool) {
    case 'add':
      return structured({ sum: Number(args['a']) + Number(args['b']) });
    case 'big':
      return structured({ text: 'x'.repeat(Number(args['bytes'])), items: [1, 2, 3] });
    case 'list':
      return structured({ items: Array.from({ length: Number(args['n']) }, (_, i) => i + 1) });
    case 'flaky':
      return count <= Number(args['failures']) ? failed('not yet') : structured({ done: true });
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, Number(args['ms'])));
      return structured({ slept: args['ms'] });
    case 'once':
      return structured({ did: args['what'] });
    default:
      return failed(`${tool} always fails`);
  }
}

function structured(value: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
