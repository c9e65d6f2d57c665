import { mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** What a Tutti process leaves behind for the next one, should it and its guardian both be killed. */
export interface OwnerRecord {
  /** Where pids mean something: a machine since its last start, and in it a container. */
  readonly machine: string;
  readonly pid: number;
  /** When the owner started; empty when the platform did not tell. */
  readonly startedAt: string;
  /** Stands in the environment of all its programs. */
  readonly mark: string;
  readonly groups: readonly OwnedGroup[];
}

/** A process group, known by its leader. */
export interface OwnedGroup {
  readonly group: number;
  readonly startedAt: string;
}

/** 0 and 1 are never programs of ours, and killing group 1 would kill every process. */
const firstProgramId = 2;
/** A mark as short as a word would be found in environments that have nothing to do with us. */
const minMarkCharacters = 8;

/** Replaces the record atomically: readers see the old or the new one. */
export function writeRecord(runDirectory: string, id: string, record: OwnerRecord): void {
  mkdirSync(runDirectory, { recursive: true, mode: 0o700 });
  const written = join(runDirectory, `${id}.tmp`);
  writeFileSync(written, JSON.stringify(record), { mode: 0o600 });
  renameSync(written, recordFile(runDirectory, id));
}

/** Undefined when it is gone or is no record. */
export function readRecord(path: string): OwnerRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One that cannot be removed does no harm: its owner is dead to who finds it. */
export function removeRecord(runDirectory: string, id: string): void {
  try {
    rmSync(recordFile(runDirectory, id));
  } catch {
    // None was written, or its folder is gone or closed to us.
  }
}

function recordFile(runDirectory: string, id: string): string {
  return join(runDirectory, `${id}.json`);
}

/** Names the space our pids are numbers of; another container or another start of the machine differs. */
export function machineName(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

// By hand, because this is read at every start and a schema library takes longer to load than all of it.
function isRecord(value: unknown): value is OwnerRecord {
  return (
    hasFields(value, { machine: 'string', pid: 'number', startedAt: 'string', mark: 'string' }) &&
    String(value['mark']).length >= minMarkCharacters &&
    Array.isArray(value['groups']) &&
    value['groups'].every(isGroup)
  );
}

function isGroup(value: unknown): value is OwnedGroup {
  const hasForm = hasFields(value, { group: 'number', startedAt: 'string' });
  return hasForm && Number(value['group']) >= firstProgramId;
}

function hasFields(
  value: unknown,
  fields: Readonly<Record<string, string>>,
): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.entries(fields).every(([name, type]) => typeof members.get(name) === type);
}

/**
 * Every program we start carries our mark in its environment, and what it starts inherits it. So its
 * descendants are found even when they left its process group and lost their parent.
 *
 * The value is a chain, outermost owner first: `OWNER.NUMBER;OWNER.NUMBER;`. A Tutti that runs as a
 * program of another Tutti prolongs the chain, so the outer one still finds everything.
 */
export const markVariable = 'TUTTI_OWNER';

/** Chains longer than this are not ours to prolong. */
const maxChainCharacters = 2_000;

/** What only environments of this owner's programs hold. */
export function ownerMark(ownerId: string): string {
  return `${ownerId}.`;
}

/** What only environments of one program and its descendants hold. */
export function programMark(ownerId: string, number: number): string {
  return `${ownerId}.${number};`;
}

/** The value of the variable for a program, given the one we were started with ourselves. */
export function chainMark(outer: string | undefined, mark: string): string {
  const isChain = outer !== undefined && /^([\w-]+\.\d+;)*$/.test(outer);
  return isChain && outer.length <= maxChainCharacters ? outer + mark : mark;
}
