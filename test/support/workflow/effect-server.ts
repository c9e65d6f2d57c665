/**
 * An MCP server on standard input and output whose effects happen elsewhere, at `COUNTER_URL`:
 * `deliver` and `charge` do something that must happen once, and whether a delivery happened can be
 * looked up. `work` does nothing; it gives back what it is told to, and as many words as it is asked for.
 */
import { createInterface } from 'node:readline';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

interface Effect {
  readonly name: string;
  readonly key: unknown;
  readonly run: unknown;
}

const counterUrl = process.env['COUNTER_URL'] ?? '';
const inputSchema = { type: 'object' };
const tools = [
  { name: 'work', inputSchema, annotations: { readOnlyHint: true } },
  {
    name: 'deliver',
    inputSchema,
    annotations: { destructiveHint: false },
    _meta: { 'tutti/reconcile': { tool: 'find_delivery' } },
  },
  {
    name: 'find_delivery',
    inputSchema: { type: 'object', properties: { idempotency_key: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
  { name: 'charge', inputSchema, annotations: { destructiveHint: false } },
];

function send(id: Incoming['id'], result: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}

async function call(params: Incoming['params']): Promise<object> {
  const given = params?.arguments ?? {};
  const name = params?.name ?? '';
  if (name === 'deliver' || name === 'charge') {
    const key = params?._meta?.['tutti/idempotencyKey'];
    const effect: Effect = { name, key, run: given['run'] };
    await fetch(counterUrl, { method: 'POST', body: JSON.stringify(effect) });
    return { done: name };
  }
  if (name !== 'find_delivery') {
    return { ...given, text: 'much '.repeat(Number(given['words'] ?? 0)) };
  }
  const effects = (await (await fetch(counterUrl)).json()) as Effect[];
  const isFound = effects.some(({ key }) => key === given['idempotency_key']);
  return isFound ? { state: 'happened', result: { done: 'deliver' } } : { state: 'not_happened' };
}

async function handle({ id, method, params }: Incoming): Promise<void> {
  if (id === undefined) return;
  if (method === 'initialize') {
    send(id, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'effects', version: '1.0.0' },
    });
  } else if (method === 'tools/list') send(id, { tools });
  else if (method === 'tools/call') {
    const structuredContent = await call(params);
    const text = JSON.stringify(structuredContent);
    send(id, { content: [{ type: 'text', text }], structuredContent });
  } else send(id, {});
}

createInterface({ input: process.stdin })
  .on('line', (line) => void handle(JSON.parse(line)))
  .on('close', () => process.exit());
