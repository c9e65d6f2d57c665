import type { Settings } from '../config/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { Experience } from '../contract/experience/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import { wireTextOf, withWireText } from '../contract/wire/index.ts';
import type { OpenFleet, ServerEntry } from '../fleet/index.ts';
import { Semaphore, systemClock, type Lazy } from '../kernel/index.ts';
import type { Embedder } from '../models/index.ts';
import type { AgentServerParts } from '../toolbox/agent/index.ts';
import { isRecord, rawMember } from '../protocol/index.ts';
import { openToolFinder, type ToolFinder } from './tool-finder.ts';
import { type FleetParts, openFleet } from './fleet.ts';
import { offerKey } from './offer-key.ts';
import type { WorkflowsHere } from './workflow.ts';

interface AdminParts {
  readonly settings: Settings;
  readonly version: string;
  /** The fleet that this server will be a part of. */
  readonly fleet: () => OpenFleet;
  readonly finder: ToolFinder;
  readonly workflows: Workflows;
}

/** The fleet, including the `admin` server, which administers that same fleet. */
export function openAdministeredFleet(
  parts: FleetParts & Pick<AdminParts, 'workflows'> & { readonly embedder: Lazy<Embedder> },
): {
  readonly fleet: OpenFleet;
  readonly finder: ToolFinder;
} {
  const { settings, version, log, workflows, embedder } = parts;
  const finder = openToolFinder({
    settings,
    log,
    embedder,
    entries: () => fleet.catalogue.entries(),
  });
  const admin = adminServer({ settings, version, fleet: () => fleet, finder, workflows });
  const fleet = openFleet({ ...parts, ours: [...parts.ours, admin] });
  return { fleet, finder };
}

function adminServer({ settings, version, fleet, finder, workflows }: AdminParts): ServerEntry {
  const { max_concurrent_requests: maxConcurrent } = settings.performance;
  return callingServer('admin', { settings, version, maxConcurrent }, async () => {
    const { createAdminServer } = await import('../toolbox/admin/index.ts');
    const { catalogue, control } = fleet();
    const search = await finder.search();
    const { home, workflow } = settings;
    const system = { workflows, engine: workflow.engine, home };
    const parts = { version, catalogue, fleet: control, search, innerArguments };
    return createAdminServer({ ...parts, ...system });
  });
}

/** The arguments of the inner call with the exact text they were received as, so that they are passed on unchanged. */
export function innerArguments(args: object): object | undefined {
  const text = wireTextOf(args);
  const inner = isRecord(args) ? args['arguments'] : undefined;
  const raw = text === undefined ? undefined : rawMember(text, 'arguments');
  return raw !== undefined && isRecord(inner) ? withWireText(inner, raw) : undefined;
}

interface OwnServerParts {
  readonly settings: Settings;
  readonly version: string;
}

/** The server `agent`: the agent, its contexts and the specialists as tools. */
export function agentServer(
  parts: OwnServerParts & Omit<AgentServerParts, 'version'>,
): ServerEntry {
  return callingServer('agent', parts, async () => {
    const { createAgentServer } = await import('../toolbox/agent/index.ts');
    const { version, agent, contexts, agents } = parts;
    return createAgentServer({ version, agent, contexts, agents });
  });
}

/** The server `memory`: what is remembered, as tools. */
export function memoryServer(
  parts: OwnServerParts & {
    readonly memory: MemoryItems;
    /** The servers that the user has configured. */
    readonly entries: { current(): readonly { readonly name: string }[] };
  },
): ServerEntry {
  const { settings, version, memory, entries } = parts;
  // Many have a server of this name, whose tools keep the names that clients and plans know.
  const name = entries.current().some((entry) => entry.name === 'memory')
    ? 'tutti-memory'
    : 'memory';
  return callingServer(name, { settings, version }, async () => {
    const { createMemoryServer } = await import('../toolbox/memory/index.ts');
    return createMemoryServer({ version, memory });
  });
}

/** The server `debug`: failures and what cured them as tools. */
export function debugServer(
  parts: OwnServerParts & { readonly experience: Experience },
): ServerEntry {
  const { settings, version, experience } = parts;
  return callingServer('debug', { settings, version }, async () => {
    const { createDebugServer } = await import('../toolbox/debug/index.ts');
    return createDebugServer({ version, experience, clock: systemClock });
  });
}

/** The server `workflow`: plans as tools. */
export function workflowServer(
  parts: OwnServerParts & { readonly runs: WorkflowsHere },
): ServerEntry {
  const { settings, version, runs } = parts;
  return callingServer('workflow', { settings, version }, async () => {
    const { createWorkflowServer } = await import('../toolbox/workflow/index.ts');
    const { workflows } = runs;
    return createWorkflowServer({ version, workflows, artifacts: await runs.artifacts() });
  });
}

/** These servers wait for calls, runs and people, which have time limits of their own. */
const timeoutMs = 3_600_000;

/**
 * A server whose tools call other tools. It has a semaphore of its own: a call that waits for an inner call must not hold
 * the slot that the inner call needs.
 */
function callingServer(
  name: string,
  parts: OwnServerParts & { readonly maxConcurrent?: number },
  open: ServerEntry['open'],
): ServerEntry {
  const { max_concurrent_requests: usual, max_waiting_requests: maxWaiting } =
    parts.settings.performance;
  const { version, maxConcurrent = usual + maxWaiting } = parts;
  return {
    name,
    cacheKey: offerKey(import.meta.url, [version]),
    semaphore: new Semaphore({ maxConcurrent, maxWaiting }),
    timeoutMs,
    open,
  };
}
