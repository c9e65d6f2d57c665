import type { Caller } from '../../contract/caller/index.ts';
import type { CallFacts } from '../../contract/server/index.ts';

export interface StepSpanStart {
  /** `step PATH`. */
  readonly name: string;
  readonly kind: 'internal';
  readonly attributes: Readonly<Record<string, string | number>>;
  /** `_meta` of the run: may carry the `traceparent` it belongs to. */
  readonly parentMeta: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

export interface StepSpan {
  setAttributes(attributes: CallFacts): void;
  fail(message: string): void;
  cancel(): void;
  /** Trace context for the call of the step, to be merged into its `_meta`. */
  outgoingMeta(): object;
}

/** The port to tracing: every step runs inside a span. */
export interface StepTracer {
  traced<Result>(start: StepSpanStart, work: (span: StepSpan) => Promise<Result>): Promise<Result>;
}
