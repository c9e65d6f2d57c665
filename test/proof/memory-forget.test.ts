import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../../src/contract/caller/index.ts';
import { memoryStatusSchema } from '../../src/contract/memory/index.ts';
import type { Artifacts } from '../../src/contract/artifact/index.ts';
import type { Preference } from '../../src/contract/preference/index.ts';
import type { Turn } from '../../src/contract/session/index.ts';
import type { Store } from '../../src/store/index.ts';
import { quantize } from '../../src/store/sql/vector-index.ts';
import { aMemoryItem, aVector } from '../../testkit/memory/a-memory-item.ts';
import { aSession, aTurn } from '../../testkit/memory/a-session.ts';
import { aContext, aFailure, aPreference } from '../../testkit/memory/copies.ts';
import { aNewRun, claimOne } from '../../testkit/workflow/a-run.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { aStore } from '../../testkit/store/a-store.ts';
import { memoriesOf } from '../support/memory-items-of.ts';

const program = fileURLToPath(new URL('../support/forget-items.ts', import.meta.url));
const facts = isProof ? 1_500 : 40;
const sessions = isProof ? 10 : 2;
const turnsPerSession = isProof ? 50 : 20;
/** What is kept of each item in other tables. */
const kindsOfCopies = 6;
const forgottenCount = isProof ? 200 : 12;

interface Kept {
  readonly id: string;
  /** A word that only this item has. */
  readonly word: string;
  readonly vector: Float32Array;
}

/** Facts and turns, each with a word and a vector of its own, and of most what other tables keep, too. */
async function fill(home: string, store: Store): Promise<readonly Kept[]> {
  const { memory, artifacts } = await memoriesOf(home, store);
  const random = seededRandom(5);
  const word = (): string => `zq${Math.floor(random() * 2 ** 40).toString(36)}vx`;
  const kept: Kept[] = [];
  const keep = (id: string): Kept => {
    const one = { id, word: word(), vector: aVector(kept.length + 1) };
    kept.push(one);
    return one;
  };
  const added = Array.from({ length: facts }, (_, n) => {
    const { id, vector, word: own } = keep(`m${n}`);
    return { item: aMemoryItem({ id, text: `The code name of project ${n} is ${own}` }), vector };
  });
  await store.memoryItems.add(localCaller, added);
  for (const [n, { item }] of added.entries()) await keepCopies(store, { n, text: item.text });
  for (let s = 0; s < sessions; s += 1) {
    const id = `session${s}`;
    const turns: Turn[] = [];
    for (let n = 0; n < turnsPerSession; n += 1) {
      const { word: own } = keep(`${id}-${n + 1}`);
      const text = `I told you that ${own} is the code name of part ${n}`;
      const runId = `run-${id}-${n}`;
      await keepRun(store, artifacts, { runId, word: own });
      turns.push(aTurn(n + 1, { text, runId }));
      await keepCopies(store, { n, text, runId, turn: { session: id, turn: n + 1 } });
    }
    const summary = { text: turns.map(({ text }) => text).join('\n'), turn: turns.length };
    const title = turns[0]?.text ?? '';
    await memory.sessions.import(localCaller, aSession({ id, title, turns, summary }));
  }
  await store.memoryItems.addVectors(kept.slice(facts));
  return kept;
}

/** A run that ended, with an artifact. */
async function keepRun(
  store: Store,
  artifacts: Artifacts,
  { runId, word }: { readonly runId: string; readonly word: string },
): Promise<void> {
  await store.runs.create(aNewRun({ runId, input: { word } }));
  const lineage = { runId, step: 'a', tool: 'x.y', argumentsDigest: null, inputs: [] };
  await artifacts.put(localCaller, {
    content: `made of ${word}`,
    mediaType: 'text/plain',
    lineage,
  });
  const lease = await claimOne(store.runs, runId);
  if (!lease) throw new Error(`${runId} has an owner`);
  await store.runs.commit([{ lease, entries: [], status: 'succeeded', outcome: 1 }], 'soon');
}

interface Copied {
  readonly n: number;
  readonly text: string;
  readonly runId?: string;
  readonly turn?: Preference['source'];
}

/** A failure that was cured, a preference, feedback and a context with the words or from the same turn or run. */
async function keepCopies(store: Store, { n, text, turn, ...run }: Copied): Promise<void> {
  const at = new Date(n).toISOString();
  const runId = run.runId ?? null;
  const [, word = ''] = /(zq\w+vx)/.exec(text) ?? [];
  // Where the turn or its run leads to it, the words may differ.
  const said = turn === undefined ? text : `about ${word}`;
  const { experience, preferences, feedback, contexts } = store;
  const id = `${turn?.session ?? 'fact'}-${n}`;
  const failure = aFailure(id, { at, runId, attempt: { arguments: { said }, surroundings: {} } });
  await experience.addFailure(localCaller, failure, 100_000);
  const change = {
    what: 'arguments',
    path: 'said',
    before: JSON.stringify(said),
    after: '""',
  } as const;
  const fix = {
    id: `learned:${id}`,
    signature: id,
    subject: 'x.y',
    normalised: 'no',
    changes: [change],
  };
  await experience.addFix(localCaller, fix, { atMs: n, maxFixes: 100_000 });
  await experience.addUse(localCaller, { fixId: fix.id, failureId: id, atMs: n, isCured: true }, 9);
  const source = turn && { source: turn };
  const preference = aPreference({ topic: id, evidence: said, ...source });
  await preferences.write(localCaller, { add: [preference] });
  const about = {
    subject: runId === null ? `turn:s#${id}` : `run:${runId}`,
    runId,
    sessionId: null,
  };
  const opinion = { kind: 'opinion', isGood: true, reason: said, givenAt: at, ...about } as const;
  await feedback.put(localCaller.id, opinion, 100_000);
  const parts = { id: `ctx-${id}`, name: id, text: JSON.stringify({ items: [{ text }] }) };
  await contexts.add([aContext(parts)], { maxVersions: 100_000, maxBytes: 1e9, maxShares: 1 });
}

/** Starts the program again and again, killed at random, until it has forgotten all of them. */
async function forgetAll(home: string, ids: readonly string[]): Promise<number> {
  const random = seededRandom(7);
  let deaths = 0;
  for (let done = 0; done < ids.length;) {
    const child = spawn(process.execPath, [program, home, ...ids.slice(done)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const closed = once(child, 'close');
    const killAfter = 1 + Math.floor(random() * (isProof ? 20 : 8));
    let told = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      told = Number(line);
      // In the middle of the one after it.
      if (told === killAfter) setTimeout(() => child.kill('SIGKILL'), random() * 10);
    }
    const [exitCode, signal] = await closed;
    expect(exitCode === 0 || signal === 'SIGKILL', `exit code ${exitCode}`).toBe(true);
    if (signal === 'SIGKILL') deaths += 1;
    done += told;
  }
  return deaths;
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Which of these items a file has something of: its word in any case, or its vector. */
function tracesIn(path: string, items: readonly Kept[]): string[] {
  const bytes = readFileSync(path);
  const lower = bytes.toString('latin1').toLowerCase();
  return items
    .filter(
      ({ word, vector }) =>
        lower.includes(word) || bytes.includes(Buffer.from(quantize(vector).buffer)),
    )
    .map(({ id }) => `${id} in ${path}`);
}

/** Every cell of every table, those of the index included. */
function cellsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) =>
    database.prepare(`SELECT * FROM "${String(name)}"`).all(),
  );
  database.close();
  return JSON.stringify(rows, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  ).toLowerCase();
}

async function countCopies(store: Store): Promise<number> {
  const counts = [
    await store.experience.list(localCaller, 100_000),
    await store.experience.fixes(localCaller, {}, 100_000),
    await store.experience.used(localCaller, 100_000),
    await store.preferences.list(localCaller),
    (await store.feedback.list(localCaller.id, 100_000)).filter(({ reason }) => reason !== ''),
    await store.contexts.latest(localCaller.id, 100_000),
  ];
  return counts.reduce((sum, { length }) => sum + length, 0);
}

describe('what is forgotten', () => {
  it(
    `is found nowhere: ${forgottenCount} items, under load, with processes killed at any moment`,
    { timeout: 600_000 },
    async () => {
      const home = aDirectory();
      const store = aStore({ home });
      const kept = await fill(home, store);
      const random = seededRandom(3);
      const shuffled = kept
        .map((one) => ({ one, order: random() }))
        .sort((a, b) => a.order - b.order)
        .map(({ one }) => one);
      const gone = shuffled.slice(0, forgottenCount);
      const left = shuffled.slice(forgottenCount);
      const everything = { statuses: memoryStatusSchema.options };
      const search = { filter: everything, limit: 3 };
      const found = async (items: readonly Kept[]): Promise<number> => {
        let count = 0;
        for (const { id, word, vector } of items) {
          const byWord = await store.memoryItems.byWords(localCaller, [word], search);
          const [nearest] = await store.memoryItems.byVector(localCaller, vector, search);
          count += byWord.length + (nearest?.id === id ? 1 : 0);
        }
        return count;
      };
      expect(await countCopies(store)).toBe(kept.length * kindsOfCopies);
      // This process has all vectors in its memory before another one forgets.
      expect(await found(gone)).toBe(2 * gone.length);

      const deaths = await forgetAll(
        home,
        gone.map(({ id }) => id),
      );
      expect(deaths).toBeGreaterThan(0);
      expect(await found(gone)).toBe(0);
      expect(
        await store.memoryItems.get(
          localCaller,
          gone.map(({ id }) => id),
        ),
      ).toEqual([]);
      expect(await store.memoryItems.counts()).toMatchObject({ problems: [] });

      const cells = cellsOf(store.path);
      expect(gone.filter(({ word }) => cells.includes(word))).toEqual([]);
      const backup = join(aDirectory(), 'copy.db');
      await store.memoryItems.erase();
      await store.backup(backup);
      const files = [...filesIn(home), backup];
      expect(files.length).toBeGreaterThan(sessions + 1);
      expect(files.flatMap((path) => tracesIn(path, gone))).toEqual([]);
      // The same look finds what was not forgotten, also the files of its artifacts.
      const sample = left.slice(0, 20);
      expect(tracesIn(backup, sample)).toHaveLength(sample.length);
      expect(await found(sample)).toBe(2 * sample.length);
      expect(await countCopies(store)).toBe(left.length * kindsOfCopies);
    },
  );
});
