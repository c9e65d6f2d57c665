import signs from './error-signs.json' with { type: 'json' };
import { spanAttribute, type SpanRecord } from '../trace/span.ts';

/** What may make a trace slow. The order says which is named first where two cost the same. */
export const causeKinds = [
  'retry storm',
  'lock',
  'queue',
  'cold start',
  'disk',
  'dependency',
  'model',
  'slow tool',
  'memory',
  'sandbox',
  'own work',
  'idle',
] as const;

export type CauseKind = (typeof causeKinds)[number];

/** What time is charged to. */
export interface Account {
  readonly kind: CauseKind;
  /** The tool, server, model … */
  readonly subject: string;
}

export function textAttribute({ attributes }: SpanRecord, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberAttribute({ attributes }: SpanRecord, name: string): number {
  const value = attributes[name];
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** Attributes that tell how long a span waited before its work, in the order in which that happens. */
const waits: readonly (readonly [attribute: string, kind: CauseKind])[] = [
  ['tutti.queue.wait_ms', 'queue'],
  ['tutti.server.start_ms', 'cold start'],
  ['tutti.sandbox.start_ms', 'cold start'],
];

export interface Wait extends Account {
  readonly us: number;
}

export function waitsOf(span: SpanRecord): readonly Wait[] {
  return waits.flatMap(([attribute, kind]) => {
    const us = numberAttribute(span, attribute) * 1_000;
    if (us === 0) return [];
    const isSandbox = attribute.startsWith('tutti.sandbox');
    return [{ kind, subject: isSandbox ? 'sandbox' : (serverOf(span) ?? span.name), us }];
  });
}

const modelOperations = new Set(['chat', 'generate_content', 'text_completion', 'embeddings']);

/** What the span's own work is charged to. */
export function workAccount(span: SpanRecord): Account {
  const operation = textAttribute(span, 'gen_ai.operation.name');
  if (operation !== undefined && modelOperations.has(operation)) {
    return { kind: 'model', subject: textAttribute(span, 'gen_ai.request.model') ?? span.name };
  }
  if (operation === 'execute_tool') {
    return { kind: 'slow tool', subject: textAttribute(span, 'gen_ai.tool.name') ?? span.name };
  }
  if (operation?.endsWith('_memory')) return { kind: 'memory', subject: span.name };
  if (span.kind === 'client') {
    const address = textAttribute(span, 'server.address');
    return { kind: 'dependency', subject: address ?? span.name };
  }
  if (span.name.startsWith('sandbox ')) return { kind: 'sandbox', subject: span.name };
  // What a step does itself, beside its call, is to write to the journal.
  if (isStep(span)) return { kind: 'disk', subject: 'the journal of runs' };
  return { kind: 'own work', subject: span.name };
}

export function isStep(span: SpanRecord): boolean {
  return numberAttribute(span, 'tutti.step.attempt') > 0;
}

export function serverOf(span: SpanRecord): string | undefined {
  return textAttribute(span, 'tutti.server');
}

const patterns = signs.map(({ kind, pattern }) => ({ kind, expression: new RegExp(pattern, 'i') }));

export function errorTextOf(span: SpanRecord): string {
  const parts = [
    textAttribute(span, spanAttribute.errorType),
    textAttribute(span, 'tutti.error.code'),
    span.statusMessage,
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** What a failure itself says about its cause. */
export function errorSign(span: SpanRecord): CauseKind | undefined {
  if (span.status !== 'error') return undefined;
  const text = errorTextOf(span);
  const sign = patterns.find(({ expression }) => expression.test(text));
  return causeKinds.find((kind) => kind === sign?.kind);
}
