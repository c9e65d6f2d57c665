/** An MCP server all of whose texts are hostile to a terminal: names, descriptions, results, errors, stderr. */
import { createInterface } from 'node:readline';
import { hostileText } from '../terminal/hostile-text.ts';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

/** Where its texts begin; the same for the same number. */
let seed = Number(process.argv[2] ?? 0);
const text = (): string => hostileText((seed += 1));
const block = (): object => ({ type: 'text', text: text() });

const inputSchema = (): object => ({
  type: 'object',
  properties: {
    [`key ${text()}`]: { type: 'string', description: text(), default: text(), enum: [text()] },
    path: { type: 'string', description: text(), examples: [text()] },
  },
});
const tool = (name: string): object => ({
  name,
  title: text(),
  description: `${text()}\n${text()}. ${text()}`,
  inputSchema: inputSchema(),
  annotations: { title: text(), readOnlyHint: true },
  _meta: { 'tutti/examples': [text()] },
});
const tools = ['say', 'fail', 'slow', 'ask', 'refuse', `odd${text()}`].map(tool);
const named = (): object => ({ name: text(), title: text(), description: text() });

function answer({ method = '', params = {} }: Incoming): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
          serverInfo: { name: text(), title: text(), version: text() },
          instructions: text(),
        },
      };
    case 'tools/list':
      return { result: { tools } };
    case 'resources/list':
      return { result: { resources: [{ uri: 'evil://page', ...named(), mimeType: text() }] } };
    case 'resources/templates/list':
      return {
        result: { resourceTemplates: [{ uriTemplate: `evil://{id}${text()}`, ...named() }] },
      };
    case 'resources/read':
      return { result: { contents: [{ uri: `evil://page${text()}`, text: text() }] } };
    case 'prompts/list':
      return { result: { prompts: [{ ...named(), name: 'greet', arguments: [named()] }] } };
    case 'prompts/get':
      return {
        result: { description: text(), messages: [{ role: 'user', content: block() }] },
      };
    case 'tools/call':
      if (params.name === 'refuse') return { error: { code: -32_000, message: text() } };
      return {
        result: {
          content: [block(), { type: 'resource_link', uri: text(), name: text() }],
          ...(params.name === 'fail' && { isError: true }),
        },
      };
    default:
      return { result: {} };
  }
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** Long enough for a progress bar to be drawn. */
async function makeProgress(progressToken: unknown): Promise<void> {
  for (let progress = 1; progress <= 12; progress += 1) {
    send({
      method: 'notifications/progress',
      params: { progressToken, progress, total: 12, message: text() },
    });
    await new Promise((resolve) => setTimeout(resolve, 110));
  }
}

async function reply(message: Incoming): Promise<void> {
  if (message.id === undefined) return;
  process.stderr.write(`${text()}\n`);
  const { name, _meta } = message.params ?? {};
  if (name === 'slow') await makeProgress(_meta?.progressToken);
  send({ id: message.id, ...answer(message) });
}

createInterface({ input: process.stdin })
  .on('line', (line) => void reply(JSON.parse(line) as Incoming))
  .on('close', () => process.exit());
