import { z } from 'zod';
import { isServerInScope } from '../../contract/access/index.ts';
import {
  type FleetControl,
  type LoginStatus,
  serverStatusSchema,
  toolChangeSchema,
} from '../../contract/fleet/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { UnknownServerError } from './errors.ts';
import texts from './tools.json' with { type: 'json' };

/** Less of a status than the contract has: every word of a tool's schema is read by models. */
const statusSchema = serverStatusSchema.omit({ flags: true, login: true, isListed: true }).extend({
  transport: z.string(),
  source: z.string(),
  changedTools: z.array(toolChangeSchema.omit({ kind: true, isHeld: true })),
});

const bytesPerMegabyte = 1_048_576;

/** The tool `get_server_status`: how the servers of the fleet are doing. */
export function getServerStatusTool(fleet: Pick<FleetControl, 'status'>): DefinedTool {
  return defineTool({
    ...texts.get_server_status,
    input: z.object({ server: z.string().optional().describe('Just this one; all without it.') }),
    output: z.object({ servers: z.array(statusSchema) }),
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
