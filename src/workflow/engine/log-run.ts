import { recordOf, type Log, type LogFields } from '../../kernel/index.ts';
import type { RunRecord } from './run-store.ts';

/** A run that has history goes on: after a wait, or after the process that executed it. */
export function logRunBegan(
  log: Log,
  run: RunRecord,
  { hasHistory }: { readonly hasHistory: boolean },
): void {
  if (hasHistory) log.debug('run resumed', fieldsOf(run));
  else log.info('run started', fieldsOf(run));
}

/** Names and codes only: the outcome itself holds results. */
export function logRunEnded(
  log: Log,
  run: RunRecord,
  { status, outcome }: Pick<RunRecord, 'status' | 'outcome'>,
): void {
  const fields = { ...fieldsOf(run), status };
  if (status !== 'failed') return log.info('run ended', fields);
  const { step, error } = recordOf(outcome);
  log.warn('run failed', { ...fields, step, code: recordOf(error)['code'] });
}

/** The engine commits several runs in one tick, so the active span may be that of another run. */
function fieldsOf({ runId, plan, meta, callerId }: RunRecord): LogFields {
  const header = meta['traceparent'];
  const traceId = typeof header === 'string' ? header.split('-')[1] : undefined;
  const { name } = plan;
  return {
    ...(traceId !== undefined && { traceId }),
    runId,
    ...(name !== undefined && { plan: name }),
    caller: callerId,
  };
}
