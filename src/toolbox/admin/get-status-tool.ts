import { z } from 'zod';
import type { Caller } from '../../contract/caller/index.ts';
import type { FleetControl, ServerStatus } from '../../contract/fleet/index.ts';
import { runStatuses, type EngineName, type Workflows } from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { measureDirectory } from './measure-directory.ts';

/** Runs are counted up to this many of each status. */
const maxCounted = 1_000;
/** Runs whose steps are told. */
const maxShownRuns = 20;
const maxShownSteps = 50;
const bytesPerMegabyte = 1_048_576;

const outputSchema = z.object({
  version: z.string(),
  engine: z.enum(['embedded', 'restate']).describe('What runs plans unless they say otherwise.'),
  runs: z
    .object(Object.fromEntries(runStatuses.map((status) => [status, z.int()])))
    .describe(`Runs by status, counted up to ${maxCounted} each.`),
  runningSteps: z.array(
    z.object({ runId: z.string(), step: z.string(), tool: z.string().nullable() }),
  ),
  servers: z.array(z.object({ name: z.string(), state: z.string(), tools: z.int() })),
  dataDirectory: z.object({
    path: z.string(),
    bytes: z.int(),
    files: z.int(),
    isComplete: z.boolean().describe('False when there is more than was counted.'),
  }),
});

export interface GetStatusParts {
  readonly version: string;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly workflows: Pick<Workflows, 'list' | 'show'>;
  readonly engine: EngineName;
  /** The data directory. */
  readonly home: string;
}

/** The tool `get_status`: how all of it is doing. */
export function getStatusTool(parts: GetStatusParts): DefinedTool {
  return defineTool({
    name: 'get_status',
    title: 'Status of Tutti',
    description:
      'Says how Tutti as a whole is doing: runs by status, the steps that run now, the state of each MCP server, the engine, the size of its data, its version.',
    input: z.strictObject({}),
    output: outputSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'how is the system doing?',
      'what is running right now?',
      'how many runs failed?',
      'how much disk space does Tutti take?',
    ],
    run: async (_input, { caller }) => {
      const [runs, runningSteps, servers, dataDirectory] = await Promise.all([
        countRuns(parts, caller),
        stepsUnderWay(parts, caller),
        parts.fleet.status(),
        measureDirectory(parts.home),
      ]);
      const { version, engine } = parts;
      return { version, engine, runs, runningSteps, servers: servers.map(inShort), dataDirectory };
    },
    summarize,
  });
}

async function countRuns(
  { workflows }: GetStatusParts,
  caller: Caller,
): Promise<Record<string, number>> {
  const counts = await Promise.all(
    runStatuses.map(async (status) => {
      const found = await workflows.list(caller, { status: [status], limit: maxCounted });
      return [status, found.length] as const;
    }),
  );
  return Object.fromEntries(counts);
}

async function stepsUnderWay(
  { workflows }: GetStatusParts,
  caller: Caller,
): Promise<{ runId: string; step: string; tool: string | null }[]> {
  const running = await workflows.list(caller, { status: ['running'], limit: maxShownRuns });
  const views = await Promise.allSettled(running.map(({ runId }) => workflows.show(caller, runId)));
  // One that is gone by now has no steps.
  const found = views.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []));
  return found
    .flatMap(({ runId, steps }) =>
      Object.entries(steps)
        .filter(([, { status }]) => status === 'running')
        .map(([step, { tool = null }]) => ({ runId, step, tool })),
    )
    .slice(0, maxShownSteps);
}

function inShort({
  name,
  state,
  tools,
}: ServerStatus): Pick<ServerStatus, 'name' | 'state' | 'tools'> {
  return { name, state, tools };
}

function summarize(status: z.output<typeof outputSchema>): string {
  const { version, engine, runs, runningSteps, servers, dataDirectory } = status;
  const counts = Object.entries(runs)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const { path, bytes, isComplete } = dataDirectory;
  const size = `${isComplete ? '' : 'more than '}${(bytes / bytesPerMegabyte).toFixed(1)} MB`;
  return [
    `Tutti ${version}, engine ${engine}`,
    `runs: ${counts.length === 0 ? 'none' : counts.join(', ')}`,
    ...runningSteps.map(
      ({ runId, step, tool }) => `${runId} runs ${step}${tool === null ? '' : ` (${tool})`}`,
    ),
    `servers: ${servers.map(({ name, state }) => `${name} ${state}`).join(', ')}`,
    `data: ${size} in ${path}`,
  ].join('\n');
}
