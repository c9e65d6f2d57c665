import type { Caller } from '../contract/caller/index.ts';
import type {
  FleetControl,
  FleetEntry,
  LoginRequest,
  LoginStatus,
  LogoutReport,
  ServerStatus,
  ToolChange,
  ToolDiff,
} from '../contract/fleet/index.ts';
import { withTimeLimit } from '../kernel/index.ts';
import type { FleetServer } from './catalogue/fleet-server.ts';
import type { ServerRegistry } from './catalogue/server-registry.ts';
import { UnknownServerError } from './errors.ts';
import {
  createConfiguredServer,
  hasLogins,
  loginTargetOf,
  offerTermsOf,
  type ConfiguredServerParts,
  type Outside,
} from './configured-server.ts';
import { LoginFailedError } from './login/errors.ts';
import { findShadowing } from './inspect/find-shadowing.ts';
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

/** A configured entry and its server; undefined where the entry is disabled or untrusted. */
interface ConfiguredEntry {
  readonly entry: FleetEntry;
  readonly server: FleetServer | undefined;
  readonly since: number;
}

const restartLimitMs = 60_000;
/** In-process servers that were not called are opened this long after serving began. */
const backgroundOpenMs = 2_000;

/**
 * The in-process and the configured servers, kept in sync with the configuration.
 *
 * 1. A change of one entry does not affect the servers of other entries.
 * 2. The order is fixed: in-process servers, then configured ones by name.
 * 3. No server waits for another to start, stop or respond.
 */
export class Fleet implements FleetControl {
  readonly #parts: FleetParts;
  readonly #stopFollowing: () => void;
  #configured: readonly ConfiguredEntry[] = [];
  #renamed: readonly string[] = [];
  #isServing = false;
  #cancelOpening = (): void => {};
  #logLevel: string | undefined;
  /** Servers that left the registry and are still closing. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#follow();
    this.#stopFollowing = parts.outside?.entries.onChange(() => this.#follow()) ?? (() => {});
  }

  /** Starts the eager servers in the background. */
  serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    const { builtIns, timers } = this.#parts;
    // In-process servers announce changes only when open; opening them must not slow the first response.
    this.#cancelOpening = timers.after(backgroundOpenMs, () => {
      for (const server of builtIns) startInBackground(server);
    });
    for (const { entry, server } of this.#configured) {
      if (server && !entry.settings.lazy) startInBackground(server);
    }
  }

  async status(caller?: Caller): Promise<readonly ServerStatus[]> {
    const { builtIns, registry } = this.#parts;
    const shadowing = findShadowing(
      registry.servers.map(({ name, listing, options }) => ({
        name,
        tools: listing?.tools ?? [],
        isOurs: options.source === 'built-in',
      })),
    );
    const ours = await Promise.all(builtIns.map((server) => statusOfServer(server)));
    const theirs = await Promise.all(
      this.#configured.map(async ({ entry, server, since }) =>
        server
          ? statusOfServer(server, {
              login: caller && (await this.#loginStatus(entry, caller)),
              shadowing: shadowing.get(server.name),
            })
          : statusOfEntry(entry, since),
      ),
    );
    return [...ours, ...theirs];
  }

  /** A server that fails to start reports it in its status. */
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

  async diffTools(name: string): Promise<readonly ToolDiff[]> {
    return this.#find(name)?.diffTools() ?? [];
  }

  async acceptTools(name: string, tools?: readonly string[]): Promise<readonly ToolChange[]> {
    return this.#find(name)?.acceptTools(tools) ?? [];
  }

  async rereadTools(name: string): Promise<void> {
    this.#find(name)?.rereadTools();
  }

  async login(name: string, request: LoginRequest): Promise<LoginStatus> {
    const { outside, entry } = this.#findEntry(name);
    if (entry.state !== 'enabled') {
      throw new LoginFailedError(name, 'its entry is disabled or not trusted');
    }
    if (!outside.logins) throw new LoginFailedError(name, 'logins are not enabled here');
    const target = await loginTargetOf(entry, outside);
    return (await outside.logins()).login(target, request);
  }

  async logout(name: string, caller: Caller): Promise<LogoutReport> {
    const { outside } = this.#findEntry(name);
    const logins = await outside.logins?.();
    return logins?.logout(name, caller) ?? { isDone: false, isRevoked: false };
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

  /** Throws for an unknown name; undefined for an entry that is disabled or untrusted. */
  #find(name: string): FleetServer | undefined {
    const server = this.#parts.registry.servers.find((it) => it.name === name);
    if (server || this.#configured.some(({ entry }) => entry.name === name)) return server;
    const known = [...this.#parts.builtIns, ...this.#configured.map(({ entry }) => entry)];
    throw new UnknownServerError(
      name,
      known.map((it) => it.name),
    );
  }

  /** The configured entry of that name. */
  #findEntry(name: string): { readonly outside: Outside; readonly entry: FleetEntry } {
    const found = this.#configured.find(({ entry }) => entry.name === name);
    const { outside } = this.#parts;
    if (!found || !outside) {
      this.#find(name);
      throw new LoginFailedError(name, 'it is a built-in server');
    }
    return { outside, entry: found.entry };
  }

  /** An entry that cannot be read has no login that could be used. */
  async #loginStatus(entry: FleetEntry, caller: Caller): Promise<LoginStatus | null> {
    const { outside } = this.#parts;
    if (!outside?.logins || !hasLogins(entry)) return null;
    const target = await loginTargetOf(entry, outside).catch(() => undefined);
    return target ? (await outside.logins()).status(caller, target) : null;
  }

  /** Synchronizes the servers with the entries. */
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
      const kept = old && reuseServer(old, entry, { ...this.#parts, name });
      if (!kept) return this.#create(entry, name, old);
      before.delete(entry.name);
      return kept;
    });
    this.#renamed = renamed;
    for (const { server } of before.values()) if (server) this.#leave(server);
    registry.replace(
      [...builtIns, ...this.#configured.flatMap(({ server }) => server ?? [])],
      entries
        .filter(({ state }) => state === 'disabled')
        .map(({ name, settings }) => ({ name, label: settings.prefix ?? name })),
    );
  }

  /** An in-process server keeps its name; a configured one of the same name gets a number. */
  #nameOf({ name }: FleetEntry, taken: Set<string>, renamed: string[]): string {
    if (!this.#parts.builtIns.some((server) => server.name === name)) return name;
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name}-${number}`;
    taken.add(unique);
    renamed.push(
      `"${name}" is a built-in server; the configured server of that name is available as "${unique}"`,
    );
    return unique;
  }

  /** A replacement with the same launch settings keeps the listing while it starts. */
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

/** Failures show in its status; it retries on its own. */
function startInBackground(server: FleetServer): void {
  server.startThrottled(new AbortController().signal).catch(() => {});
}

/** The same server with its changed entry; undefined when the change needs a new process. */
function reuseServer(
  configured: ConfiguredEntry,
  entry: FleetEntry,
  parts: Pick<FleetParts, 'onToolChange'> & { readonly name: string },
): ConfiguredEntry | undefined {
  const { entry: before, server } = configured;
  const isSameKind = before.state === entry.state && before.source === entry.source;
  if (!isSameKind || (server && server.name !== parts.name)) return undefined;
  if (before.fingerprint === entry.fingerprint) return configured;
  if (!server || !runsAlike(before, entry)) return undefined;
  server.offer(offerTermsOf(entry, parts));
  return { ...configured, entry };
}

/** Whether both entries launch and supervise the process in the same way. */
function runsAlike(before: FleetEntry, after: FleetEntry): boolean {
  const policies = [before, after].map(({ settings }) => JSON.stringify(policyOf(settings)));
  return before.launchFingerprint === after.launchFingerprint && policies[0] === policies[1];
}
