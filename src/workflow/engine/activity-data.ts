import type { ArtifactRef } from '../../contract/artifact/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json } from '../../contract/plan/index.ts';

/**
 * A value a step gave: the value itself, or a place within an artifact. Following a reference into an
 * artifact makes the path longer and loads nothing; only activities load.
 */
export type Held =
  /** With `holes`: places in it that lie in artifacts (the list of a `forEach`, the output of a sub-plan). */
  | { readonly value: Json; readonly holes?: readonly Hole[] }
  | { readonly artifact: ArtifactRef; readonly path: readonly (string | number)[] };

/** A place in arguments that is filled from artifacts when they are used. */
export interface Hole {
  readonly at: readonly (string | number)[];
  /**
   * One held value takes the place as it is; several parts are put together to a text. What is inline
   * stands in the value already, so held values here are places in artifacts, or have holes themselves.
   */
  readonly parts: readonly (string | Held)[];
}

/** A template whose references were followed. */
export interface Resolved {
  readonly value: Json;
  /** Absent when `value` is complete. */
  readonly holes?: readonly Hole[];
}

/** Times are milliseconds since the epoch. */
interface Span {
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface CallInput {
  /** Path of the step: `tests`, `build[3]`, `outer/inner`. */
  readonly step: string;
  /** From 1. */
  readonly attempt: number;
  /** `server.tool`. */
  readonly tool: string;
  readonly args: Resolved;
  /** What the plan says about repeating it; the tool's annotations count where it says nothing. */
  readonly effect?: 'read' | 'idempotent' | 'once';
  readonly timeoutMs?: number;
  readonly approvalId?: string;
  readonly cache?: { readonly ttlMs: number | null };
  readonly reconcile?: {
    readonly tool: string;
    readonly args: Resolved;
    /** Over `${result…}`. */
    readonly happened: string;
    readonly output?: Json;
    /** How long after the call was given up "not found" is final. */
    readonly finalAfterMs?: number;
  };
}

/** `unknown`: an effect was sent and its outcome is not known; it must not be repeated. */
export type CallOutcome =
  | ({
      readonly kind: 'succeeded';
      readonly held: Held;
      /** The tool's own words about its result, cut; absent where `held` says it all. */
      readonly text?: string;
      readonly isCached?: true;
    } & Span)
  | ({ readonly kind: 'failed'; readonly error: ErrorReport; readonly isRetryable: boolean } & Span)
  | ({ readonly kind: 'unknown'; readonly effectId: string; readonly message: string } & Span);

export interface ApproveInput {
  readonly step: string;
  /** Null for a gate without a call. */
  readonly tool: string | null;
  readonly args: Resolved;
  /** The question to the person who decides; what is no text is shown as JSON. */
  readonly message?: Resolved;
  readonly expiresMs?: number;
}

export type ApproveOutcome =
  | {
      readonly kind: 'asked';
      readonly approvalId: string;
      readonly expiresInMs: number;
      readonly startedAt: number;
    }
  | { readonly kind: 'failed'; readonly error: ErrorReport };

/** Payload of the signal `approval:ID`. */
export interface ApprovalVerdict {
  readonly verdict: 'approved' | 'denied';
  readonly by: string;
  readonly reason?: string;
  /** When it was decided, milliseconds since the epoch. */
  readonly atMs?: number;
}

export type LookInput =
  | {
      readonly kind: 'condition';
      readonly text: string;
      readonly held: Readonly<Record<string, Held>>;
    }
  | { readonly kind: 'count'; readonly list: Held };

export type LookOutcome =
  | { readonly kind: 'condition'; readonly holds: boolean }
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'failed'; readonly error: ErrorReport };
