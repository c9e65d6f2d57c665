import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AuditEntry, AuditFilter, AuditVerdict } from '../../contract/access/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { pluralize, reportError } from '../../kernel/index.ts';
import { UsageError } from '../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { formatColumns } from '../output.ts';
import { actionsOf } from '../run-action.ts';
import type { System } from '../../compose/index.ts';

const filters = ['limit', 'refused', 'caller'];

export const run = actionsOf('audit', {
  list: { run: listEntries, takes: [], options: filters },
  export: { run: exportEntries, takes: ['FILE?'], options: [...filters, 'after', 'format'] },
  verify: { run: verify, takes: [], options: ['expect'] },
});

const usualCount = 20;

async function listEntries(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async ({ audit }) => {
    const filter = { ...filterOf(invocation), limit, isLatest: true };
    const entries = await audit.list(localCaller, filter);
    output.result(entries, () =>
      entries.length === 0 ? 'There are no entries.' : formatColumns(entries.map(rowOf)),
    );
    return 0;
  });
}

function rowOf(entry: AuditEntry): readonly string[] {
  const { number, at, callerId, face, action, target, isAllowed, rule } = entry;
  const verdict = isAllowed ? 'allowed' : 'refused';
  return [String(number), at, callerId ?? '-', face, verdict, action, target, rule];
}

/** Entries read at a time. */
const pageSize = 1_000;

async function exportEntries(invocation: Invocation, [file]: readonly string[]): Promise<number> {
  const { io, output } = invocation;
  const format = formatOf(invocation);
  const limit = textOption(invocation, 'limit') === undefined ? Infinity : limitOption(invocation);
  return withSystem(invocation, {}, async (system) => {
    const shown: object[] = [];
    const lines = file === undefined && !output.isJson ? undefined : shown;
    const filter = { ...filterOf(invocation), after: afterOf(invocation), limit };
    for await (const entry of entriesOf(system, filter)) {
      const event = format === 'ocsf' ? system.ocsfEvent(entry) : entry;
      if (lines) lines.push(event);
      else io.stdout.write(`${JSON.stringify(event)}\n`);
    }
    if (file !== undefined) await writeExport(invocation, resolve(io.cwd, file), shown);
    else if (output.isJson) output.result(shown, () => '');
    return 0;
  });
}

async function writeExport(
  { output }: Invocation,
  path: string,
  entries: readonly object[],
): Promise<void> {
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  // It may be evidence: an export replaces no file.
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw new UsageError(`Nothing was exported to ${path}: ${reportError(error).message}`);
  });
  const count = entries.length;
  output.result(
    { path, entries: count },
    () => `${pluralize(count, 'entry', 'entries')} written to ${path}`,
  );
}

async function* entriesOf(
  { audit }: Pick<System, 'audit'>,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry> {
  let { after = 0, limit } = filter;
  while (limit > 0) {
    const page = await audit.list(localCaller, {
      ...filter,
      after,
      limit: Math.min(limit, pageSize),
    });
    yield* page;
    if (page.length < pageSize) return;
    limit -= page.length;
    after = page.at(-1)?.number ?? after;
  }
}

async function verify(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const expected = expectOf(invocation);
  return withSystem(invocation, {}, async ({ audit }) => {
    const found = await output.during('Verifying the audit log', audit.verify());
    const verdict = expected && found.isIntact ? await compare(audit, found, expected) : found;
    output.result(verdict, () => verdictText(verdict));
    return verdict.isIntact ? 0 : 1;
  });
}

/** The digest that was noted elsewhere shows whether the whole chain was computed anew. */
async function compare(
  audit: System['audit'],
  verdict: AuditVerdict,
  { number, digest }: { readonly number: number; readonly digest: string },
): Promise<AuditVerdict> {
  const [entry] = await audit.list(localCaller, { after: number - 1, limit: 1 });
  if (entry?.number === number && entry.digest === digest) return verdict;
  const message = `entry ${number} does not have the expected digest`;
  return { ...verdict, isIntact: false, problem: { number, message } };
}

function verdictText({ entries, problem, last }: AuditVerdict): string {
  if (problem) return `The audit log was changed: ${problem.message}.`;
  const count = pluralize(entries, 'entry', 'entries');
  return last
    ? `The audit log is intact: ${count}. Last: ${last.number}:${last.digest}`
    : 'The audit log is empty.';
}

function filterOf(invocation: Invocation): Pick<AuditFilter, 'isAllowed' | 'callerId'> {
  const callerId = textOption(invocation, 'caller');
  return {
    ...(invocation.options['refused'] === true && { isAllowed: false }),
    ...(callerId !== undefined && { callerId }),
  };
}

function formatOf(invocation: Invocation): 'jsonl' | 'ocsf' {
  const format = textOption(invocation, 'format') ?? 'jsonl';
  if (format === 'jsonl' || format === 'ocsf') return format;
  throw new UsageError(`--format wants jsonl or ocsf, and got "${format}"`);
}

function afterOf(invocation: Invocation): number {
  const text = textOption(invocation, 'after') ?? '0';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--after wants the number of an entry, and got "${text}"`);
}

function expectOf(invocation: Invocation) {
  const text = textOption(invocation, 'expect');
  if (text === undefined) return undefined;
  const [, number, digest] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number !== undefined && digest !== undefined) return { number: Number(number), digest };
  throw new UsageError(
    `--expect wants NUMBER:DIGEST as "audit verify" prints it, and got "${text}"`,
  );
}
