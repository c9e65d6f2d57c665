import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import {
  CallExecutor,
  createFleet,
  FileListingCache,
  openUpstream,
  type ClientRoots,
  type OpenFleet,
  type Outside,
  type RecordCall,
  type ServerEntry,
} from '../fleet/index.ts';
import {
  createProcessOwner,
  sweepLeftovers,
  systemTimers,
  type Log,
  type ProcessOwner,
} from '../kernel/index.ts';
import type { Tracing } from '../observe/index.ts';
import { recordStarts } from './record-attempts.ts';
import { recordCalls, type RecordCallsParts } from './record-calls.ts';
import { UnknownServersError } from './errors.ts';
import type { LoginsHere } from './logins.ts';
import { redactServerText } from './redact-server-text.ts';
import type { ServerEntries } from './server-entries.ts';

export interface FleetParts {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly tracing: Tracing;
  /** The servers we ship. */
  readonly ours: readonly ServerEntry[];
  readonly entries: ServerEntries;
  readonly clientRoots: ClientRoots;
  /** Records each call before it is sent. */
  readonly recordCall?: RecordCall | undefined;
  readonly logins: LoginsHere;
  /** Reported to after each start of a server and each direct call. */
  readonly recording?: RecordCallsParts;
  /** Serve just these; all when not given. */
  readonly only: readonly string[] | undefined;
}

const secondMs = 1_000;
/** Leftovers of an earlier crash are looked for when the first answers are out. */
const sweepAfterMs = 500;

/** The fleet of this machine: our servers and those the settings name. */
export function openFleet(parts: FleetParts): OpenFleet {
  const { settings, version, log, only } = parts;
  const { performance, tools, home } = settings;
  checkNames(parts);
  const limits = {
    maxConcurrent: performance.max_concurrent_requests,
    maxWaiting: performance.max_waiting_requests,
    timeoutMs: performance.timeout_seconds * secondMs,
  };
  const isTraced = settings.tracing.enabled || settings.tracing.otlp_endpoint !== undefined;
  return createFleet({
    title: settings.server.name,
    version,
    servers: parts.ours.filter(({ name }) => !only || only.includes(name)),
    outside: openOutside(parts),
    only,
    executor: new CallExecutor(limits, isTraced ? parts.tracing : undefined, log),
    enabledTools: tools.enabled,
    cache: new FileListingCache(join(home, 'catalogue'), log),
    recordCall: parts.recordCall,
    recordOutcome: parts.recording && recordCalls(parts.recording),
    onToolChange: settings.servers.on_tool_change,
    log,
  });
}

function checkNames({ ours, entries, only = [] }: FleetParts): void {
  const known = [...ours, ...entries.current()].map(({ name }) => name);
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  entries.close();
  throw new UnknownServersError(unknown, known);
}

function openOutside(parts: FleetParts): Outside {
  const { settings, version, log, entries, clientRoots, logins } = parts;
  const runDirectory = join(settings.home, 'run', 'programs');
  let owner: ProcessOwner | undefined;
  const ownerOfAll = (): ProcessOwner => {
    owner ??= createProcessOwner({ runDirectory, log });
    return owner;
  };
  const cancelSweep = systemTimers.after(sweepAfterMs, () => {
    sweepLeftovers(runDirectory, log).catch((error: unknown) => {
      log.warn('failed to sweep orphaned processes', { error });
    });
  });
  return {
    entries,
    logins: logins.open,
    connect: recordedConnect(parts, async (request) => {
      const launch = await entries.launch(request.entry);
      return openUpstream(request, {
        launch,
        owner: ownerOfAll,
        clientInfo: { name: 'tutti', title: settings.server.name, version },
        clientRoots,
        authorizer: await logins.authorizer(request, launch),
        redact: redactServerText(request.entry, launch),
        log: log.child({ server: request.entry.name }),
      });
    }),
    memoryBytes: async (pid) => (await owner?.measure(pid))?.memoryBytes ?? null,
    logFile: (server) => join(settings.home, 'logs', 'servers', `${fileNameOf(server)}.log`),
    async close() {
      cancelSweep();
      await logins.close();
      entries.close();
      await owner?.close();
    },
  };
}

function recordedConnect(
  { recording }: FleetParts,
  connect: Outside['connect'],
): Outside['connect'] {
  return recording ? recordStarts(connect, recording) : connect;
}

/** Names of servers hold anything printable; a file name must not lead elsewhere. */
function fileNameOf(server: string): string {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(server) ? server : encodeURIComponent(server);
}
