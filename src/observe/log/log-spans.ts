import type { LogFields } from '../../kernel/index.ts';
import { spanAttribute, type AttributeValue, type SpanRecord } from '../trace/span.ts';
import type { RunningLog } from './create-log.ts';

/** Lines a second about finished spans; beyond it they are counted. */
export const maxSpanLines = 200;

type SpanLogTarget = Pick<RunningLog, 'debug' | 'warn' | 'isWritten'>;

const secondMs = 1_000;

/** Which span is which event, by its operation or the attribute that only it has. */
const events: readonly (readonly [
  event: string,
  isIt: (attributes: SpanRecord['attributes']) => boolean,
])[] = [
  ['step', (attributes) => attributes['tutti.step.attempt'] !== undefined],
  ['call', (attributes) => attributes['gen_ai.operation.name'] === 'execute_tool'],
  ['agent', (attributes) => attributes['gen_ai.operation.name'] === 'invoke_agent'],
  ['model turn', (attributes) => attributes['gen_ai.operation.name'] === 'chat'],
];

/** What a line repeats of a span: names, codes and numbers, never arguments, results or texts of errors. */
const shown: readonly (readonly [field: string, attribute: string])[] = [
  ['tool', 'gen_ai.tool.name'],
  ['server', 'tutti.server'],
  ['face', 'tutti.face'],
  ['agent', 'gen_ai.agent.name'],
  ['model', 'gen_ai.request.model'],
  ['attempt', 'tutti.step.attempt'],
  ['outcome', 'tutti.step.outcome'],
  ['outcome', 'tutti.agent.outcome'],
];

/** One line for each call, step, task of an agent and turn of a model: failed ones as warnings, the rest at level debug. */
export class SpanLog {
  readonly #log: SpanLogTarget;
  #lines = 0;
  #omitted = 0;
  #isCounting = false;

  constructor(log: SpanLogTarget) {
    this.#log = log;
  }

  write(span: SpanRecord, runId: string | undefined): void {
    const isFailed = span.status === 'error';
    const level = isFailed ? 'warn' : 'debug';
    // First what costs nothing: it is asked for each call.
    if (!this.#log.isWritten(level)) return;
    const event = events.find(([, isIt]) => isIt(span.attributes))?.[0];
    if (event === undefined || !this.#mayWrite()) return;
    this.#log[level](`${event} ${isFailed ? 'failed' : 'ended'}`, fieldsOf(span, runId));
  }

  #mayWrite(): boolean {
    if (!this.#isCounting) setTimeout(() => this.#endSecond(), secondMs).unref();
    this.#isCounting = true;
    this.#lines += 1;
    if (this.#lines <= maxSpanLines) return true;
    this.#omitted += 1;
    return false;
  }

  #endSecond(): void {
    const count = this.#omitted;
    this.#isCounting = false;
    this.#lines = 0;
    this.#omitted = 0;
    if (count > 0) this.#log.warn('lines about calls and steps left out', { count });
  }
}

function fieldsOf(span: SpanRecord, runId: string | undefined): LogFields {
  const { traceId, spanId, name, attributes, durationUs, callerId } = span;
  const fields: Record<string, AttributeValue> = { traceId, spanId };
  if (runId !== undefined) fields['runId'] = runId;
  if (name.startsWith('step ')) fields['step'] = name.slice('step '.length);
  for (const [field, attribute] of shown) {
    const value = attributes[attribute];
    if (value !== undefined) fields[field] = value;
  }
  fields['ms'] = Math.round(durationUs / 1_000);
  fields['caller'] = callerId;
  const code = attributes['tutti.error.code'] ?? attributes[spanAttribute.errorType];
  if (code !== undefined) fields['code'] = code;
  if (attributes[spanAttribute.cancelled] === true) fields['isCancelled'] = true;
  return fields;
}
