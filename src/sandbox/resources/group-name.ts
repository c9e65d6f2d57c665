import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { isRunning } from '../../kernel/index.ts';
import { readProcessStat } from './process-stat.ts';

/**
 * Names of groups say who owns them: `tutti-NAMESPACE-PID-START-RANDOM`. Pids mean something in one
 * process namespace only, so a Tutti on the host never judges the groups of one in a container.
 */
const namePattern = /^tutti-(\d+)-(\d+)-(\d+)-[0-9a-f]{12}$/;

export interface GroupOwner {
  readonly namespace: string;
  readonly pid: number;
  readonly startedAt: string;
}

export function newGroupName(owner: GroupOwner = thisOwner()): string {
  const random = randomBytes(6).toString('hex');
  return `tutti-${owner.namespace}-${owner.pid}-${owner.startedAt}-${random}`;
}

/** Undefined for what is not a group of ours. */
export function ownerOfGroup(name: string): GroupOwner | undefined {
  const [, namespace, pid, startedAt] = namePattern.exec(name) ?? [];
  if (namespace === undefined || pid === undefined || startedAt === undefined) return undefined;
  return { namespace, pid: Number(pid), startedAt };
}

/** True only when it is certain: an owner that cannot be looked at is taken to live. */
export function isOwnerDead(owner: GroupOwner): boolean {
  if (owner.namespace !== pidNamespace()) return false;
  const stat = readProcessStat(owner.pid);
  if (stat) return stat.isDead || stat.startedAt !== owner.startedAt;
  return !isRunning(owner.pid);
}

function thisOwner(): GroupOwner {
  const startedAt = readProcessStat(process.pid)?.startedAt ?? '0';
  return { namespace: pidNamespace(), pid: process.pid, startedAt };
}

function pidNamespace(): string {
  try {
    // pid:[4026531836]
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    // A system without process namespaces has one space of pids.
    return '0';
  }
}
