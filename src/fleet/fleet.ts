import type {
  FleetControl,
  FleetEntry,
  ServerStatus,
  ToolChange,
} from '../contract/fleet/index.ts';
import { withTimeLimit } from '../kernel/index.ts';
import type { Member } from './catalogue/member.ts';
import type { Roster } from './catalogue/roster.ts';
import { UnknownServerError } from './errors.ts';
import { externalMember, offerTermsOf, type ExternalMemberParts } from './external-member.ts';
import { statusOfEntry, statusOfMember } from './status.ts';
import { readLogFile } from './supervise/server-log.ts';
import { policyOf } from './supervise/supervision-policy.ts';
import { ServerUnavailableError } from './upstream/errors.ts';

export interface FleetParts extends Omit<ExternalMemberParts, 'outside' | 'listener' | 'known'> {
  readonly roster: Roster;
  readonly builtIns: readonly Member[];
  readonly outside: ExternalMemberParts['outside'] | undefined;
  /** Of the configured servers only these; all when not given. */
  readonly only: readonly string[] | undefined;
}

/** An entry and, when it is used, the member that stands for it. */
interface Placed {
  readonly entry: FleetEntry;
  readonly member: Member | undefined;
  readonly since: number;
}

const restartLimitMs = 60_000;
/** How long after serving began the servers of this process are opened, called or not. */
const openBehindMs = 2_000;

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
  #placed: readonly Placed[] = [];
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
    this.#cancelOpening = timers.after(openBehindMs, () => {
      for (const member of builtIns) startBehind(member);
    });
    for (const { entry, member } of this.#placed) {
      if (member && !entry.settings.lazy) startBehind(member);
    }
  }

  async status(): Promise<readonly ServerStatus[]> {
    const { builtIns } = this.#parts;
    const ours = await Promise.all(builtIns.map((member) => statusOfMember(member)));
    const theirs = await Promise.all(
      this.#placed.map(async ({ entry, member, since }) =>
        member ? statusOfMember(member) : statusOfEntry(entry, since),
      ),
    );
    return [...ours, ...theirs];
  }

  /** Who could not be started says so in its status. */
  async startAll(limitMs: number): Promise<void> {
    const { members } = this.#parts.roster;
    const { signal } = new AbortController();
    await Promise.all(
      members.map((member) =>
        withTimeLimit({ what: `Starting server "${member.name}"`, limitMs, signal }, (limited) =>
          member.learnInTurn(limited),
        ).catch(() => {}),
      ),
    );
  }

  async restart(name: string): Promise<void> {
    const member = this.#find(name);
    if (!member) throw new ServerUnavailableError(name, 'its entry is disabled or not trusted');
    const { signal } = new AbortController();
    const limit = { what: `Restarting server "${name}"`, limitMs: restartLimitMs, signal };
    await withTimeLimit(limit, (limited) => member.runner.restart(limited));
  }

  async logs(name: string, maxLines: number): Promise<readonly string[]> {
    const member = this.#find(name);
    if (member) return member.runner.logs(maxLines);
    const { outside } = this.#parts;
    return outside ? readLogFile(outside.logFile(name), maxLines) : [];
  }

  async acceptTools(name: string): Promise<readonly ToolChange[]> {
    return this.#find(name)?.acceptTools() ?? [];
  }

  collisions(): readonly string[] {
    return [...this.#renamed, ...this.#parts.roster.names.collisions];
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    for (const { runner } of this.#parts.roster.members) runner.setLogLevel(level);
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    this.#cancelOpening();
    const { members } = this.#parts.roster;
    await Promise.all(members.map((member) => member.close().catch(() => {})));
    await Promise.all(this.#leaving);
    await this.#parts.outside?.close();
  }

  /** Throws for a name nobody has; undefined for one that is configured and not used. */
  #find(name: string): Member | undefined {
    const member = this.#parts.roster.members.find((it) => it.name === name);
    if (member || this.#placed.some(({ entry }) => entry.name === name)) return member;
    const known = [...this.#parts.builtIns, ...this.#placed.map(({ entry }) => entry)];
    throw new UnknownServerError(
      name,
      known.map((it) => it.name),
    );
  }

  /** Brings the members in step with the entries. */
  #follow(): void {
    const { builtIns, outside, roster, only } = this.#parts;
    const before = new Map(this.#placed.map((placed) => [placed.entry.name, placed]));
    const entries = (outside?.entries.current() ?? [])
      .filter(({ name }) => !only || only.includes(name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const taken = new Set([...builtIns, ...entries].map(({ name }) => name));
    const renamed: string[] = [];
    this.#placed = entries.map((entry) => {
      const name = this.#nameOf(entry, taken, renamed);
      const old = before.get(entry.name);
      const kept = old && keepPlaced(old, entry, name);
      if (!kept) return this.#place(entry, name, old);
      before.delete(entry.name);
      return kept;
    });
    this.#renamed = renamed;
    for (const { member } of before.values()) if (member) this.#leave(member);
    roster.replace([...builtIns, ...this.#placed.flatMap(({ member }) => member ?? [])]);
  }

  /** A server of this process keeps its name; one that is configured under it gets a number. */
  #nameOf({ name }: FleetEntry, taken: Set<string>, renamed: string[]): string {
    if (!this.#parts.builtIns.some((member) => member.name === name)) return name;
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name}-${number}`;
    taken.add(unique);
    renamed.push(`There is a server "${name}" of Tutti's own; the configured one is "${unique}"`);
    return unique;
  }

  /** What was offered before stays listed while a server that is reached as before starts anew. */
  #place(entry: FleetEntry, name: string, old: Placed | undefined): Placed {
    const { outside, roster, timers } = this.#parts;
    const since = timers.now();
    if (entry.state !== 'enabled' || !outside) return { entry, member: undefined, since };
    const isReachedAsBefore = old?.entry.launchFingerprint === entry.launchFingerprint;
    const known = isReachedAsBefore ? old?.member?.listing : undefined;
    const parts = { ...this.#parts, outside, listener: roster, known };
    const member = externalMember(name, entry, parts);
    if (this.#logLevel !== undefined) member.runner.setLogLevel(this.#logLevel);
    if (this.#isServing && !entry.settings.lazy) startBehind(member);
    return { entry, member, since };
  }

  #leave(member: Member): void {
    const leaving = member.close().catch(() => {});
    this.#leaving.add(leaving);
    void leaving.finally(() => this.#leaving.delete(leaving));
  }
}

/** Failures show in its status, and retries are its own business. */
function startBehind(member: Member): void {
  member.startInTurn(new AbortController().signal).catch(() => {});
}

/** The same server under its changed entry, when the change needs no new one. */
function keepPlaced(placed: Placed, entry: FleetEntry, name: string): Placed | undefined {
  const { entry: before, member } = placed;
  const isSameKind = before.state === entry.state && before.source === entry.source;
  if (!isSameKind || (member && member.name !== name)) return undefined;
  if (before.fingerprint === entry.fingerprint) return placed;
  if (!member || !runsAlike(before, entry)) return undefined;
  member.offer(offerTermsOf(entry));
  return { ...placed, entry };
}

/** Whether one process serves both entries: it is started, and kept running, in the same way. */
function runsAlike(before: FleetEntry, after: FleetEntry): boolean {
  const policies = [before, after].map(({ settings }) => JSON.stringify(policyOf(settings)));
  return before.launchFingerprint === after.launchFingerprint && policies[0] === policies[1];
}
