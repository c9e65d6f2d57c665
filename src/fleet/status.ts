import type { FleetEntry, LoginStatus, ServerStatus, ToolFlag } from '../contract/fleet/index.ts';
import type { FleetServer } from './catalogue/fleet-server.ts';

/** What is known of a server beside itself. */
interface Surroundings {
  readonly login?: LoginStatus | null | undefined;
  /** What comparing it with other servers found. */
  readonly shadowing?: readonly ToolFlag[] | undefined;
}

export async function statusOfServer(
  server: FleetServer,
  { login = null, shadowing = [] }: Surroundings = {},
): Promise<ServerStatus> {
  const { listing, options, runner } = server;
  const { since, lastError, version, protocolVersion, problems, ...rest } = await runner.status();
  const failure = server.latestFailure;
  return {
    name: server.name,
    transport: runner.transport,
    ...rest,
    since: new Date(since).toISOString(),
    // A failed start explains a failed listing.
    lastError: (rest.state === 'ready' ? failure : undefined) ?? lastError ?? failure ?? null,
    problems: [
      ...(failure !== undefined && rest.state === 'ready' ? [`failed to list: ${failure}`] : []),
      ...problems,
    ],
    tools: listing?.tools.length ?? 0,
    isListed: options.isListed ?? true,
    resources: listing?.resources.length ?? 0,
    prompts: listing?.prompts.length ?? 0,
    protocolVersion: protocolVersion ?? listing?.protocolVersion ?? null,
    version: version ?? listing?.version ?? null,
    source: options.source,
    changedTools: server.changedTools,
    login,
    flags: [...server.flags, ...shadowing],
  };
}

/** Status of an entry without a server: disabled or untrusted. */
export function statusOfEntry(entry: FleetEntry, since: number): ServerStatus {
  return {
    name: entry.name,
    transport: transportOf(entry),
    state: entry.state === 'untrusted' ? 'untrusted' : 'disabled',
    since: new Date(since).toISOString(),
    pid: null,
    restarts: 0,
    lastError: null,
    tools: 0,
    isListed: true,
    resources: 0,
    prompts: 0,
    calls: 0,
    failedCalls: 0,
    p50Ms: null,
    p99Ms: null,
    memoryBytes: null,
    protocolVersion: null,
    version: null,
    source: entry.source,
    problems: [],
    changedTools: [],
    login: null,
    flags: [],
  };
}

export function transportOf({ settings }: FleetEntry): 'stdio' | 'http' | 'sse' {
  if (settings.command !== undefined) return 'stdio';
  return settings.type === 'sse' ? 'sse' : 'http';
}
