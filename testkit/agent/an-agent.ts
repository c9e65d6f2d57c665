import type {
  Agent,
  AgentEvent,
  AskOptions,
  AskOutcome,
  AskRequest,
} from '../../src/contract/agent/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { CatalogueEntry } from '../../src/contract/catalogue/index.ts';
import type { PackedContext } from '../../src/contract/context/index.ts';
import type { Memory } from '../../src/contract/session/index.ts';
import type { ToolAnnotations } from '../../src/contract/tool/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createAgent, type AgentParts, type AgentSettings } from '../../src/agent/ask/index.ts';
import type {
  PlanningAnswer,
  PlanningRequest,
  ProjectFiles,
} from '../../src/agent/planner/index.ts';
import { MemorySessions } from './memory-sessions.ts';
import { ScriptedModels, type Script } from './scripted-models.ts';
import { ScriptedRuns, type ToolScript } from './scripted-runs.ts';

export const readOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** A tool of the catalogue; `required` are texts it has to be given. */
export function anEntry(
  name: string,
  annotations: ToolAnnotations = readOnly,
  parts: { readonly required?: readonly string[]; readonly description?: string } = {},
): CatalogueEntry {
  const [server = '', tool = ''] = name.split('.');
  const { required = [], description = `Does ${tool.replaceAll('_', ' ')}.` } = parts;
  const properties = Object.fromEntries(required.map((key) => [key, { type: 'string' }]));
  return {
    name,
    wireName: `${server}__${tool}`,
    server,
    tool: {
      name: tool,
      description,
      inputSchema: { type: 'object', properties, required },
      annotations,
    },
  };
}

export const someEntries: readonly CatalogueEntry[] = [
  anEntry('code.generate_code', readOnly, { required: ['description'] }),
  anEntry('code.generate_tests', readOnly, { required: ['code'] }),
  anEntry('code.review_code', readOnly, { required: ['code'] }),
  anEntry('web.search', { readOnlyHint: true }, { required: ['query'] }),
  anEntry('mail.send', {}, { required: ['to', 'text'] }),
  anEntry('admin.call_tool', {}),
  anEntry('admin.get_status'),
  anEntry('workflow.run_plan', {}),
  anEntry('agent.ask', {}),
];

const settings: AgentSettings = {
  maxSteps: 10,
  optimizeChains: true,
  preview: 'effects',
  approval: 'effects',
  clarification: {
    enabled: true,
    maxQuestions: 3,
    confidenceThreshold: 0.7,
    askWhenAmbiguous: true,
  },
  limits: { maxRounds: 8, maxCalls: 60, maxMinutes: 30 },
  contextTokens: 4_000,
  contextTurns: 10,
};

export interface AnAgentParts {
  /** Null: there is no model. */
  readonly model?: Script | null;
  readonly tools?: Readonly<Record<string, ToolScript>>;
  readonly entries?: readonly CatalogueEntry[];
  readonly planned?: (request: PlanningRequest) => PlanningAnswer;
  readonly files?: ProjectFiles;
  readonly readFile?: AgentParts['readFile'];
  readonly changes?: AgentParts['changes'];
  /** Whether `hunter2` is a secret. */
  readonly hideSecrets?: boolean;
  readonly settings?: Partial<AgentSettings>;
  readonly explainRun?: AgentParts['explainRun'];
  /** In place of one that forgets nothing. */
  readonly memory?: Memory;
  readonly notes?: AgentParts['notes'];
}

const hideTestSecret = (text: string) => ({
  text: text.replaceAll('hunter2', '[hidden password]'),
  count: text.split('hunter2').length - 1,
});

/** An agent among fakes, with all that happened to them. */
export function anAgent(parts: AnAgentParts = {}) {
  const entries = parts.entries ?? someEntries;
  const models = new ScriptedModels(parts.model ?? null);
  const runs = new ScriptedRuns(entries, parts.tools ?? {});
  const store = new MemorySessions();
  const events: AgentEvent[] = [];
  const texts = new Map<string, string>();
  const agent: Agent = createAgent({
    models,
    memory: parts.memory ?? store.memory(),
    contexts: { pack: async (_caller, id) => packedContext(id) },
    ...(parts.notes && { notes: parts.notes }),
    workflows: runs.workflows,
    follow: runs.follow,
    artifacts: async () => ({
      put: async (_caller, { content, mediaType }) => {
        const id = `sha256:${texts.size}`;
        texts.set(id, String(content));
        return { id, bytes: content.length, mediaType };
      },
      get: async (_caller, id) => Buffer.from(texts.get(id) ?? ''),
    }),
    tools: { find: async (_query, count) => entries.slice(0, count), entries: async () => entries },
    planner: async () => ({
      plan: async (request) =>
        parts.planned?.(request) ?? { kind: 'refusal', reason: 'Nothing fits.', nearest: [] },
    }),
    ...(parts.readFile && { readFile: parts.readFile }),
    ...(parts.changes && { changes: parts.changes }),
    ...(parts.explainRun && { explainRun: parts.explainRun }),
    ...(parts.hideSecrets && { hideSecrets: async () => hideTestSecret }),
    servers: async () => [{ name: 'code', state: 'ready', tools: 12, lastError: null }],
    files: parts.files ?? { kind: async () => undefined, list: async () => [] },
    settings: { ...settings, ...parts.settings },
    isTrusted: (server) => ['code', 'standards', 'docs', 'exec', 'workspace'].includes(server),
    log: silentLog,
  });
  const ask = (
    message: string,
    request: Partial<AskRequest> = {},
    options: Partial<AskOptions> = {},
  ): Promise<AskOutcome> =>
    agent.ask(
      { caller: localCaller, message, ...request },
      {
        signal: new AbortController().signal,
        onEvent: (event) => void events.push(event),
        ...options,
      },
    );
  const told = (): string =>
    events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  return { ask, models, runs, store, events, texts, told };
}

function packedContext(id: string): PackedContext {
  const counts = { tokens: 1, maxTokens: 1, packed: [], leftOut: [], hiddenSecrets: 0 };
  return { id, text: `text of ${id}`, ...counts };
}

/** An intent as a sure model gives it. */
export function anIntent(goal: string, tools: readonly string[], more: object = {}): object {
  return { primary_goal: goal, tools_needed: tools, confidence: 0.9, ...more };
}
