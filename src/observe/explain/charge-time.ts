import type { SpanRecord } from '../trace/span.ts';
import {
  type Account,
  type CauseKind,
  errorSign,
  serverOf,
  textAttribute,
  waitsOf,
  workAccount,
} from './classify-span.ts';
import { criticalPath, type PathPiece } from './critical-path.ts';
import { allNodes, type SpanNode, spanTree } from './span-tree.ts';

/** Time on the critical path, charged to one account. */
export interface Charge extends Account {
  us: number;
  readonly spans: Set<SpanRecord>;
}

export interface ChargedTrace {
  readonly charges: readonly Charge[];
  readonly path: readonly PathPiece[];
  readonly durationUs: number;
}

/** How long the work of a subject takes, by its name. */
export type UsualWork = ReadonlyMap<string, number>;

/** Divides the critical path among what it was spent on. */
export function chargeTime(spans: readonly SpanRecord[], usual: UsualWork): ChargedTrace {
  const tops = spanTree(spans);
  const path = criticalPath(tops);
  const ledger = new Ledger();
  const retries = findRetries(tops);
  const ofNode = Map.groupBy(path, ({ node }) => node);
  const serialized = findSerialized(allNodes(tops), usual);
  for (const [node, pieces] of ofNode) {
    if (!node) {
      ledger.add({ kind: 'idle', subject: 'between spans' }, lengthOf(pieces));
      continue;
    }
    const { span } = node;
    const failed = retries.failedAbove(node);
    if (failed) {
      ledger.add(failed, lengthOf(pieces), span);
      continue;
    }
    const paused = chargePauses(ledger, retries, { node, pieces });
    const afterUs = lengthOf(pieces.filter(({ isAfterEnd }) => isAfterEnd)) - paused.afterUs;
    ledger.add({ kind: 'idle', subject: 'between steps' }, afterUs, span);
    const insideUs = lengthOf(pieces.filter(({ isAfterEnd }) => !isAfterEnd)) - paused.insideUs;
    chargeWork(ledger, { span, us: insideUs, lockUs: serialized.get(span) ?? 0 });
  }
  const durationUs = lengthOf(path);
  return { charges: ledger.charges(), path, durationUs };
}

class Ledger {
  readonly #charges = new Map<string, Charge>();

  add({ kind, subject }: Account, us: number, span?: SpanRecord): void {
    if (us <= 0) return;
    const key = keyOf({ kind, subject });
    const charge = this.#charges.get(key) ?? { kind, subject, us: 0, spans: new Set() };
    charge.us += us;
    if (span) charge.spans.add(span);
    this.#charges.set(key, charge);
  }

  charges(): readonly Charge[] {
    return [...this.#charges.values()];
  }
}

export function keyOf({ kind, subject }: Account): string {
  return `${kind}\0${subject}`;
}

function lengthOf(pieces: readonly PathPiece[]): number {
  return pieces.reduce((sum, { fromUs, untilUs }) => sum + untilUs - fromUs, 0);
}

interface Work {
  readonly span: SpanRecord;
  readonly us: number;
  readonly lockUs: number;
}

/** Waits come first, as far as they are recorded; then what a lock took; the rest is the work itself. */
function chargeWork(ledger: Ledger, { span, us, lockUs }: Work): void {
  let leftUs = us;
  for (const wait of waitsOf(span)) {
    const waitUs = Math.min(leftUs, wait.us);
    ledger.add(wait, waitUs, span);
    leftUs -= waitUs;
  }
  const lockedUs = Math.min(leftUs, lockUs);
  ledger.add({ kind: 'lock', subject: serverOf(span) ?? span.name }, lockedUs, span);
  leftUs -= lockedUs;
  const sign = errorSign(span);
  const account = workAccount(span);
  ledger.add(sign ? { kind: sign, subject: account.subject } : account, leftUs, span);
}

interface Retries {
  /** The account of the failed attempt that the span is or lies in. */
  failedAbove(node: SpanNode): Account | undefined;
  /** Pauses before another attempt, as pieces of time of its parent. */
  readonly pauses: ReadonlyMap<SpanNode, readonly Pause[]>;
}

interface Pause {
  readonly fromUs: number;
  readonly untilUs: number;
  readonly account: Account;
}

/** Attempts are siblings of one name, each after the failed one before it. */
function findRetries(tops: readonly SpanNode[]): Retries {
  const failed = new Map<SpanNode, Account>();
  const pauses = new Map<SpanNode, Pause[]>();
  for (const node of allNodes(tops)) {
    for (const [name, attempts] of Map.groupBy(node.children, ({ span }) => span.name)) {
      const inOrder = attempts.toSorted((a, b) => a.span.startedAtUs - b.span.startedAtUs);
      inOrder.forEach((attempt, at) => {
        const next = inOrder[at + 1];
        if (attempt.span.status !== 'error' || !next) return;
        if (next.span.startedAtUs < attempt.ownEndUs) return;
        const account = retryAccount(attempt, name);
        failed.set(attempt, account);
        const pause = { fromUs: attempt.endUs, untilUs: next.span.startedAtUs, account };
        pauses.set(node, [...(pauses.get(node) ?? []), pause]);
      });
    }
  }
  const failedAbove = (node: SpanNode): Account | undefined => {
    for (let at: SpanNode | undefined = node; at; at = at.parent) {
      const account = failed.get(at);
      if (account) return account;
    }
    return undefined;
  };
  return { failedAbove, pauses };
}

/** Attempts that fail because of a lock or a full disk are that; repeating them is what follows from it. */
function retryAccount(attempt: SpanNode, name: string): Account {
  const innermost = allNodes([attempt]).find(({ span }) => errorSign(span) !== undefined);
  const sign: CauseKind | undefined = innermost && errorSign(innermost.span);
  const tool = textAttribute(attempt.span, 'gen_ai.tool.name');
  const subject = tool ?? name;
  return sign === 'lock' || sign === 'disk'
    ? { kind: sign, subject }
    : { kind: 'retry storm', subject };
}

/** What of the parent's own time lies between two attempts: nothing else of the trace was waited for then. */
function chargePauses(
  ledger: Ledger,
  { pauses }: Retries,
  { node, pieces }: { readonly node: SpanNode; readonly pieces: readonly PathPiece[] },
): { readonly afterUs: number; readonly insideUs: number } {
  let afterUs = 0;
  let insideUs = 0;
  for (const { fromUs, untilUs, account } of pauses.get(node) ?? []) {
    for (const piece of pieces) {
      const us = Math.min(untilUs, piece.untilUs) - Math.max(fromUs, piece.fromUs);
      if (us <= 0) continue;
      ledger.add(account, us, node.span);
      if (piece.isAfterEnd) afterUs += us;
      else insideUs += us;
    }
  }
  return { afterUs, insideUs };
}

/** From here on a call was slow enough for a lock to be looked for. */
const slowFactor = 1.8;
/** How much the time after the one before may differ from the usual work. */
const workTolerance = 0.75;

/**
 * Calls to one server that overlap, and each of which ends one usual call after the one before it: they did not run
 * side by side. Gives how long each waited for the others.
 */
function findSerialized(
  nodes: readonly SpanNode[],
  usual: UsualWork,
): ReadonlyMap<SpanRecord, number> {
  const waited = new Map<SpanRecord, number>();
  const calls = nodes.map(({ span }) => span).filter((span) => serverOf(span) !== undefined);
  for (const [, ofServer] of Map.groupBy(calls, (span) => serverOf(span) ?? '')) {
    if (ofServer.length < 2 || ofServer.length > maxCompared) continue;
    for (const span of ofServer) {
      const us = lockWait(span, ofServer, usual);
      if (us > 0) waited.set(span, us);
    }
  }
  return waited;
}

/** Comparing each with each grows with the square. */
const maxCompared = 500;

function lockWait(span: SpanRecord, others: readonly SpanRecord[], usual: UsualWork): number {
  const usualUs = usual.get(keyOf(workAccount(span)));
  const waitedUs = waitsOf(span).reduce((sum, { us }) => sum + us, 0);
  const workUs = span.durationUs - waitedUs;
  if (usualUs === undefined || workUs < usualUs * slowFactor) return 0;
  const endUs = span.startedAtUs + span.durationUs;
  const before = others
    .map((other) => ({ other, otherEndUs: other.startedAtUs + other.durationUs }))
    .filter(({ other, otherEndUs }) => {
      return other !== span && otherEndUs > span.startedAtUs && otherEndUs < endUs;
    })
    .reduce((latest, { otherEndUs }) => Math.max(latest, otherEndUs), 0);
  if (before === 0) return 0;
  const alone = endUs - before;
  const isUsual = Math.abs(alone - usualUs) <= usualUs * workTolerance;
  return isUsual ? Math.max(0, workUs - usualUs) : 0;
}
