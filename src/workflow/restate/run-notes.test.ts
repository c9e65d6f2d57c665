import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { traceLimits } from '../../observe/index.ts';
import { openStore } from '../../store/index.ts';
import type { Lease, RunStore } from '../engine/run-store.ts';
import { RunNotes, type RunNotesParts } from './run-attempt.ts';

const runId = 'run1';
const owner = { id: 'me', pid: process.pid, processStart: '', leaseMs: 60_000 };

async function aRun(): Promise<{ store: RunStore; lease: Lease }> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-notes-'));
  const opened = openStore({ home, traceLimits });
  onTestFinished(() => {
    opened.close();
    rmSync(home, { recursive: true, force: true });
  });
  const store = opened.runs;
  await store.create({
    runId,
    callerId: localCaller.id,
    plan: { version: 1, steps: [{ id: 'a', sleep: 1 }] },
    input: {},
    engine: 'restate',
    createdAtMs: 1,
    deadlineMs: null,
    forkedFrom: null,
    idempotencyKey: null,
    meta: {},
  });
  const [lease] = await store.claim([runId], owner);
  if (!lease) throw new Error('nobody else is here');
  return { store, lease };
}

function notesOf(run: { store: RunStore; lease: Lease }, others: Partial<RunNotesParts> = {}) {
  const onLost = vi.fn<(error: unknown) => void>();
  const parts = { ...run, entries: [], status: 'running', durability: 'normal', onLost } as const;
  return { notes: new RunNotes({ ...parts, ...others }), onLost };
}

it('writes what is noted, in order and each thing once', async () => {
  const run = await aRun();
  const { notes } = notesOf(run);
  notes.note({ kind: 'due', key: 'a', atMs: 5 });
  notes.note({ kind: 'settled', key: 'a', value: null });
  notes.note({ kind: 'settled', key: 'a', value: 'again' });
  await notes.settle();
  notes.note({ kind: 'settled', key: 'b#1', value: 2 });
  await notes.settle();
  expect(await run.store.journal(runId)).toEqual([
    { kind: 'due', key: 'a', atMs: 5 },
    { kind: 'settled', key: 'a', value: null },
    { kind: 'settled', key: 'b#1', value: 2 },
  ]);
});

it('leaves out what the journal has, but for steps that were made to run again', async () => {
  const run = await aRun();
  const { notes } = notesOf(run, {
    entries: [
      { kind: 'settled', key: 'a#1', value: 1 },
      { kind: 'settled', key: 'b#1', value: 1 },
      { kind: 'forgotten', paths: ['b'] },
    ],
  });
  notes.note({ kind: 'settled', key: 'a#1', value: 2 });
  notes.note({ kind: 'settled', key: 'b#1', value: 2 });
  await notes.settle();
  expect(await run.store.journal(runId)).toEqual([{ kind: 'settled', key: 'b#1', value: 2 }]);
});

it('writes the status where it changes, and what the run came to', async () => {
  const run = await aRun();
  const { notes } = notesOf(run);
  notes.setStatus('waiting');
  await notes.settle();
  expect(await run.store.find(null, runId)).toMatchObject({ status: 'waiting' });
  notes.note({ kind: 'settled', key: 'a', value: null });
  await notes.end('succeeded', { output: { value: 1 } });
  const end = { status: 'succeeded', outcome: { output: { value: 1 } } };
  expect(await run.store.find(null, runId)).toMatchObject(end);
  expect(await run.store.journal(runId)).toHaveLength(1);
  await notes.end('failed', {});
  expect(await run.store.find(null, runId)).toMatchObject(end);
});

it('says so when the lease is gone, and writes nothing more', async () => {
  const run = await aRun();
  await run.store.release([{ lease: run.lease }]);
  const { notes, onLost } = notesOf(run);
  notes.note({ kind: 'settled', key: 'a', value: null });
  await notes.settle();
  expect(onLost).toHaveBeenCalledOnce();
  notes.note({ kind: 'settled', key: 'b', value: null });
  await notes.end('succeeded', {});
  expect(await run.store.journal(runId)).toEqual([]);
  expect(await run.store.find(null, runId)).toMatchObject({ endedAt: null });
});

it('says so when the store is broken', async () => {
  const run = await aRun();
  const broken = new Error('disk full');
  const commit = (): Promise<never> => Promise.reject(broken);
  const store: RunStore = Object.assign(Object.create(run.store), { commit });
  const { notes, onLost } = notesOf({ ...run, store });
  notes.setStatus('waiting');
  await notes.settle();
  expect(onLost).toHaveBeenCalledExactlyOnceWith(broken);
});
