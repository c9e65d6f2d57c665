import type { Agent, AgentEvent, AskOutcome } from '../contract/agent/index.ts';
import type { Agents } from '../contract/agents/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { Experience, Explanation, Suggestion } from '../contract/experience/index.ts';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Instances } from '../contract/instance/index.ts';
import { addCopies, noCopies } from '../contract/memory/index.ts';
import type { MemoryFilter, MemoryItems } from '../contract/memory/index.ts';
import type { ModelDescription, Models } from '../contract/model/index.ts';
import type { Memory, Session } from '../contract/session/index.ts';
import {
  type ContentBlock,
  errorMetaKey,
  type Tool,
  type ToolResult,
} from '../contract/tool/index.ts';
import { AppError } from '../kernel/index.ts';
import { type Connection, failureOf } from './connection.ts';

/** What the API does not offer: it belongs to the machine the server runs on. */
class NotRemoteError extends AppError {
  readonly code = 'client.not_remote';

  constructor(what: string) {
    super(`${what} works only on the machine itself, not over the API of a server`);
  }
}

class TurnLostError extends AppError {
  readonly code = 'client.turn_lost';

  constructor(turnId: string) {
    super(`The server stopped telling of the turn ${turnId} before its end`, {
      details: { turnId },
      hint: '`tutti sessions` shows what was said.',
    });
  }
}

export function remoteInstances(connection: Connection): Instances {
  const isDraining = (state: string): boolean => state === 'draining';
  return {
    list: async () => {
      const { items } = await connection.call('getInstances', {});
      return items.map((instance) => ({ ...instance, isDraining: isDraining(instance.state) }));
    },
    drain: async (_by, id) => {
      const instance = await connection.call('postInstancesByIdDrain', { path: { id } });
      return { ...instance, isDraining: isDraining(instance.state) };
    },
  };
}

/** Requests in plain words, to the agent of the server. */
export function remoteAgent(connection: Connection): Agent {
  return {
    async ask({ caller: _caller, ...request }, { signal, onEvent }) {
      const { attachments, ...rest } = request;
      const body = { ...rest, ...(attachments && { attachments: [...attachments] }) };
      const idempotencyKey = crypto.randomUUID();
      const { turnId } = await connection.call('postTurns', { body }, { signal, idempotencyKey });
      const cancel = (): void => {
        // The turn ends by itself where this does not reach the server.
        connection.call('postTurnsByIdCancel', { path: { id: turnId } }).catch(() => {});
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        for await (const { event, data } of connection.events('turns', turnId, signal)) {
          const told = Object(JSON.parse(data));
          // The document is made from the schema of outcomes.
          if (event === 'done') return told as AskOutcome;
          if (event === 'failed') throw failureOf(told.status, data);
          if (event !== 'approval') onEvent?.(eventOf(event, told));
        }
      } finally {
        signal.removeEventListener('abort', cancel);
      }
      throw new TurnLostError(turnId);
    },
  };
}

/** The event as the agent told it; the inputs of a run stay with the server. */
function eventOf(kind: string, told: object): AgentEvent {
  const event = kind === 'run' ? { kind, run: { input: {}, ...told } } : { kind, ...told };
  return event as AgentEvent;
}

type CommandCatalogue = Pick<
  Catalogue,
  | 'entries'
  | 'failures'
  | 'unlisted'
  | 'callTool'
  | 'listResources'
  | 'readResource'
  | 'listResourceTemplates'
  | 'listPrompts'
  | 'getPrompt'
>;

/** The tools, resources and prompts of the server, as commands use them. */
export function remoteCatalogue(connection: Connection): CommandCatalogue {
  return {
    async entries() {
      const tools = await connection.all('getTools', { query: { schemas: true } });
      return tools.map(entryOf);
    },
    failures: () => [],
    unlisted: () => [],
    async callTool(name, args, { signal }) {
      const path = { name };
      const body = { arguments: { ...Object(args) } };
      const { content, structuredContent, isError, error } = await connection.call(
        'postToolsByNameCall',
        { path, body },
        { signal, idempotencyKey: crypto.randomUUID() },
      );
      const result: ToolResult = {
        content: content as readonly ContentBlock[],
        ...(structuredContent && { structuredContent }),
        isError,
        ...(error && { _meta: { [errorMetaKey]: error } }),
      };
      return result;
    },
    listResources: async () => connection.all('getResources', {}),
    listResourceTemplates: async () => connection.all('getResourcesTemplates', {}),
    readResource: async (uri) => connection.call('getResourcesContent', { query: { uri } }),
    listPrompts: async () => await connection.all('getPrompts', {}),
    getPrompt: async (name, args) =>
      (await connection.call('postPromptsByName', {
        path: { name },
        body: { arguments: args },
      })) as never,
  };
}

interface ShownTool {
  readonly name: string;
  readonly server: string;
  readonly title?: string;
  readonly description?: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** Its wire name is the one the API takes. */
export function entryOf(shown: ShownTool): CatalogueEntry {
  const { name, server, title, description, readOnly, destructive, inputSchema, outputSchema } =
    shown;
  const tool: Tool = {
    name: name.slice(server.length + 1),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: inputSchema ?? { type: 'object' },
    ...(outputSchema && { outputSchema }),
    annotations: { readOnlyHint: readOnly, destructiveHint: destructive },
  };
  return { name, wireName: name, server, tool };
}

export function remoteFleet(connection: Connection): FleetControl {
  let collisions: readonly string[] = [];
  return {
    async status() {
      const answer = await connection.call('getServers', {});
      ({ collisions } = answer);
      return answer.items;
    },
    // The server starts what it serves.
    startAll: async () => {},
    async restart(name) {
      await connection.call('postServersByNameRestart', { path: { name } });
    },
    async logs(name, maxLines) {
      const query = { lines: Math.min(maxLines, maxLogLines) };
      return (await connection.call('getServersByNameLogs', { path: { name }, query })).lines;
    },
    async acceptTools(name) {
      const answer = await connection.call('postServersByNameAcceptTools', { path: { name } });
      return answer.accepted;
    },
    diffTools: refuse('Comparing the tools of a server'),
    rereadTools: refuse('Reading accepted tools again'),
    login: refuse('Logging in to a server'),
    logout: refuse('Logging out of a server'),
    collisions: () => collisions,
  };
}

export function refuse(what: string): () => never {
  return () => {
    throw new NotRemoteError(what);
  };
}

/** A port of which the API offers a part: whatever else is called of it throws. */
export function notRemote<Port extends object>(what: string, offered: Partial<Port>): Port {
  const proxy = new Proxy(offered, {
    get: (target, name) =>
      Reflect.has(target, name) || name === 'then' ? Reflect.get(target, name) : refuse(what),
  });
  // Its handler gives every member.
  return proxy as Port;
}

const maxLogLines = 1_000;

/** The conversations of the server. Preferences stay with it. */
export function remoteMemory(connection: Connection): Memory {
  return {
    sessions: {
      create: refuse('Writing in a session directly'),
      open: refuse('Writing in a session directly'),
      list: async (_caller, { limit }) => await connection.all('getSessions', {}, { limit }),
      show: async (_caller, id) =>
        (await connection.call('getSessionsByIdExport', { path: { id } })) as Session,
      fork: async (_caller, id, { upToTurn } = {}) =>
        connection.call('postSessionsByIdFork', {
          path: { id },
          body: upToTurn === undefined ? {} : { upToTurn },
        }),
      import: async (_caller, data) =>
        connection.call('postSessionsImport', { body: { session: { ...Object(data) } } }),
      async remove(_caller, id) {
        await connection.call('deleteSessionsById', { path: { id } });
      },
      close: async () => {},
    },
    converse: refuse('Preparing a conversation for a model'),
    learn: async () => ({
      learned: [],
      suggested: [],
      known: [],
      replaced: [],
      isAll: false,
      isCorrection: false,
      refused: [],
    }),
    observe: async () => [],
    settle: async () => {},
    preferences: async () => (await connection.call('getPreferences', {})).items,
    forget: async (_caller, text) =>
      (await connection.call('postPreferencesForget', { body: { text } })).forgotten,
    close: async () => {},
  };
}

/** What a server remembers of the caller. */
export function remoteMemoryItems(connection: Connection): MemoryItems {
  const change = (id: string, body: { pinned?: boolean; status?: 'active' | 'excluded' }) =>
    connection.call('postMemoryByIdChange', { path: { id }, body });
  return {
    search: async ({ text, limit, filter = {} }) => {
      const { validAt } = filter;
      const time = validAt === undefined ? {} : { validAt };
      const query = { ...filterQuery(filter), ...time, query: text, limit };
      return connection.call('getMemorySearch', { query });
    },
    remember: async (_caller, { text, kind, sensitivity, isEverywhere }) =>
      connection.call('postMemory', {
        body: {
          text,
          ...(kind && { kind }),
          ...(sensitivity && { sensitivity }),
          ...(isEverywhere === true && { isEverywhere }),
        },
      }),
    compare: refuse('Comparing what is remembered'),
    correct: async (_caller, id, { text }) =>
      connection.call('postMemoryByIdCorrect', { path: { id }, body: { text } }),
    async forget(_caller, ids) {
      const forgotten: string[] = [];
      let turns = 0;
      let copies = noCopies;
      for (const id of ids) {
        const gone = await connection.call('deleteMemoryById', { path: { id } });
        forgotten.push(...gone.forgotten);
        turns += gone.turns;
        copies = addCopies(copies, gone.copies);
      }
      return { forgotten, turns, copies };
    },
    pin: (_caller, id, pinned) => change(id, { pinned }),
    setStatus: (_caller, id, status) => change(id, { status }),
    explain: async (_caller, id) => connection.call('getMemoryById', { path: { id } }),
    list: async (_caller, filter, { limit }) =>
      connection.all('getMemory', { query: filterQuery(filter) }, { limit }),
    state: refuse('Counting what is remembered'),
    erase: refuse('Writing the database anew'),
    close: async () => {},
  };
}

function filterQuery(filter: MemoryFilter) {
  const { kinds, statuses, sensitivities, observedFrom, observedUntil } = filter;
  return {
    ...(kinds && { kinds }),
    ...(statuses && { statuses }),
    ...(sensitivities && { sensitivities }),
    ...(observedFrom !== undefined && { observedFrom }),
    ...(observedUntil !== undefined && { observedUntil }),
  };
}

/** Failures and fixes of the caller at the server. */
export function remoteExperience(
  connection: Connection,
): Pick<Experience, 'explain' | 'failures' | 'fixes' | 'recordOutcome' | 'approve'> {
  // The document is made from the schemas of these answers.
  const asFix = (answer: object): Suggestion => answer as Suggestion;
  return {
    failures: (_caller, limit) => connection.all('getFailures', {}, { limit }),
    fixes: async (_caller, limit) =>
      (await connection.all('getFixes', {}, { limit })) as unknown as readonly Suggestion[],
    async explain(_caller, query) {
      const explained =
        query.kind === 'text'
          ? connection.call('postFailuresExplain', { body: withoutKind(query) })
          : query.kind === 'failure'
            ? connection.call('getFailuresById', { path: { id: query.id } })
            : connection.call('getRunsByIdFailure', { path: { id: query.runId } });
      return (await explained) as unknown as Explanation;
    },
    recordOutcome: async (_caller, { fixId, ...body }) =>
      asFix(await connection.call('postFixesByIdOutcomes', { path: { id: fixId }, body })),
    approve: async (_caller, fixId, isApproved) => {
      const body = { isApproved };
      return asFix(await connection.call('postFixesByIdApproval', { path: { id: fixId }, body }));
    },
  };
}

function withoutKind({ text, exitCode }: { readonly text: string; readonly exitCode?: number }) {
  return { text, ...(exitCode !== undefined && { exitCode }) };
}

export function remoteModels(connection: Connection): Pick<Models, 'list'> {
  return {
    list: async () =>
      (await connection.call('getModels', {})).items as unknown as readonly ModelDescription[],
  };
}

/** The agents of a server. Files, plans and comparisons of them belong to its machine. */
export function remoteAgents(connection: Connection): Agents {
  const at = (name: string): { readonly path: { readonly name: string } } => ({ path: { name } });
  return notRemote<Agents>('This action of agents', {
    list: async () => connection.call('getAgents', {}) as never,
    show: async (_caller, name, version) => {
      if (version !== undefined) refuse('Showing one version of an agent')();
      return connection.call('getAgentsByName', at(name)) as never;
    },
    setEnabled: async (_caller, name, { isEnabled, version }) => {
      const body = { enabled: isEnabled, ...(version !== undefined && { version }) };
      await connection.call('postAgentsByNameEnable', { ...at(name), body });
    },
    wouldChoose: async (_caller, { capability = '', task }) =>
      (await connection.call('postAgentsChoose', { body: { capability, task } })).choice as never,
    why: async (_caller, id) =>
      (await connection.call('getRunsByIdWhy', { path: { id } })).decisions as never,
    versions: notRemote<Agents['versions']>('Comparing versions of agents', {}),
  });
}
