import type {
  CallContext,
  ClientRequest,
  Completion,
  CompletionRequest,
  McpServer,
  ServerChange,
} from '../../src/contract/server/index.ts';
import type { Prompt, PromptResult } from '../../src/contract/prompt/index.ts';
import type {
  Resource,
  ResourceResult,
  ResourceTemplate,
} from '../../src/contract/resource/index.ts';
import type { Tool, ToolResult } from '../../src/contract/tool/index.ts';
import { wireTextOf, withWireText } from '../../src/contract/wire/index.ts';
import { AppError, reportError } from '../../src/kernel/index.ts';

/** An explainable failure with whatever code a test is about. */
export class FixtureError extends AppError {
  readonly code: string;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message, { details });
    this.code = code;
  }
}

function notFound(message: string): FixtureError {
  return new FixtureError('toolbox.not_found', message);
}

type Run = (args: Readonly<Record<string, unknown>>, context: CallContext) => Promise<ToolResult>;

/** A server whose tools each show one behaviour the gateway must carry. */
export class FixtureServer implements McpServer {
  readonly name = 'fixture';
  readonly title = 'Fixture';
  readonly version = '1.2.3';
  readonly instructions = 'For tests.';
  /** The contexts of all calls so far, in order. */
  readonly calls: CallContext[] = [];
  /** Set to make every listing fail. */
  listFailure: Error | undefined;
  /** The watched resources. */
  readonly watched = new Set<string>();
  /** What `setLogLevel` was called with, in order. */
  readonly levels: string[] = [];
  /** Set to make every prompt fail. */
  promptFailure: Error | undefined;
  readonly #listeners = new Set<(change: ServerChange) => void>();

  readonly #tools: ReadonlyMap<string, { readonly tool: Tool; readonly run: Run }> = new Map(
    [
      tool('echo', async ({ text }) => said(String(text))),
      tool('sum', async ({ a, b }) => {
        const total = Number(a) + Number(b);
        return { ...said(String(total)), structuredContent: { total } };
      }),
      tool('steps', async ({ count }, { progress }) => {
        const total = Number(count);
        for (let step = 1; step <= total; step += 1) {
          progress({ progress: step, total, message: `step ${step}` });
          await new Promise(setImmediate);
        }
        return said('done');
      }),
      tool('wait', async (_args, context) => waitForEver(context)),
      tool('fail', async () => ({ ...said('it failed'), isError: true })),
      tool('refuse', async () => {
        throw new FixtureError('fixture.refused', 'This tool always refuses', { why: 'test' });
      }),
      tool('bug', async () => {
        throw new TypeError('secret internals at /private/path');
      }),
      tool('unprintable', async () => ({
        ...said('x'),
        structuredContent: { value: 1n },
      })),
      tool('ask', askAll),
      tool('ask_or_fail', async (args, context) => ({
        ...(await askAll(args, context)),
        isError: true,
      })),
      tool('ask_and_wait', async (args, context) => {
        await askAll(args, context);
        context.progress({ progress: 1 });
        return waitForEver(context);
      }),
      tool('tell', async (params, { client }) => {
        client?.notify('notifications/message', params);
        return said('told');
      }),
      tool('exact', async (args) => exactResult(args)),
      tool('marked', async () => withWireText({ ...said('x'), _meta: { a: 1 } }, markedText)),
      tool('defer', async (_args, { extra }) =>
        Object.assign({ content: [], resultType: 'input_required' }, { requestState: 's', extra }),
      ),
      tool('routed', async ({ region }) => said(`region ${String(region)}`), {
        region: { type: 'string', 'x-mcp-header': 'Region' },
      }),
    ].map((entry) => [entry.tool.name, entry]),
  );

  async listTools(): Promise<readonly Tool[]> {
    if (this.listFailure) throw this.listFailure;
    return [...this.#tools.values()].map((entry) => entry.tool);
  }

  async callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult> {
    const found = this.#tools.get(name);
    if (!found) throw notFound(`Unknown tool: ${name}`);
    this.calls.push(context);
    // The gateway lets only objects through.
    return found.run((args ?? {}) as Readonly<Record<string, unknown>>, context);
  }

  async listResources(): Promise<readonly Resource[]> {
    return [{ uri: 'fixture://text', name: 'text', mimeType: 'text/plain' }];
  }

  async listResourceTemplates(): Promise<readonly ResourceTemplate[]> {
    return [{ uriTemplate: 'fixture://{id}', name: 'any' }];
  }

  async readResource(uri: string): Promise<ResourceResult> {
    if (uri !== 'fixture://text') throw notFound(`Unknown resource: ${uri}`);
    return { contents: [{ uri, mimeType: 'text/plain', text: 'contents' }] };
  }

  async listPrompts(): Promise<readonly Prompt[]> {
    return [
      { name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] },
    ];
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<PromptResult> {
    if (this.promptFailure) throw this.promptFailure;
    if (name !== 'greet') throw notFound(`Unknown prompt: ${name}`);
    return {
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${args['who']}` } }],
    };
  }

  async complete({ reference, argument }: CompletionRequest): Promise<Completion> {
    if (reference.type === 'ref/prompt' && reference.name !== 'greet') {
      throw notFound(`Unknown prompt: ${reference.name}`);
    }
    const known = ['ada', 'alan', 'grace', ...Array.from({ length: 150 }, (_, n) => `many${n}`)];
    return { values: known.filter((value) => value.startsWith(argument.value)) };
  }

  async watchResource(uri: string): Promise<() => void> {
    if (uri === 'fixture://unwatchable') throw notFound(`Unknown resource: ${uri}`);
    this.watched.add(uri);
    return () => this.watched.delete(uri);
  }

  setLogLevel(level: string): void {
    this.levels.push(level);
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies all listeners. */
  change(change: ServerChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  async close(): Promise<void> {}
}

/** What the tool "marked" says, as its server wrote it. */
export const markedText = '{"content":[{"type":"text","text":"x"}],\n "_meta":{"a":1.0}}';

/** Returns the wire text of the arguments, and a number that no double can represent. */
function exactResult(args: object): ToolResult {
  const text = `{"content":[],"structuredContent":{"args":${wireTextOf(args)},"big":12345678901234567890}}`;
  // It was written one line above.
  return withWireText(JSON.parse(text) as ToolResult, text);
}

async function waitForEver({ signal }: CallContext): Promise<ToolResult> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return said('never');
}

/** Sends all `requests`, concurrently or in sequence, and returns the outcome of each. */
async function askAll(
  { requests, together }: Readonly<Record<string, unknown>>,
  { client, signal }: CallContext,
): Promise<ToolResult> {
  const outcomes: unknown[] = [];
  const ask = async (request: ClientRequest): Promise<unknown> => {
    try {
      return await client?.ask(request, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { refused: reportError(error) };
    }
  };
  // Tests pass such lists.
  const list = requests as readonly ClientRequest[];
  if (together === true) outcomes.push(...(await Promise.all(list.map(ask))));
  else for (const request of list) outcomes.push(await ask(request));
  return { ...said('asked'), structuredContent: { outcomes } };
}

function said(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}

function tool(
  name: string,
  run: Run,
  properties: Readonly<Record<string, unknown>> = {},
): { readonly tool: Tool; readonly run: Run } {
  const description = `Shows "${name}".`;
  return { tool: { name, description, inputSchema: { type: 'object', properties } }, run };
}
