import { spanAttribute, type SpanRecord } from '../trace/span.ts';
import {
  type Account,
  type CauseKind,
  isStep,
  textAttribute,
  waitsOf,
  workAccount,
} from './classify-span.ts';
import { chargeTime, type Charge, keyOf, type UsualWork } from './charge-time.ts';
import { allNodes, type SpanNode, spanTree } from './span-tree.ts';

/** What earlier traces say about how long things take. */
export interface UsualTimes {
  /** How many traces it was taken from. */
  readonly traces: number;
  /** How many of them are of the same kind. */
  readonly alike: number;
  readonly work: UsualWork;
  /** What is usually charged to an account with so many spans; undefined where too little is known. */
  usualUs(charge: Charge): number | undefined;
}

/** Fewer say nothing about what is usual. */
const minSamples = 3;

/** Kinds of which a trace without them has none, rather than nothing to compare. */
const mayBeAbsent: ReadonlySet<CauseKind> = new Set([
  'retry storm',
  'lock',
  'queue',
  'cold start',
  'idle',
]);

/** Traces of the same kind are compared first; without enough of them, all are. */
export function usualTimes(
  earlier: readonly (readonly SpanRecord[])[],
  ofSpans: readonly SpanRecord[],
): UsualTimes {
  const alike = tracesAlike(earlier, ofSpans);
  const compared = alike.length >= minSamples ? alike : earlier;
  const work = medianWork(earlier);
  const perSpan = new Map<string, number[]>();
  for (const spans of compared) {
    for (const charge of chargeTime(spans, work).charges) {
      addTo(perSpan, keyOf(charge), charge.us / Math.max(1, charge.spans.size));
    }
  }
  return {
    traces: compared.length,
    alike: alike.length,
    work,
    usualUs: (charge) => {
      if (compared.length < minSamples) return undefined;
      const values = perSpan.get(keyOf(charge)) ?? [];
      const isWork = !mayBeAbsent.has(charge.kind);
      // Other work that needed no cold start says nothing about this one.
      if (!isWork && compared !== alike) return undefined;
      if (isWork && values.length < minSamples) return usualOfWork(charge, work);
      const absent = isWork ? 0 : compared.length - values.length;
      const all = [...Array.from({ length: absent }, () => 0), ...values];
      return medianOf(all) * Math.max(1, charge.spans.size);
    },
  };
}

/** A failure is charged to the kind that its error names, but its work is still that of the tool. */
function usualOfWork(charge: Charge, work: UsualWork): number | undefined {
  let sum = 0;
  for (const span of charge.spans) {
    const us = work.get(keyOf(workAccount(span)));
    if (us === undefined) return undefined;
    sum += us;
  }
  return sum;
}

export function tracesAlike(
  earlier: readonly (readonly SpanRecord[])[],
  spans: readonly SpanRecord[],
): readonly (readonly SpanRecord[])[] {
  const wanted = kindOf(spans);
  return earlier.filter((trace) => kindOf(trace) === wanted);
}

/** What it began with; a run of a plan without a name has a name of its own and is known by its steps. */
function kindOf(spans: readonly SpanRecord[]): string {
  const name = rootNameOf(spans);
  const isNamedById = spans.some(
    (span) => span.name === name && name === `run ${textAttribute(span, spanAttribute.runId)}`,
  );
  if (!isNamedById) return name;
  const steps = spans.filter(isStep).map((step) => {
    return `${step.name} ${textAttribute(step, 'gen_ai.tool.name')}`;
  });
  return ['run', ...new Set(steps)].toSorted().join('\n');
}

export function rootNameOf(spans: readonly SpanRecord[]): string {
  const [first] = spans;
  const earliest = spans.reduce(
    (least, span) => (least && least.startedAtUs <= span.startedAtUs ? least : span),
    first,
  );
  return earliest?.name ?? '';
}

function medianWork(traces: readonly (readonly SpanRecord[])[]): UsualWork {
  const samples = new Map<string, number[]>();
  for (const spans of traces) {
    for (const node of allNodes(spanTree(spans))) {
      if (node.span.status === 'error') continue;
      addTo(samples, keyOf(accountOf(node)), ownWorkUs(node));
    }
  }
  const known = [...samples].filter(([, values]) => values.length >= minSamples);
  return new Map(known.map(([key, values]) => [key, medianOf(values)]));
}

function accountOf({ span }: SpanNode): Account {
  return workAccount(span);
}

/** Its duration without its waits and without what ran inside it. */
function ownWorkUs({ span, ownEndUs, children }: SpanNode): number {
  let us = span.durationUs;
  for (const wait of waitsOf(span)) us -= wait.us;
  let coveredUntilUs = span.startedAtUs;
  for (const child of children) {
    const untilUs = Math.min(child.ownEndUs, ownEndUs);
    us -= Math.max(0, untilUs - Math.max(coveredUntilUs, child.span.startedAtUs));
    coveredUntilUs = Math.max(coveredUntilUs, untilUs);
  }
  return Math.max(0, us);
}

function addTo(map: Map<string, number[]>, key: string, value: number): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
