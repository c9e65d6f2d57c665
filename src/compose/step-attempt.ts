import type { FailedAttempt } from '../contract/experience/index.ts';
import { recordOf } from '../kernel/index.ts';
import type { ActivityRequest, CallInput, CallOutcome } from '../workflow/engine/index.ts';
import { surroundingsOf } from './record-attempts.ts';

export interface PlanFacts {
  readonly name: string;
  /** Steps that wait for corrected arguments when they fail. */
  readonly repaired: ReadonlySet<string>;
}

/** A call of a step as an attempt: the same target in every run of the plan. */
export function attemptOf(
  request: ActivityRequest,
  outcome: CallOutcome,
  { plan, version }: { readonly plan: PlanFacts; readonly version: string },
) {
  // Made by the interpreter for this activity.
  const { step, tool, args } = request.input as unknown as CallInput;
  const attempt = {
    kind: kindOfTool(tool, 'step'),
    subject: tool,
    target: `${plan.name}/${step}`,
    arguments: args.value,
    surroundings: surroundingsOf(version),
    runId: request.runId,
    step,
    ...traceOf(request.meta),
  } as const;
  if (outcome.kind === 'failed') return { ...attempt, error: outcome.error };
  if (outcome.kind === 'unknown') {
    const error = { code: 'fleet.outcome_unknown', message: outcome.message, details: {} };
    return { ...attempt, error };
  }
  const failed = failedProgram(tool, 'value' in outcome.held ? outcome.held.value : null);
  return failed ? { ...attempt, ...failed } : attempt;
}

export function kindOfTool<Other extends FailedAttempt['kind']>(tool: string, other: Other) {
  if (tool === 'exec.run_tests') return 'tests';
  return tool.startsWith('exec.') ? 'program' : other;
}

/** The trace of the run, as W3C trace context writes it. */
function traceOf(meta: ActivityRequest['meta']): { readonly traceId?: string } {
  const header = meta?.['traceparent'];
  const traceId = typeof header === 'string' ? header.split('-')[1] : undefined;
  return traceId === undefined ? {} : { traceId };
}

/** Our own tools that run programs and tests succeed when these fail: the result says it. */
export function failedProgram(
  tool: string,
  value: unknown,
): Pick<FailedAttempt, 'error' | 'exitCode'> | undefined {
  if (!tool.startsWith('exec.')) return undefined;
  const {
    ok,
    status,
    exitCode,
    reason,
    stdout = '',
    stderr = '',
    problem = '',
    driver,
  } = recordOf(value);
  const isFailed =
    ok === false ||
    status === 'killed' ||
    status === 'signalled' ||
    (typeof exitCode === 'number' && exitCode !== 0);
  if (!isFailed) return undefined;
  const killed = typeof reason === 'string' ? `killed: ${reason}` : '';
  const parts = [killed, problem, stderr, stdout, driver].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  const error = { code: 'workflow.tool_failed', message: parts.join('\n'), details: {} };
  return { error, ...(typeof exitCode === 'number' && { exitCode }) };
}
