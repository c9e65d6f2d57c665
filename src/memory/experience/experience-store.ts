import type { Caller } from '../../contract/caller/index.ts';
import type { Attempt, Change, Failure } from '../../contract/experience/index.ts';

/** A failure with the attempt it belongs to, as it is kept. */
export interface StoredFailure extends Omit<Failure, 'wasSuggested'> {
  readonly target: string;
  /** The error without what differs between failures of one kind. */
  readonly normalised: string;
  readonly attempt: Pick<Attempt, 'arguments' | 'surroundings'>;
  /** Fixes that were suggested for it, or used. */
  readonly suggested?: readonly string[];
}

/** What a later attempt did differently when it succeeded. */
export interface LearnedFix {
  readonly id: string;
  readonly signature: string;
  readonly subject: string;
  /** The error it is for. */
  readonly normalised: string;
  readonly changes: readonly Change[];
}

export interface FixUse {
  readonly fixId: string;
  readonly failureId: string | null;
  readonly atMs: number;
  readonly isCured: boolean;
}

/** The latest uses of a fix, latest first. */
export interface FixRecord {
  readonly uses: readonly FixUse[];
  readonly isApproved: boolean;
  /** Of all uses, also those that are not in `uses`. */
  readonly totals: { readonly uses: number; readonly cures: number };
}

/**
 * Where failures and fixes are kept. A caller sees its own only.
 *
 * 1. Reads do not create the database.
 * 2. A caller keeps the latest failures, fixes, and uses of each fix, as many as the limits say.
 */
export interface ExperienceStore {
  addFailure(caller: Caller, failure: StoredFailure, maxFailures: number): Promise<void>;
  /** By id or a unique beginning of it. */
  find(caller: Caller, id: string): Promise<StoredFailure | undefined>;
  /** Those of a run, latest first. */
  ofRun(caller: Caller, runId: string): Promise<readonly StoredFailure[]>;
  list(caller: Caller, limit: number): Promise<readonly StoredFailure[]>;
  /** Not cured, of this target, latest first. */
  open(caller: Caller, target: string, limit: number): Promise<readonly StoredFailure[]>;
  /** Targets with failures that are not cured. */
  openTargets(caller: Caller, limit: number): Promise<readonly string[]>;
  seen(
    caller: Caller,
    signature: string,
  ): Promise<{ readonly count: number; readonly lastAt: string | null }>;
  /** Adds these fixes to those that were suggested for an open failure. */
  noteSuggested(caller: Caller, failureId: string, fixIds: readonly string[]): Promise<void>;
  /** Every failure of the target that is open is cured by this. */
  settle(
    caller: Caller,
    target: string,
    cure: { readonly fixId: string; readonly at: string },
  ): Promise<void>;
  /** Keeps the latest `maxFixes` of the caller. */
  addFix(
    caller: Caller,
    fix: LearnedFix,
    terms: { readonly atMs: number; readonly maxFixes: number },
  ): Promise<void>;
  approve(caller: Caller, fixId: string, isApproved: boolean): Promise<void>;
  fix(caller: Caller, fixId: string): Promise<LearnedFix | undefined>;
  /** Learned for this signature, or, where none is given, all; latest first. */
  fixes(
    caller: Caller,
    filter: { readonly signature?: string; readonly subject?: string },
    limit: number,
  ): Promise<readonly LearnedFix[]>;
  /** Keeps the latest `maxUses` of the fix. */
  addUse(caller: Caller, use: FixUse, maxUses: number): Promise<void>;
  record(caller: Caller, fixId: string, maxUses: number): Promise<FixRecord>;
  /** Ids of all fixes with uses, the latest used first. */
  used(caller: Caller, limit: number): Promise<readonly string[]>;
}
