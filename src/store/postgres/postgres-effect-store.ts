import { isDeepStrictEqual } from 'node:util';
import type {
  ApprovalRow,
  EffectRow,
  EffectStore,
  RowChange,
  RowRequest,
  StepRows,
} from '../../workflow/effects/index.ts';
import { CorruptDatabaseError } from '../errors.ts';
import { Batches } from './batches.ts';
import type { PostgresDatabase, Statements } from './postgres-database.ts';
import { addRunSignal } from './run-writes.ts';

/** Columns come out under the names they have in the rows of the port. */
const effectColumns = `
  run_id AS "runId", step, id, generation, attempt, dispatch, state, caller_id AS "callerId", server, tool,
  arguments_digest AS "argumentsDigest", approval_id AS "approvalId", dispatched_at_ms AS "dispatchedAtMs",
  dispatcher, settled_at_ms AS "settledAtMs", outcome`;

const approvalColumns = `
  approval_id AS "approvalId", caller_id AS "callerId", run_id AS "runId", step, server, tool,
  arguments_digest AS "argumentsDigest", arguments, policy_version AS "policyVersion", tool_digest AS "toolDigest",
  message, preview, asked_at_ms AS "askedAtMs", expires_at_ms AS "expiresAtMs", state, decided_by AS "decidedBy",
  decided_at_ms AS "decidedAtMs", reason, used_by AS "usedBy"`;

/** Held until the end of the transaction, also for a step that has no row yet. In one order, against deadlocks. */
const lockSql = `
  SELECT pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT hashtextextended(run_id || chr(31) || step, 0) AS lock
    FROM unnest($1::text[], $2::text[]) AS place (run_id, step) ORDER BY lock) locks`;

const ofSteps = '(run_id, step) IN (SELECT * FROM unnest($1::text[], $2::text[]))';

const effectsOfStepsSql = `SELECT ${effectColumns} FROM effects WHERE ${ofSteps}`;

const approvalsOfStepsSql = `
  SELECT ${approvalColumns} FROM approvals WHERE ${ofSteps} ORDER BY asked_at_ms, approval_id`;

const effectsOfRunSql = `SELECT ${effectColumns} FROM effects WHERE run_id = $1 ORDER BY step`;

const approvalsOfRunSql = `
  SELECT ${approvalColumns} FROM approvals WHERE run_id = $1 ORDER BY asked_at_ms, approval_id`;

const approvalSql = `SELECT ${approvalColumns} FROM approvals WHERE approval_id = $1`;

const effectCells = [
  'run_id',
  'step',
  'id',
  'generation',
  'attempt',
  'dispatch',
  'state',
  'caller_id',
  'server',
  'tool',
  'arguments_digest',
  'approval_id',
  'dispatched_at_ms',
  'dispatcher',
  'settled_at_ms',
  'outcome',
] as const;

const approvalCells = [
  'approval_id',
  'caller_id',
  'run_id',
  'step',
  'server',
  'tool',
  'arguments_digest',
  'arguments',
  'policy_version',
  'tool_digest',
  'message',
  'preview',
  'asked_at_ms',
  'expires_at_ms',
  'state',
  'decided_by',
  'decided_at_ms',
  'reason',
  'used_by',
] as const;

/** Rows come as one JSON text: one statement for any number of them. */
function replaceSql(table: string, key: string, cells: readonly string[]): string {
  const updates = cells.map((cell) => `${cell} = EXCLUDED.${cell}`).join(', ');
  return `
    INSERT INTO ${table} (${cells.join(', ')})
    SELECT ${cells.join(', ')} FROM json_populate_recordset(NULL::${table}, $1::json)
    ON CONFLICT (${key}) DO UPDATE SET ${updates}`;
}

const writeEffectsSql = replaceSql('effects', 'run_id, step', effectCells);
const writeApprovalsSql = replaceSql('approvals', 'approval_id', approvalCells);

interface Request {
  readonly request: RowRequest;
  readonly decide: (rows: StepRows) => RowChange<unknown>;
}

/** What `decide` made of it, or what it threw. */
type Decision =
  | { readonly kind: 'changed'; readonly request: RowRequest; readonly change: RowChange<unknown> }
  | { readonly kind: 'threw'; readonly error: unknown };

/** Keeps effects and approvals in PostgreSQL; steps that begin together wait for the server's disk together. */
export class PostgresEffectStore implements EffectStore {
  readonly #database: PostgresDatabase;
  readonly #requests = new Batches((requests: readonly Request[]) => this.#changeAll(requests));

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async change<Result>(
    request: RowRequest,
    decide: (rows: StepRows) => RowChange<Result>,
  ): Promise<Result> {
    const decision = await this.#requests.add({ request, decide });
    if (decision.kind === 'threw') throw decision.error;
    // It is what this `decide` gave.
    return decision.change.result as Result;
  }

  async approvals(runId: string): Promise<readonly ApprovalRow[]> {
    const rows = await this.#database.query(approvalsOfRunSql, [runId]);
    return rows.map((row) => this.#readApproval(row));
  }

  async approval(approvalId: string): Promise<ApprovalRow | undefined> {
    const [row] = await this.#database.query(approvalSql, [approvalId]);
    return row && this.#readApproval(row);
  }

  async effects(runId: string): Promise<readonly EffectRow[]> {
    const rows = await this.#database.query(effectsOfRunSql, [runId]);
    return rows.map((row) => this.#readEffect(row));
  }

  #changeAll(requests: readonly Request[]): Promise<readonly Decision[]> {
    return this.#database.transaction(
      async (statements) => {
        const seen = await this.#lock(statements, requests);
        const decisions = requests.map((it) => this.#decide(seen, it));
        await writeAll(statements, decisions);
        return decisions;
      },
      { isKept: (decisions) => this.#areKept(decisions) },
    );
  }

  /** The rows of their steps, which stay as they are until the transaction ends. */
  async #lock({ query }: Statements, requests: readonly Request[]): Promise<SeenRows> {
    const places = [
      requests.map(({ request }) => request.runId),
      requests.map(({ request }) => request.step),
    ];
    await query(lockSql, places);
    return {
      effects: await query(effectsOfStepsSql, places),
      approvals: await query(approvalsOfStepsSql, places),
      written: [],
    };
  }

  /** Sees what those before it are going to write. */
  #decide(seen: SeenRows, { request, decide }: Request): Decision {
    try {
      const change = decide(this.#rowsOf(seen, request));
      seen.written.push(change);
      return { kind: 'changed', request, change };
    } catch (error) {
      return { kind: 'threw', error };
    }
  }

  #rowsOf({ effects, approvals, written }: SeenRows, place: RowRequest): StepRows {
    const isHere = (row: object): boolean => {
      const { runId, step }: { runId?: unknown; step?: unknown } = row;
      return runId === place.runId && step === place.step;
    };
    const effect = effects.find(isHere);
    const rows = new Map(
      approvals
        .filter(isHere)
        .map((row) => this.#readApproval(row))
        .map((row) => [row.approvalId, row]),
    );
    let latest = effect && this.#readEffect(effect);
    for (const change of written) {
      if (change.effect && isHere(change.effect)) latest = change.effect;
      if (change.approval && isHere(change.approval)) {
        rows.set(change.approval.approvalId, change.approval);
      }
    }
    return { effect: latest, approvals: [...rows.values()].toSorted(byAge) };
  }

  /** Whether a transaction that made these decisions was committed. */
  async #areKept(decisions: readonly Decision[]): Promise<boolean> {
    const rows = lastRows(decisions);
    const [effect] = rows.effects;
    if (effect) {
      const kept = await this.effects(effect.runId);
      return kept.some((row) => isDeepStrictEqual(row, effect));
    }
    const [approval] = rows.approvals;
    if (!approval) return true;
    return isDeepStrictEqual(await this.approval(approval.approvalId), approval);
  }

  #readEffect(row: Cells): EffectRow {
    // Only this store writes the table, from the same type.
    const parsed = {
      dispatcher: this.#parse(row['dispatcher'] ?? 'null'),
      outcome: this.#parse(row['outcome']),
    };
    return { ...row, ...parsed } as unknown as EffectRow;
  }

  #readApproval(row: Cells): ApprovalRow {
    // Only this store writes the table, from the same type.
    const parsed = {
      arguments: this.#parse(row['arguments']),
      preview: this.#parse(row['preview'] ?? 'null'),
    };
    return { ...row, ...parsed } as unknown as ApprovalRow;
  }

  #parse(text: unknown): unknown {
    try {
      return JSON.parse(String(text));
    } catch (error) {
      throw new CorruptDatabaseError(this.#database.path, error);
    }
  }
}

type Cells = Readonly<Record<string, unknown>>;

interface SeenRows {
  readonly effects: readonly Cells[];
  readonly approvals: readonly Cells[];
  readonly written: RowChange<unknown>[];
}

function byAge(a: ApprovalRow, b: ApprovalRow): number {
  return a.askedAtMs - b.askedAtMs || (a.approvalId < b.approvalId ? -1 : 1);
}

/** One statement may write a row once: the last of each. */
function lastRows(decisions: readonly Decision[]) {
  const effects = new Map<string, EffectRow>();
  const approvals = new Map<string, ApprovalRow>();
  for (const decision of decisions) {
    if (decision.kind === 'threw') continue;
    const { effect, approval } = decision.change;
    if (effect) effects.set(JSON.stringify([effect.runId, effect.step]), effect);
    if (approval) approvals.set(approval.approvalId, approval);
  }
  return { effects: [...effects.values()], approvals: [...approvals.values()] };
}

async function writeAll(statements: Statements, decisions: readonly Decision[]): Promise<void> {
  const { effects, approvals } = lastRows(decisions);
  if (effects.length > 0) {
    const cells = effects.map((row) => ({
      ...row,
      dispatcher: row.dispatcher && JSON.stringify(row.dispatcher),
      outcome: JSON.stringify(row.outcome),
    }));
    await statements.query(writeEffectsSql, [cellsOf(cells)]);
  }
  if (approvals.length > 0) {
    const cells = approvals.map((row) => ({
      ...row,
      arguments: JSON.stringify(row.arguments),
      preview: row.preview && JSON.stringify(row.preview),
    }));
    await statements.query(writeApprovalsSql, [cellsOf(cells)]);
  }
  for (const decision of decisions) {
    if (decision.kind === 'threw') continue;
    const { signal } = decision.change;
    if (signal) await addRunSignal(statements, decision.request.runId, signal);
  }
}

/** Under the names of the columns. A text in it may hold `\u0000`, which a column cannot. */
function cellsOf(rows: readonly object[]): string {
  const named = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
      ]),
    ),
  );
  return JSON.stringify(named);
}
