import type { Caller } from '../../contract/caller/index.ts';
import type { RunJournalEntry, RunJournalPage } from '../../contract/run/index.ts';
import { recordOf } from '../../kernel/index.ts';
import type { JournalEntry, RunStore } from '../engine/run-store.ts';
import { pathOfKey } from '../interpret/index.ts';
import { findSummary } from './find-run.ts';

type Range = { readonly runId: string; readonly after: number; readonly limit: number };

export async function readJournal(
  store: RunStore,
  caller: Caller,
  { after, limit, ...wanted }: Range,
): Promise<RunJournalPage> {
  const { runId } = await findSummary(store, caller, wanted.runId);
  const all = await store.journal(runId);
  const entries = all.slice(after, after + limit).map((entry, at) => show(entry, after + at + 1));
  return { runId, entries, total: all.length };
}

function show(entry: JournalEntry, number: number): RunJournalEntry {
  const { kind } = entry;
  const steps = kind === 'forgotten' ? [...entry.paths] : [pathOfKey(entry.key)];
  const suffix = kind === 'forgotten' ? '' : entry.key.charAt(steps[0]?.length ?? 0);
  const activity = kind === 'forgotten' ? null : (names[suffixes.indexOf(suffix)] ?? 'pause');
  const given = recordOf(kind === 'settled' ? entry.value : entry);
  const result = suffix === '!' ? { ...given, ...recordOf(given['payload']) } : given;
  const outcome = kind === 'settled' ? textOf(result['verdict'] ?? result['kind']) : null;
  const code = textOf(recordOf(result['error'])['code']);
  const atMs = Number(result['endedAt'] ?? result['startedAt'] ?? result['atMs']);
  const at = Number.isFinite(atMs) ? new Date(atMs).toISOString() : null;
  return { number, kind, steps, activity, outcome, ...(code !== null && { code }), at };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** Activities by the first characters of the suffixes in `interpret/keys.ts`. */
const suffixes = ['#', '~', '=', '!', '?', '+'];
const names = ['call', 'backoff', 'condition', 'approval', 'resolution', 'repair'] as const;
