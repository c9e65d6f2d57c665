import { z } from 'zod';
import { isServerInScope } from '../../contract/access/index.ts';
import type { FleetControl, LoginStatus } from '../../contract/fleet/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { UnknownServerError } from './errors.ts';

/** The members of `ServerStatus`, whose comments in the contract say what each means. */
const statusSchema = z.object({
  name: z.string(),
  transport: z.string(),
  state: z.enum([
    'idle',
    'starting',
    'ready',
    'restarting',
    'crash-looping',
    'failed',
    'disabled',
    'untrusted',
  ]),
  since: z.string(),
  pid: z.int().nullable(),
  restarts: z.int(),
  lastError: z.string().nullable(),
  tools: z.int(),
  resources: z.int(),
  prompts: z.int(),
  calls: z.int(),
  failedCalls: z.int(),
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  protocolVersion: z.string().nullable(),
  version: z.string().nullable(),
  source: z.string(),
  problems: z.array(z.string()),
  changedTools: z.array(
    z.object({
      tool: z.string(),
      fields: z.array(z.string()),
      at: z.string(),
      isLessCareful: z.boolean(),
    }),
  ),
});

const bytesPerMegabyte = 1_048_576;

/** The tool `get_server_status`: how the servers of the fleet are doing. */
export function getServerStatusTool(fleet: Pick<FleetControl, 'status'>): DefinedTool {
  return defineTool({
    name: 'get_server_status',
    title: 'Status of the MCP servers',
    description:
      'Says how the MCP servers behind Tutti are doing: state, restarts, last error, number of tools, calls with ' +
      'p50 and p99, memory, process id. Starts nothing.',
    input: z.object({ server: z.string().optional().describe('Just this one; all without it.') }),
    output: z.object({ servers: z.array(statusSchema) }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'which MCP servers are running?',
      'why is a server not answering?',
      'did one of the servers crash or restart?',
      'how much memory do the servers take?',
    ],
    run: async ({ server }, { caller }) => {
      const all = (await fleet.status(caller)).filter(({ name }) => isServerInScope(caller, name));
      const wanted = all.filter(({ name }) => server === undefined || name === server);
      if (server !== undefined && wanted.length === 0) {
        throw new UnknownServerError(
          server,
          all.map(({ name }) => name),
        );
      }
      const servers = wanted.map(({ flags: _flags, login, ...status }) => ({
        ...status,
        problems: [...loginProblem(login), ...status.problems],
        changedTools: status.changedTools.map(({ tool, fields, at, isLessCareful }) => ({
          tool,
          fields: [...fields],
          at,
          isLessCareful,
        })),
      }));
      return { servers };
    },
    summarize: ({ servers }) => servers.map(describe).join('\n'),
  });
}

function loginProblem(login: LoginStatus | null): string[] {
  return login === null || login.state === 'active' ? [] : [`login ${login.state}`];
}

function describe(status: z.output<typeof statusSchema>): string {
  const { name, state, since, restarts, lastError, tools, calls, failedCalls } = status;
  const { p50Ms, p99Ms, memoryBytes, pid, problems } = status;
  return [
    `${name}: ${state} since ${since}`,
    `${pluralize(tools, 'tool')}, ${pluralize(calls, 'call')} (${failedCalls} failed), ${pluralize(restarts, 'restart')}`,
    ...(p50Ms === null
      ? []
      : [`p50 ${p50Ms.toFixed(1)} ms, p99 ${(p99Ms ?? p50Ms).toFixed(1)} ms`]),
    ...(memoryBytes === null ? [] : [`${(memoryBytes / bytesPerMegabyte).toFixed(0)} MB`]),
    ...(pid === null ? [] : [`process ${pid}`]),
    ...(lastError === null ? [] : [`last error: ${lastError}`]),
    ...problems,
  ].join('; ');
}
