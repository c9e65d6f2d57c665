import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { AuditVerdict } from '../src/contract/access/index.ts';
import { aDecision, anAuditLog } from '../testkit/access/an-audit-log.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { lastBeforeKilled } from './support/last-before-killed.ts';

const entryCount = 120;
const columns = [
  'at',
  'caller_id',
  'tenant',
  'credential',
  'action',
  'target',
  'rule',
  'face',
  'arguments_digest',
  'address',
  'trace_id',
  'previous_digest',
  'digest',
];

type Random = () => number;
const pick = (random: Random, max: number): number => Math.floor(random() * max);

/** The files of a data directory with a log of `entryCount` entries, nothing left in the write-ahead log. */
async function aLogOnDisk(): Promise<string> {
  const home = aDirectory();
  const store = aStore({ home });
  const log = anAuditLog({ store: store.audit });
  for (let n = 1; n <= entryCount; n += 1) {
    log.record(
      aDecision({
        callerId: `acme/user${n % 7}`,
        tenant: 'acme',
        credential: `key${n % 3}`,
        target: `server${n % 5}.tool${n}`,
        isAllowed: n % 4 !== 0,
        address: `10.0.0.${n}`,
      }),
    );
  }
  await log.close();
  store.close();
  const database = new DatabaseSync(join(home, 'tutti.db'));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
  database.close();
  return home;
}

function copyOf(home: string): string {
  const copy = aDirectory();
  for (const file of ['tutti.db', 'tutti.db-audit'])
    copyFileSync(join(home, file), join(copy, file));
  return copy;
}

async function verify(home: string): Promise<AuditVerdict> {
  const store = aStore({ home });
  const verdict = await anAuditLog({ store: store.audit }).verify();
  store.close();
  return verdict;
}

function withDatabase(home: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(home, 'tutti.db'));
  work(database);
  database.close();
}

/** Another character in place of one, so that the text surely differs. */
function otherText(text: string, random: Random): string {
  const at = pick(random, text.length);
  const code = text.charCodeAt(at);
  return `${text.slice(0, at)}${String.fromCharCode(code === 120 ? 121 : 120)}${text.slice(at + 1)}`;
}

/** Changes the log in one of the ways below and returns the entry at which it must be noticed. */
const changes: Readonly<Record<string, (database: DatabaseSync, random: Random) => number>> = {
  'changed text'(database, random) {
    const number = 1 + pick(random, entryCount);
    const column = columns[pick(random, columns.length)] ?? 'target';
    const row = database.prepare(`SELECT ${column} AS text FROM audit_entries WHERE number = ?`);
    const text = String(row.get(number)?.['text']);
    database
      .prepare(`UPDATE audit_entries SET ${column} = ? WHERE number = ?`)
      .run(otherText(text, random), number);
    return number;
  },
  'text made null'(database, random) {
    const number = 1 + pick(random, entryCount);
    const nullable = ['caller_id', 'tenant', 'credential', 'arguments_digest', 'trace_id'];
    const column = nullable[pick(random, nullable.length)];
    database.exec(`UPDATE audit_entries SET ${column} = NULL WHERE number = ${number}`);
    return number;
  },
  'refusal turned into a permission, or back'(database, random) {
    const number = 1 + pick(random, entryCount);
    database.exec(`UPDATE audit_entries SET is_allowed = 1 - is_allowed WHERE number = ${number}`);
    return number;
  },
  'removed entries'(database, random) {
    const first = 1 + pick(random, entryCount);
    const last = Math.min(entryCount, first + pick(random, 4));
    database.exec(`DELETE FROM audit_entries WHERE number BETWEEN ${first} AND ${last}`);
    return first;
  },
  'removed end, with its mark put back'(database, random) {
    const last = pick(random, entryCount);
    database.exec(`DELETE FROM audit_entries WHERE number > ${last}`);
    if (last === 0) database.exec(`DELETE FROM audit_marks`);
    else
      database.exec(`UPDATE audit_marks SET (number, digest) =
        (SELECT number, digest FROM audit_entries WHERE number = ${last})`);
    return last + 1;
  },
  'swapped entries'(database, random) {
    const one = 1 + pick(random, entryCount - 1);
    const other = one + 1 + pick(random, entryCount - one);
    database.exec(`UPDATE audit_entries SET number = -1 WHERE number = ${one};
      UPDATE audit_entries SET number = ${one} WHERE number = ${other};
      UPDATE audit_entries SET number = ${other} WHERE number = -1`);
    return one;
  },
  'removed entry, those behind it moved up'(database, random) {
    const number = 1 + pick(random, entryCount - 1);
    database.exec(`DELETE FROM audit_entries WHERE number = ${number};
      UPDATE audit_entries SET number = -number WHERE number > ${number};
      UPDATE audit_entries SET number = -number - 1 WHERE number < 0`);
    return number;
  },
  'inserted copy, those behind it moved down'(database, random) {
    const number = 1 + pick(random, entryCount - 1);
    const list = columns.join(', ');
    database.exec(`UPDATE audit_entries SET number = -number WHERE number > ${number};
      UPDATE audit_entries SET number = -number + 1 WHERE number < 0;
      INSERT INTO audit_entries (number, ${list}, is_allowed)
        SELECT ${number + 1}, ${list}, is_allowed FROM audit_entries WHERE number = ${number}`);
    return number + 1;
  },
  'appended copy'(database, random) {
    const number = 1 + pick(random, entryCount);
    const list = columns.join(', ');
    database.exec(`INSERT INTO audit_entries (number, ${list}, is_allowed)
      SELECT ${entryCount + 1}, ${list}, is_allowed FROM audit_entries WHERE number = ${number}`);
    return entryCount + 1;
  },
};

describe('a change of the audit log', () => {
  it('of a row is found, at the entry where it was made', { timeout: 120_000 }, async () => {
    const home = await aLogOnDisk();
    expect(await verify(home)).toMatchObject({ entries: entryCount, isIntact: true });
    const random = seededRandom(20);
    for (const [name, change] of Object.entries(changes)) {
      for (let round = 0; round < (isProof ? 200 : 14); round += 1) {
        const copy = copyOf(home);
        let number = 0;
        withDatabase(copy, (database) => (number = change(database, random)));
        const { isIntact, problem } = await verify(copy);
        expect({ name, round, isIntact, at: problem?.number }).toEqual({
          name,
          round,
          isIntact: false,
          at: number,
        });
        rmSync(copy, { recursive: true });
      }
    }
  });

  it(
    'of any byte of the file is found where it changes an entry',
    { timeout: 120_000 },
    async () => {
      const home = await aLogOnDisk();
      const original = readFileSync(join(home, 'tutti.db'));
      const pages = pagesWith(original, Buffer.from('.tool'));
      const random = seededRandom(21);
      const written = rowsOf(home);
      let found = 0;
      for (let round = 0; round < (isProof ? 3_000 : 150); round += 1) {
        const copy = copyOf(home);
        const bytes = Buffer.from(original);
        const page = pages[pick(random, pages.length)] ?? 0;
        const at = page + pick(random, pageBytes);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(random, 8));
        writeFileSync(join(copy, 'tutti.db'), bytes);
        const { isIntact, problem } = await verify(copy);
        const firstOther = firstDifference(written, rowsOf(copy));
        // A byte that no entry uses changes nothing that could be read.
        if (firstOther === undefined) expect({ at, isIntact }).toEqual({ at, isIntact: true });
        else {
          expect({ at, isIntact, number: problem?.number }).toEqual({
            at,
            isIntact: false,
            number: firstOther,
          });
          found += 1;
        }
        rmSync(copy, { recursive: true });
      }
      expect(found).toBeGreaterThan(100);
    },
  );

  it('of the end is remembered by the entries that are written after it', async () => {
    const home = await aLogOnDisk();
    withDatabase(home, (database) =>
      database.exec(`DELETE FROM audit_entries WHERE number > 100;
        UPDATE audit_marks SET (number, digest) =
          (SELECT number, digest FROM audit_entries WHERE number = 100)`),
    );
    const store = aStore({ home });
    const log = anAuditLog({ store: store.audit });
    for (let n = 0; n < 50; n += 1) log.record(aDecision());
    expect(await log.verify()).toMatchObject({ isIntact: false, problem: { number: 101 } });
    const [entry] = await log.list(localCaller, { after: 100, limit: 1 });
    expect(entry).toMatchObject({ action: 'audit.truncated', target: `101-${entryCount}` });
  });
});

const pageBytes = 4_096;

/** Offsets of the pages that hold rows of the log. */
function pagesWith(file: Buffer, text: Buffer): number[] {
  const pages: number[] = [];
  for (let page = 0; page < file.length; page += pageBytes) {
    if (file.subarray(page, page + pageBytes).includes(text)) pages.push(page);
  }
  return pages;
}

/** The rows as SQLite gives them; what cannot be read ends the list. */
function rowsOf(home: string): readonly string[] {
  const database = new DatabaseSync(join(home, 'tutti.db'), { readOnly: true });
  const rows: string[] = [];
  try {
    for (const row of database.prepare('SELECT * FROM audit_entries ORDER BY number').iterate()) {
      rows.push(JSON.stringify(row));
    }
  } catch {
    rows.push('unreadable');
  }
  database.close();
  return rows;
}

/** The number of the first row that is not as it was written. */
function firstDifference(written: readonly string[], found: readonly string[]): number | undefined {
  for (let index = 0; index < Math.max(written.length, found.length); index += 1) {
    if (written[index] !== found[index]) return index + 1;
  }
  return undefined;
}

describe('several processes that write to the audit log', () => {
  const program = fileURLToPath(new URL('support/write-audit.ts', import.meta.url));
  const startWriter = (home: string, writer: string, count: number): ChildProcess =>
    spawn(process.execPath, [program, home, writer, String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });

  it('make one chain that has every entry of each', { timeout: 60_000 }, async () => {
    const home = aDirectory();
    const count = isProof ? 5_000 : 300;
    const writers = ['a', 'b', 'c'].map((name) => startWriter(home, name, count));
    for (const writer of writers) writer.stdout?.resume();
    const ends = await Promise.all(writers.map((writer) => once(writer, 'close')));
    expect(ends).toEqual(writers.map(() => [0, null]));
    expect(await verify(home)).toMatchObject({ entries: 3 * count, isIntact: true });
  });

  it(
    'leave it whole with all that was acknowledged when they are killed',
    { timeout: 60_000 },
    async () => {
      const home = aDirectory();
      const random = seededRandom(22);
      for (let round = 1; round <= (isProof ? 40 : 3); round += 1) {
        const killAfter = 5 * (1 + pick(random, 40));
        const bystander = startWriter(home, `b${round}`, 100);
        bystander.stdout?.resume();
        const ended = once(bystander, 'close');
        const acknowledged = await lastBeforeKilled(
          startWriter(home, `w${round}`, 1_000_000),
          killAfter,
        );
        expect(await ended).toEqual([0, null]);
        expect((await verify(home)).isIntact).toBe(true);
        const store = aStore({ home });
        const kept = await store.audit.list({ limit: 1_000_000, callerId: `w${round}` });
        expect(kept.length).toBeGreaterThanOrEqual(acknowledged);
        expect(kept.map(({ target }) => target)).toEqual(kept.map((_, index) => `t.${index + 1}`));
        store.close();
      }
    },
  );
});
