/**
 * An MCP server of 2025-11-25 on standard input and output that asks in the middle of its calls, whatever became of
 * them: `asking-server.ts SEED`. Its tool `work {who, call, asks, delayMs}` waits, asks `asks` times naming who called,
 * and says what it was answered. Of cancelled calls some go on and are answered, some go on and are not, some stop
 * without a word. Now and then it ends, as servers do.
 */
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../../testkit/sample.ts';

interface Work {
  readonly who: string;
  readonly call: number;
  readonly asks: number;
  readonly delayMs: number;
}

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: Work; readonly requestId?: number };
  readonly result?: { readonly content?: { readonly of?: string } };
}

const random = seededRandom(Number(process.argv[2]));
/** Calls until it ends. */
const lifetime = 100;
let calls = 0;
let questions = 0;
const answers = new Map<string, (answer: string) => void>();
/** What is done about the cancellation of calls. */
const fates = new Map<number | string, 'silent' | 'stopped'>();

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

async function work(id: number | string, { who, call, asks, delayMs }: Work): Promise<void> {
  const answered: string[] = [];
  for (let round = 0; round < asks; round += 1) {
    await pause(delayMs * random());
    if (fates.get(id) === 'stopped') return;
    answered.push(await ask(`${who}#${call}`));
  }
  await pause(delayMs * random());
  if (!fates.has(id)) send({ id, result: { content: [{ type: 'text', text: answered.join() }] } });
}

function ask(about: string): Promise<string> {
  const id = `q${(questions += 1)}`;
  const isForModel = random() < 0.2;
  const requestedSchema = { type: 'object', properties: { of: { type: 'string' } } };
  const content = { type: 'text', text: about };
  const params = isForModel
    ? { messages: [{ role: 'user', content }], maxTokens: 1 }
    : { message: `[${about}]`, requestedSchema };
  send({ id, method: isForModel ? 'sampling/createMessage' : 'elicitation/create', params });
  return new Promise((resolve) => answers.set(id, resolve));
}

function receive({ id, method, params, ...rest }: Incoming): void {
  if (method === undefined) {
    const answer = JSON.stringify(rest);
    const of = /[\w]+#\d+/.exec(answer)?.[0];
    answers.get(String(id))?.(of ?? 'refused');
    return;
  }
  if (method === 'notifications/cancelled') {
    const fate = random();
    if (fate < 0.02) fates.set(params?.requestId ?? '', 'silent');
    else if (fate < 0.04) fates.set(params?.requestId ?? '', 'stopped');
  }
  if (id === undefined) return;
  const inputSchema = { type: 'object' };
  if (method === 'tools/call' && params?.arguments) {
    calls += 1;
    if (calls > lifetime) process.exit(1);
    void work(id, params.arguments);
  } else if (method === 'tools/list')
    send({ id, result: { tools: [{ name: 'work', inputSchema }] } });
  else if (method === 'ping') send({ id, result: {} });
  else if (method === 'initialize') {
    const serverInfo = { name: 'asking', version: '1' };
    send({
      id,
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
    });
  } else send({ id, error: { code: -32_601, message: 'Method not found' } });
}

createInterface({ input: process.stdin })
  .on('line', (line) => receive(JSON.parse(line) as Incoming))
  .on('close', () => process.exit());
