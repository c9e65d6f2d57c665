import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readWords, removeFolder, tryWriteValue } from './cgroup-folder.ts';
import type { CgroupPlace } from './cgroup-places.ts';
import { findProcessTree } from './process-tree.ts';

/** Processes below this one, the dead included. */
const maxFamily = 10_000;

/** A cgroup below which groups with limits can be made. */
export interface V2Base {
  readonly folder: string;
  /** Those of the wanted ones that its groups have. */
  readonly controllers: readonly string[];
}

export interface V2BaseOptions {
  readonly isRoot: boolean;
  /** Without these it is no base. */
  readonly needed?: readonly string[] | undefined;
  /** Taken when they are to be had. */
  readonly wanted?: readonly string[] | undefined;
}

/**
 * Where processes of a delegated cgroup stand once controllers are on for its children: version 2
 * allows no processes beside such children.
 */
const leafName = 'tutti-self';
/** Where root keeps groups when its own cgroup holds processes of others, as a login session does. */
const rootFolderName = 'tutti';

/** Undefined when there is none: not writable, without controllers, or full of processes of others. */
export function prepareV2Base(place: CgroupPlace, options: V2BaseOptions): V2Base | undefined {
  const isInLeaf = basename(place.folder) === leafName;
  const own = isInLeaf ? dirname(place.folder) : place.folder;
  const base = enableBelow(own, options) ?? enableBelowMoved(place, own, options);
  if (base || !options.isRoot || own === place.mountPoint) return base;
  if (enableBelow(place.mountPoint, options) === undefined) return undefined;
  const folder = join(place.mountPoint, rootFolderName);
  return makeFolder(folder) ? enableBelow(folder, options) : undefined;
}

function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    return true;
  } catch {
    // Read-only, as in most containers, or not ours.
    return false;
  }
}

function enableBelow(folder: string, options: V2BaseOptions): V2Base | undefined {
  const { needed = ['memory', 'pids'], wanted = ['cpu'] } = options;
  const offered = readWords(folder, 'cgroup.controllers');
  if (!needed.every((name) => offered.includes(name))) return undefined;
  const enable = (names: readonly string[]): boolean => {
    const enabled = readWords(folder, 'cgroup.subtree_control');
    const missing = names.filter((name) => !enabled.includes(name));
    const change = missing.map((name) => `+${name}`).join(' ');
    return missing.length === 0 || tryWriteValue(folder, 'cgroup.subtree_control', change);
  };
  if (!enable(needed)) return undefined;
  const extra = wanted.filter((name) => offered.includes(name) && enable([name]));
  return { folder, controllers: [...needed, ...extra] };
}

/** The processes may have started others since they were listed. */
const maxMoveRounds = 5;

/** Moves what stands in our cgroup into a leaf of it, when nobody else's order is disturbed by that. */
function enableBelowMoved(
  place: CgroupPlace,
  own: string,
  options: V2BaseOptions,
): V2Base | undefined {
  if (!mayMove(place, own)) return undefined;
  const leaf = join(own, leafName);
  if (!makeFolder(leaf)) return undefined;
  moveAll(own, leaf);
  const base = enableBelow(own, options);
  if (base) return base;
  moveAll(leaf, own);
  void removeFolder(leaf);
  return undefined;
}

/**
 * When all of them are ours; or when our cgroup is the top of what a container sees: everything in it
 * then belongs to the container, and runtimes follow its first process when they add another.
 */
function mayMove(place: CgroupPlace, own: string): boolean {
  const members = readWords(own, 'cgroup.procs').map(Number);
  if (members.length === 0 || members.includes(0)) return false;
  // The top of the whole machine has no such file, and no rule against processes either.
  if (own === place.mountPoint) return existsSync(join(own, 'cgroup.type'));
  const family = new Set(findProcessTree(process.pid, maxFamily).map((one) => one.pid));
  return members.every((pid) => family.has(pid));
}

function moveAll(from: string, to: string): void {
  for (let round = 0; round < maxMoveRounds; round += 1) {
    const members = readWords(from, 'cgroup.procs');
    if (members.length === 0) return;
    for (const pid of members) tryWriteValue(to, 'cgroup.procs', pid);
  }
}
