import type {
  FleetControl,
  FleetEntry,
  ServerStatus,
  ToolChange,
} from '../contract/fleet/index.ts';
import { withTimeLimit } from '../kernel/index.ts';
import type { FleetServer } from './catalogue/fleet-server.ts';
import type { ServerRegistry } from './catalogue/server-registry.ts';
import { UnknownServerError } from './errors.ts';
import {
  createConfiguredServer,
  offerTermsOf,
  type ConfiguredServerParts,
} from './configured-server.ts';
import { statusOfEntry, statusOfServer } from './status.ts';
import { readLogFile } from './supervise/server-log.ts';
import { policyOf } from './supervise/supervision-policy.ts';
import { ServerUnavailableError } from './upstream/errors.ts';

export interface FleetParts extends Omit<ConfiguredServerParts, 'outside' | 'listener' | 'known'> {
  readonly registry: ServerRegistry;
  readonly builtIns: readonly FleetServer[];
  readonly outside: ConfiguredServerParts['outside'] | undefined;
  /** Of the configured servers only these; all when not given. */
  readonly only: readonly string[] | undefined;
}

/** An entry and, when it is used, the member that stands for it. */
interface ConfiguredEntry {
  readonly entry: FleetEntry;
  readonly server: FleetServer | undefined;
  readonly since: number;
}

const restartLimitMs = 60_000;
/** How long after serving began the servers of this process are opened, called or not. */
const backgroundOpenMs = 2_000;

/**
 * The servers of this process and those that are configured, kept in step with the configuration.
 *
 * 1. A server whose entry did not change is not touched by a change of others.
 * 2. Members stand in one order: those of this process, then the others by name.
 * 3. No server waits for another, in starting, stopping or answering.
 */
export class Fleet implements FleetControl {
  readonly #parts: FleetParts;
  readonly #stopFollowing: () => void;
  #configured: readonly ConfiguredEntry[] = [];
  #renamed: readonly string[] = [];
  #isServing = false;
  #cancelOpening = (): void => {};
  #logLevel: string | undefined;
  /** Members that left the roster and are still ending. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#follow();
    this.#stopFollowing = parts.outside?.entries.onChange(() => this.#follow()) ?? (() => {});
  }

  /** Starts behind what is meant to run while clients are served. */
  serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    const { builtIns, timers } = this.#parts;
    // Ours announce changes only when open; opening them must not slow the first answer.
    this.#cancelOpening = timers.after(backgroundOpenMs, () => {
      for (const server of builtIns) startInBackground(server);
    });
    for (const { entry, server } of this.#configured) {
      if (server && !entry.settings.lazy) startInBackground(server);
    }
  }

  async status(): Promise<readonly ServerStatus[]> {
    const { builtIns } = this.#parts;
    const ours = await Promise.all(builtIns.map((server) => statusOfServer(server)));
    const theirs = await Promise.all(
      this.#configured.map(async ({ entry, server, since }) =>
        server ? statusOfServer(server) : statusOfEntry(entry, since),
      ),
    );
    return [...ours, ...theirs];
  }

  /** Who could not be started says so in its status. */
  async startAll(limitMs: number): Promise<void> {
    const { servers } = this.#parts.registry;
    const { signal } = new AbortController();
    await Promise.all(
      servers.map((server) =>
        withTimeLimit({ what: `Starting server "${server.name}"`, limitMs, signal }, (limited) =>
          server.learnThrottled(limited),
        ).catch(() => {}),
      ),
    );
  }

  async restart(name: string): Promise<void> {
    const server = this.#find(name);
    if (!server) throw new ServerUnavailableError(name, 'its entry is disabled or not trusted');
    const { signal } = new AbortController();
    const limit = { what: `Restarting server "${name}"`, limitMs: restartLimitMs, signal };
    await withTimeLimit(limit, (limited) => server.runner.restart(limited));
  }

  async logs(name: string, maxLines: number): Promise<readonly string[]> {
    const server = this.#find(name);
    if (server) return server.runner.logs(maxLines);
    const { outside } = this.#parts;
    return outside ? readLogFile(outside.logFile(name), maxLines) : [];
  }

  async acceptTools(name: string): Promise<readonly ToolChange[]> {
    return this.#find(name)?.acceptTools() ?? [];
  }

  collisions(): readonly string[] {
    return [...this.#renamed, ...this.#parts.registry.names.collisions];
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    for (const { runner } of this.#parts.registry.servers) runner.setLogLevel(level);
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    this.#cancelOpening();
    const { servers } = this.#parts.registry;
    await Promise.all(servers.map((server) => server.close().catch(() => {})));
    await Promise.all(this.#leaving);
    await this.#parts.outside?.close();
  }

  /** Throws for a name nobody has; undefined for one that is configured and not used. */
  #find(name: string): FleetServer | undefined {
    const server = this.#parts.registry.servers.find((it) => it.name === name);
    if (server || this.#configured.some(({ entry }) => entry.name === name)) return server;
    const known = [...this.#parts.builtIns, ...this.#configured.map(({ entry }) => entry)];
    throw new UnknownServerError(
      name,
      known.map((it) => it.name),
    );
  }

  /** Brings the members in step with the entries. */
  #follow(): void {
    const { builtIns, outside, registry, only } = this.#parts;
    const before = new Map(
      this.#configured.map((configured) => [configured.entry.name, configured]),
    );
    const entries = (outside?.entries.current() ?? [])
      .filter(({ name }) => !only || only.includes(name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const taken = new Set([...builtIns, ...entries].map(({ name }) => name));
    const renamed: string[] = [];
    this.#configured = entries.map((entry) => {
      const name = this.#nameOf(entry, taken, renamed);
      const old = before.get(entry.name);
      const kept = old && reuseServer(old, entry, name);
      if (!kept) return this.#create(entry, name, old);
      before.delete(entry.name);
      return kept;
    });
    this.#renamed = renamed;
    for (const { server } of before.values()) if (server) this.#leave(server);
    registry.replace([...builtIns, ...this.#configured.flatMap(({ server }) => server ?? [])]);
  }

  /** A server of this process keeps its name; one that is configured under it gets a number. */
  #nameOf({ name }: FleetEntry, taken: Set<string>, renamed: string[]): string {
    if (!this.#parts.builtIns.some((server) => server.name === name)) return name;
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name}-${number}`;
    taken.add(unique);
    renamed.push(`There is a server "${name}" of Tutti's own; the configured one is "${unique}"`);
    return unique;
  }

  /** What was offered before stays listed while a server that is reached as before starts anew. */
  #create(entry: FleetEntry, name: string, old: ConfiguredEntry | undefined): ConfiguredEntry {
    const { outside, registry, timers } = this.#parts;
    const since = timers.now();
    if (entry.state !== 'enabled' || !outside) return { entry, server: undefined, since };
    const isReachedAsBefore = old?.entry.launchFingerprint === entry.launchFingerprint;
    const known = isReachedAsBefore ? old?.server?.listing : undefined;
    const parts = { ...this.#parts, outside, listener: registry, known };
    const server = createConfiguredServer(name, entry, parts);
    if (this.#logLevel !== undefined) server.runner.setLogLevel(this.#logLevel);
    if (this.#isServing && !entry.settings.lazy) startInBackground(server);
    return { entry, server, since };
  }

  #leave(server: FleetServer): void {
    const leaving = server.close().catch(() => {});
    this.#leaving.add(leaving);
    void leaving.finally(() => this.#leaving.delete(leaving));
  }
}

/** Failures show in its status, and retries are its own business. */
function startInBackground(server: FleetServer): void {
  server.startThrottled(new AbortController().signal).catch(() => {});
}

/** The same server under its changed entry, when the change needs no new one. */
function reuseServer(
  configured: ConfiguredEntry,
  entry: FleetEntry,
  name: string,
): ConfiguredEntry | undefined {
  const { entry: before, server } = configured;
  const isSameKind = before.state === entry.state && before.source === entry.source;
  if (!isSameKind || (server && server.name !== name)) return undefined;
  if (before.fingerprint === entry.fingerprint) return configured;
  if (!server || !runsAlike(before, entry)) return undefined;
  server.offer(offerTermsOf(entry));
  return { ...configured, entry };
}

/** Whether one process serves both entries: it is started, and kept running, in the same way. */
function runsAlike(before: FleetEntry, after: FleetEntry): boolean {
  const policies = [before, after].map(({ settings }) => JSON.stringify(policyOf(settings)));
  return before.launchFingerprint === after.launchFingerprint && policies[0] === policies[1];
}
