import { setImmediate as nextTick } from 'node:timers/promises';
import type { AuditEntry, AuditVerdict } from '../../contract/access/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { AuditMark, AuditMarks, AuditStore } from './audit-store.ts';
import { digestOf, noDigest } from './chain.ts';

/** Entries that were removed because of their age: `target` of the entry that says so. */
export const sealedAction = 'audit.sealed';
/** Entries that were missing when the next batch was written. */
export const truncatedAction = 'audit.truncated';

export function sealTarget({ number, digest }: AuditMark): string {
  return `1-${number} ${digest}`;
}

type Problem = NonNullable<AuditVerdict['problem']>;

/** Entries checked between two ticks of the event loop. */
const pageSize = 2_000;
/** Old entries may be removed while the others are read. */
const maxAttempts = 3;

/** Checks every entry, the order, both ends, and what was removed because of its age. Reads only. */
export async function verifyChain(store: AuditStore): Promise<AuditVerdict> {
  for (let attempt = 1; ; attempt += 1) {
    const check = new ChainCheck();
    const start = await readChain(store, check);
    const isSame = attempt === maxAttempts || check.problem === undefined;
    if (isSame || (await store.marks()).start?.number === start) return verdictOf(check);
  }
}

/** Gives the number of the last entry that had been removed when the reading began. */
async function readChain(store: AuditStore, check: ChainCheck): Promise<number | undefined> {
  let start: number | undefined;
  try {
    const marks = await store.marks();
    start = marks.start?.number;
    check.begin(marks);
    for await (const entries of readPages(store)) {
      for (const entry of entries) {
        check.next(entry);
        if (check.problem) return start;
      }
      await nextTick();
    }
    check.end();
  } catch (error) {
    check.fail(`could not be read: ${reportError(error).message}`);
  }
  return start;
}

async function* readPages(store: AuditStore): AsyncIterable<readonly AuditEntry[]> {
  let after = Number.MIN_SAFE_INTEGER;
  for (let limit = pageSize; ;) {
    const entries = await store.page(after, limit).catch((error: unknown) => {
      if (limit === 1) throw error;
      return undefined;
    });
    if (entries) yield entries;
    // What is before a damaged one can be read one by one.
    else limit = 1;
    const last = entries?.at(-1);
    if (last) after = last.number;
    else if (entries) return;
  }
}

function verdictOf(check: ChainCheck): AuditVerdict {
  const { count: entries, last, problem } = check;
  return {
    entries,
    isIntact: problem === undefined,
    ...(entries > 0 && { last }),
    ...(problem && { problem }),
  };
}

/** The state of one pass over the log; keeps the first problem. */
class ChainCheck {
  count = 0;
  problem: Problem | undefined;
  #marks: AuditMarks = { start: undefined, head: undefined, noted: undefined };
  last: AuditMark = { number: 0, digest: noDigest };
  #isSealed = true;

  begin(marks: AuditMarks): void {
    this.#marks = marks;
    if (!marks.start) return;
    this.last = marks.start;
    this.#isSealed = false;
  }

  next(entry: AuditEntry): void {
    const { number, digest } = this.last;
    const expected = number + 1;
    if (entry.number !== expected) {
      const gap = entry.number > expected ? missing(expected, entry.number - 1) : 'is out of order';
      return this.fail(gap, expected);
    }
    if (entry.digest !== digestOf(entry)) return this.fail('was changed', expected);
    if (entry.previousDigest !== digest) {
      const isFirst = this.count === 0;
      // The entry is what was written, so the one before it is not.
      return isFirst
        ? this.fail('does not follow the entries before it', expected)
        : this.fail(`was replaced: entry ${expected} was written after another one`, number);
    }
    this.last = { number: expected, digest: entry.digest };
    this.count += 1;
    this.#compareNoted();
    const { start } = this.#marks;
    if (start && entry.action === sealedAction && entry.target === sealTarget(start)) {
      this.#isSealed = true;
    }
    if (entry.action === truncatedAction) {
      const first = Number(/^\d+/.exec(entry.target)?.[0] ?? expected);
      this.fail(`was missing when entry ${expected} was written (${entry.target})`, first);
    }
  }

  end(): void {
    if (this.problem) return;
    const { head, noted } = this.#marks;
    const { number, digest } = this.last;
    const latest = Math.max(head?.number ?? 0, noted?.number ?? 0);
    if (latest > number) return this.fail(missing(number + 1, latest), number + 1);
    if (this.count > 0 && !head) return this.fail('is the last one, and the end is not marked');
    if (head && head.number < number) return this.fail('was added past the end', head.number + 1);
    if (head && head.digest !== digest) return this.fail('was replaced', number);
    if (!this.#isSealed)
      this.fail(`${missing(1, this.#marks.start?.number ?? 1)} without a seal`, 1);
  }

  fail(message: string, number = this.last.number + 1): void {
    this.problem ??= { number, message: `entry ${number} ${message}` };
  }

  #compareNoted(): void {
    const { noted } = this.#marks;
    if (noted?.number !== this.last.number || noted.digest === this.last.digest) return;
    this.fail('differs from the one noted beside the database', noted.number);
  }
}

function missing(first: number, last: number): string {
  return first === last ? 'is missing' : `and those up to ${last} are missing`;
}
