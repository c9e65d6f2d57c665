import {
  inputSchemas,
  plainTools,
  prompts,
  readResource,
  resources,
  templates,
} from './contents.ts';
import {
  membersOf,
  metaKeys,
  rpcCode,
  RpcFailure,
  said,
  statelessVersion,
  tasksExtension,
  type Era,
  type Exchange,
  type Members,
} from './exchange.ts';
import { askingPrompt, askingTools, interview } from './questions.ts';
import type { PassingItems } from './passing-items.ts';
import { Tasks, taskTools } from './tasks.ts';

/** A notification that belongs to no request. */
export interface Notice {
  readonly method: string;
  /** The member of a subscription's filter that wants it. */
  readonly filter: string;
}

type Answer = (exchange: Exchange) => Members | Promise<Members>;

const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const serverInfo = { name: 'conformance-fixture', version: '1.0.0' };
const askingPromptName = 'test_input_required_result_prompt';
const description = 'Something the conformance runner asks for.';
const shared = { tools: { listChanged: true }, prompts: { listChanged: true }, completions: {} };
const listed = { ttlMs: 0, cacheScope: 'public' };
const stepMs = 20;

const notices = {
  test_trigger_tool_change: {
    method: 'notifications/tools/list_changed',
    filter: 'toolsListChanged',
    list: 'tools',
  },
  test_trigger_prompt_change: {
    method: 'notifications/prompts/list_changed',
    filter: 'promptsListChanged',
    list: 'prompts',
  },
} as const;

/** What the server does, in both eras, whoever carries the messages. */
export class ConformanceServer {
  readonly #eras: readonly Era[];
  readonly #tasks = new Tasks();
  readonly #listeners = new Set<(notice: Notice) => void>();
  readonly #passing: PassingItems;

  constructor(eras: readonly Era[], passing: PassingItems) {
    this.#eras = eras;
    this.#passing = passing;
  }

  speaks(era: Era): boolean {
    return this.#eras.includes(era);
  }

  onChange(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async answer(method: string, exchange: Exchange): Promise<Members> {
    const { era } = exchange;
    if (!this.speaks(era)) throw this.#wrongEra(method, exchange);
    const find = { ...this.#common, ...(era === 'handshake' ? this.#older : this.#newer) }[method];
    if (!find) throw new RpcFailure(rpcCode.methodNotFound, `Method not found: ${method}`);
    const result = await find(exchange);
    if (era === 'handshake') return result;
    const isCached = /list$|^resources\/read$|discover$/.test(method);
    return {
      resultType: 'complete',
      ...(isCached && listed),
      ...result,
      _meta: { [metaKeys.serverInfo]: serverInfo },
    };
  }

  #wrongEra(method: string, { era, params }: Exchange): RpcFailure {
    if (era === 'stateless' || method !== 'initialize') {
      return new RpcFailure(rpcCode.methodNotFound, `Method not found: ${method}`);
    }
    const requested = params['protocolVersion'];
    const data = { supported: [statelessVersion], requested };
    return new RpcFailure(rpcCode.unsupportedVersion, 'Unsupported protocol version', data);
  }

  readonly #common: Readonly<Record<string, Answer>> = {
    'tools/list': () => ({
      tools: [...toolNames(), ...this.#passing.of('tools')].map(describeTool),
    }),
    'tools/call': (exchange) => this.#callTool(exchange),
    'resources/list': () => ({ resources }),
    'resources/templates/list': () => ({ resourceTemplates: templates }),
    'resources/read': ({ params }) => ({ contents: [readResource(String(params['uri']))] }),
    'prompts/list': () => ({
      prompts: [
        ...listPrompts(),
        ...this.#passing.of('prompts').map((name) => ({ name, description })),
      ],
    }),
    'prompts/get': getPrompt,
    'completion/complete': () => ({ completion: { values: ['paris', 'park'], hasMore: false } }),
  };

  readonly #older: Readonly<Record<string, Answer>> = {
    initialize: ({ params }) => ({
      protocolVersion:
        handshakeVersions.find((version) => version === params['protocolVersion']) ??
        handshakeVersions[0],
      capabilities: { ...shared, resources: { subscribe: true }, logging: {} },
      serverInfo,
    }),
    ping: () => ({}),
    'logging/setLevel': () => ({}),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
  };

  readonly #newer: Readonly<Record<string, Answer>> = {
    'server/discover': () => ({
      supportedVersions: [statelessVersion],
      capabilities: {
        ...shared,
        resources: { subscribe: true },
        extensions: { [tasksExtension]: {} },
      },
    }),
    'tasks/get': (exchange) => this.#tasks.request('tasks/get', exchange),
    'tasks/update': (exchange) => this.#tasks.request('tasks/update', exchange),
    'tasks/cancel': (exchange) => this.#tasks.request('tasks/cancel', exchange),
  };

  async #callTool(exchange: Exchange): Promise<Members> {
    const name = String(exchange.params['name']);
    const asking = askingTools[name];
    if (asking) return interview(asking, exchange);
    if (taskTools.includes(name)) return this.#tasks.call(name, exchange);
    const result = plainTools[name] ?? (await this.#run(name, exchange));
    if (!result) throw new RpcFailure(rpcCode.invalidParams, `Unknown tool: ${name}`);
    return result;
  }

  /** The tools that do something. */
  async #run(name: string, exchange: Exchange): Promise<Members | undefined> {
    const { params } = exchange;
    if (name === 'greet') return said(`Hello, ${String(membersOf(params['arguments'])['name'])}!`);
    if (name === 'test_reconnection') {
      await pause(stepMs * 5);
      return said('Reconnection test completed');
    }
    if (name === 'test_tool_with_progress') return reportProgress(exchange);
    if (name === 'test_tool_with_logging' || name === 'test_logging_tool') return log(exchange);
    if (name !== 'test_trigger_tool_change' && name !== 'test_trigger_prompt_change') {
      return undefined;
    }
    const notice = notices[name];
    this.#passing.change(notice.list);
    for (const listener of this.#listeners) listener(notice);
    return said('Changed');
  }
}

const activeTools = [
  'test_tool_with_progress',
  'test_tool_with_logging',
  'test_logging_tool',
  'test_reconnection',
  'greet',
  ...Object.keys(notices),
];

function toolNames(): string[] {
  return [...Object.keys(plainTools), ...activeTools, ...Object.keys(askingTools), ...taskTools];
}

function describeTool(name: string): Members {
  return { name, description, inputSchema: inputSchemas[name] ?? { type: 'object' } };
}

function listPrompts(): Members[] {
  const named = Object.entries(prompts).map(([name, { takes }]) => ({
    name,
    description,
    arguments: takes.map((argument) => ({ name: argument, required: true })),
  }));
  return [...named, { name: askingPromptName, description }];
}

async function getPrompt(exchange: Exchange): Promise<Members> {
  const name = String(exchange.params['name']);
  if (name === askingPromptName) return interview(askingPrompt, exchange);
  const prompt = prompts[name];
  if (!prompt) throw new RpcFailure(rpcCode.invalidParams, `Unknown prompt: ${name}`);
  const contents = prompt.give(membersOf(exchange.params['arguments']));
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}

async function reportProgress({ params, notify }: Exchange): Promise<Members> {
  const { progressToken } = membersOf(params['_meta']);
  for (const progress of [0, 50, 100]) {
    const update = { progressToken, progress, total: 100, message: `Completed ${progress}` };
    if (progressToken !== undefined) notify('notifications/progress', update);
    await pause(stepMs);
  }
  return said(String(progressToken));
}

async function log({ notify, wantsLogs }: Exchange): Promise<Members> {
  for (const data of [
    'Tool execution started',
    'Tool processing data',
    'Tool execution completed',
  ]) {
    if (wantsLogs) notify('notifications/message', { level: 'info', data });
    await pause(stepMs);
  }
  return said('Logged');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
