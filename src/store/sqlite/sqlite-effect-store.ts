import type {
  ApprovalRow,
  EffectRow,
  EffectStore,
  RowChange,
  RowRequest,
  StepRows,
} from '../../workflow/effects/index.ts';
import { CorruptDatabaseError } from '../errors.ts';
import { addRunSignal } from './run-writes.ts';
import type { LastFact } from './last-fact.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { WriteGroup } from './write-group.ts';

/** Columns come out under the names they have in the rows of the port. */
const effectColumns = `
  run_id AS runId, step, id, generation, attempt, dispatch, state, caller_id AS callerId, server, tool,
  arguments_digest AS argumentsDigest, approval_id AS approvalId, dispatched_at_ms AS dispatchedAtMs,
  dispatcher, settled_at_ms AS settledAtMs, outcome`;

const approvalColumns = `
  approval_id AS approvalId, caller_id AS callerId, run_id AS runId, step, server, tool,
  arguments_digest AS argumentsDigest, arguments, policy_version AS policyVersion, tool_digest AS toolDigest, message, preview,
  asked_at_ms AS askedAtMs, expires_at_ms AS expiresAtMs, state, decided_by AS decidedBy,
  decided_at_ms AS decidedAtMs, reason, used_by AS usedBy`;

const effectSql = `SELECT ${effectColumns} FROM effects WHERE run_id = ? AND step = ?`;

const effectsOfRunSql = `SELECT ${effectColumns} FROM effects WHERE run_id = ? ORDER BY step`;

const approvalsOfStepSql = `
  SELECT ${approvalColumns} FROM approvals WHERE run_id = ? AND step = ? ORDER BY asked_at_ms, approval_id`;

const approvalsOfRunSql = `
  SELECT ${approvalColumns} FROM approvals WHERE run_id = ? ORDER BY asked_at_ms, approval_id`;

const approvalSql = `SELECT ${approvalColumns} FROM approvals WHERE approval_id = ?`;

const writeEffectSql = `
  INSERT OR REPLACE INTO effects (run_id, step, id, generation, attempt, dispatch, state, caller_id, server,
    tool, arguments_digest, approval_id, dispatched_at_ms, dispatcher, settled_at_ms, outcome)
  VALUES (:runId, :step, :id, :generation, :attempt, :dispatch, :state, :callerId, :server, :tool,
    :argumentsDigest, :approvalId, :dispatchedAtMs, :dispatcher, :settledAtMs, :outcome)`;

const writeApprovalSql = `
  INSERT OR REPLACE INTO approvals (approval_id, caller_id, run_id, step, server, tool, arguments_digest,
    arguments, policy_version, tool_digest, message, preview, asked_at_ms, expires_at_ms, state, decided_by, decided_at_ms, reason,
    used_by)
  VALUES (:approvalId, :callerId, :runId, :step, :server, :tool, :argumentsDigest, :arguments, :policyVersion,
    :toolDigest, :message, :preview, :askedAtMs, :expiresAtMs, :state, :decidedBy, :decidedAtMs, :reason, :usedBy)`;

/** Keeps effects and approvals in SQLite; steps that begin together wait for the disk together. */
export class SqliteEffectStore implements EffectStore {
  readonly #database: SqliteDatabase;
  readonly #group: WriteGroup;

  readonly #lastFact: LastFact | undefined;

  constructor(database: SqliteDatabase, lastFact?: LastFact) {
    this.#database = database;
    this.#group = new WriteGroup(database);
    this.#lastFact = lastFact;
  }

  async change<Result>(
    { runId, step, durability }: RowRequest,
    decide: (rows: StepRows) => RowChange<Result>,
  ): Promise<Result> {
    const { result, effect } = await this.#group.write(durability, (statements) => {
      const effect = statements(effectSql).get(runId, step);
      const approvals = statements(approvalsOfStepSql).all(runId, step);
      const change = decide({
        effect: effect && this.#readEffect(effect),
        approvals: approvals.map((row) => this.#readApproval(row)),
      });
      write(statements, runId, change);
      return change;
    });
    if (effect && durability === 'full') {
      this.#lastFact?.note({ runId, effect: { step, dispatch: effect.dispatch } });
    }
    return result;
  }

  async approvals(runId: string): Promise<readonly ApprovalRow[]> {
    const rows = this.#database.read((statements) => statements(approvalsOfRunSql).all(runId));
    return rows.map((row) => this.#readApproval(row));
  }

  async approval(approvalId: string): Promise<ApprovalRow | undefined> {
    const row = this.#database.read((statements) => statements(approvalSql).get(approvalId));
    return row && this.#readApproval(row);
  }

  async effects(runId: string): Promise<readonly EffectRow[]> {
    const rows = this.#database.read((statements) => statements(effectsOfRunSql).all(runId));
    return rows.map((row) => this.#readEffect(row));
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
      throw new CorruptDatabaseError(this.#database.options.path, error);
    }
  }
}

type Cells = Readonly<Record<string, unknown>>;

function write(statements: Statements, runId: string, change: RowChange<unknown>): void {
  const { effect, approval, signal } = change;
  if (effect) {
    statements(writeEffectSql).run({
      ...effect,
      dispatcher: effect.dispatcher && JSON.stringify(effect.dispatcher),
      outcome: JSON.stringify(effect.outcome),
    });
  }
  if (approval) {
    statements(writeApprovalSql).run({
      ...approval,
      arguments: JSON.stringify(approval.arguments),
      preview: approval.preview && JSON.stringify(approval.preview),
    });
  }
  if (signal) addRunSignal(statements, runId, signal);
}
