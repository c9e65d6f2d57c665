import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isServerInScope } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { FleetControl } from '../../contract/fleet/index.ts';
import { runStatuses, type EngineName, type Workflows } from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import texts from './tools.json' with { type: 'json' };

/** Runs are counted up to this many of each status. */
const maxCounted = 1_000;
/** Runs whose steps are listed. */
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

type DirectorySize = z.output<typeof outputSchema>['dataDirectory'];

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
    ...texts.get_status,
    input: z.strictObject({}),
    output: outputSchema,
    run: async (_input, { caller }) => {
      const [runs, runningSteps, servers, dataDirectory] = await Promise.all([
        countRuns(parts, caller),
        stepsUnderWay(parts, caller),
        parts.fleet.status(),
        measureDirectory(parts.home),
      ]);
      const { version, engine } = parts;
      const seen = servers.filter(({ name }) => isServerInScope(caller, name));
      return { version, engine, runs, runningSteps, servers: seen, dataDirectory };
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

/** Measuring more would take too long for a status. */
const maxEntries = 20_000;

/** How much is in a folder. Links are not followed; what cannot be read counts nothing. */
async function measureDirectory(path: string): Promise<DirectorySize> {
  const folders = [path];
  let bytes = 0;
  let files = 0;
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of entriesOf(folder)) {
      entries += 1;
      if (entries > maxEntries) return { path, bytes, files, isComplete: false };
      const inner = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(inner);
      if (!entry.isFile()) continue;
      bytes += await stat(inner).then(
        ({ size }) => size,
        () => 0,
      );
      files += 1;
    }
  }
  return { path, bytes, files, isComplete: true };
}

async function* entriesOf(folder: string) {
  const opened = await opendir(folder).catch(() => undefined);
  if (opened) yield* opened;
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
