import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus } from '../../contract/run/index.ts';
import { reportError } from '../../kernel/index.ts';

/** What an end is recorded as. */
export interface FinalEnd {
  readonly status: RunStatus;
  readonly outcome: Json;
}

/** The end of a run that the engine itself lets fail. */
export function failure(error: unknown): FinalEnd {
  const { code, message, details } = reportError(error);
  // Details are plain JSON, as `AppError` says.
  const report = { code, message, details: details as Readonly<Record<string, Json>> };
  return { status: 'failed', outcome: { kind: 'failed', step: null, error: { ...report } } };
}
