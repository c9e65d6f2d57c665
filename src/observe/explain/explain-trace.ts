import type { SpanRecord } from '../trace/span.ts';
import { type Charge, chargeTime } from './charge-time.ts';
import {
  type CauseKind,
  causeKinds,
  errorTextOf,
  numberAttribute,
  serverOf,
  textAttribute,
} from './classify-span.ts';
import type { PathPiece } from './critical-path.ts';
import { type SpanNode, spanTree } from './span-tree.ts';
import { rootNameOf, tracesAlike, type UsualTimes, usualTimes } from './usual-times.ts';

export interface Cause {
  readonly kind: CauseKind;
  readonly subject: string;
  /** Time on the critical path. */
  readonly us: number;
  /** What it takes in earlier traces; null where too few are kept. */
  readonly usualUs: number | null;
  /** Part of the whole, 0 to 1. */
  readonly share: number;
  readonly spanIds: readonly string[];
}

interface PathStep {
  readonly spanId: string | null;
  readonly name: string;
  readonly startUs: number;
  readonly us: number;
}

interface ErrorPattern {
  readonly error: string;
  readonly spans: readonly string[];
  /** How many of the earlier traces have it. */
  readonly earlierTraces: number;
}

export interface TraceExplanation {
  readonly traceId: string;
  readonly name: string;
  readonly durationUs: number;
  /** The median of earlier traces that began alike; null where there are too few. */
  readonly usualDurationUs: number | null;
  readonly comparedTraces: number;
  /** How many of them are of the same plan or request. */
  readonly alikeTraces: number;
  /** The most unusual time first, where it is a part that matters; then the longest. */
  readonly causes: readonly Cause[];
  readonly criticalPath: readonly PathStep[];
  readonly errors: readonly ErrorPattern[];
  readonly decisions: readonly Decision[];
}

/** Causes and pieces of the path that are named; more would hide those that matter. */
const maxCauses = 8;
/** Shortening a smaller part would not be noticed. */
const minLeadingShare = 0.05;
/** Below this the time is what it usually is. */
const unusualFactor = 1.5;
const maxPathSteps = 24;
const maxErrors = 10;
const maxErrorLength = 160;

/**
 * Why a trace took as long as it did: its critical path, charged to causes and compared with earlier traces. What takes
 * long but always does comes after what takes longer than usual.
 */
export function explainTrace(
  spans: readonly SpanRecord[],
  earlier: readonly (readonly SpanRecord[])[],
): TraceExplanation {
  const name = rootNameOf(spans);
  const usual = usualTimes(earlier, spans);
  const { charges, path, durationUs } = chargeTime(spans, usual.work);
  const alike = tracesAlike(earlier, spans);
  const usualDurationUs =
    alike.length >= 3 ? Math.round(medianUs(alike.map((trace) => lengthOf(trace)))) : null;
  const leads = (cause: Weighed): boolean =>
    isUnusual(cause) && cause.us >= durationUs * minLeadingShare;
  const causes = mergeServers(charges, usual)
    .toSorted((a, b) => {
      const [first, second] = [leads(a), leads(b)];
      if (first !== second) return first ? -1 : 1;
      return (first ? b.excessUs - a.excessUs : b.us - a.us) || byKind(a, b);
    })
    .slice(0, maxCauses);
  return {
    traceId: spans[0]?.traceId ?? '',
    name,
    durationUs,
    usualDurationUs,
    comparedTraces: usual.traces,
    alikeTraces: usual.alike,
    causes: causes.map(({ kind, subject, us, usualUs, spanIds }) => {
      const share = durationUs === 0 ? 0 : us / durationUs;
      return { kind, subject, us, usualUs, share, spanIds };
    }),
    criticalPath: pathSteps(path),
    errors: errorPatterns(spans, earlier),
    decisions: decisionsOf(spans),
  };
}

type Weighed = Omit<Cause, 'share'> & { readonly excessUs: number };

export function isUnusual({ us, usualUs }: Pick<Cause, 'us' | 'usualUs'>): boolean {
  return usualUs === null || us >= usualUs * unusualFactor;
}

/** A tool counts as slow from so many times its usual work. */
const slowFactor = 1.5;

/** Where every tool of a server is slow and there are several, it is what they have in common that is slow. */
function mergeServers(charges: readonly Charge[], usual: UsualTimes): readonly Weighed[] {
  const weighed = charges.map((charge) => ({ charge, cause: weigh(charge, usual) }));
  const tools = weighed.filter(({ charge }) => charge.kind === 'slow tool');
  const merged = new Map<Charge, string>();
  for (const [server, ofServer] of Map.groupBy(tools, ({ charge }) => serverOfCharge(charge))) {
    if (server === undefined || ofServer.length < 2) continue;
    const areSlow = ofServer.every(({ cause }) => {
      return cause.usualUs !== null && cause.us >= cause.usualUs * slowFactor;
    });
    if (areSlow) for (const { charge } of ofServer) merged.set(charge, server);
  }
  const causes = weighed.filter(({ charge }) => !merged.has(charge)).map(({ cause }) => cause);
  for (const server of new Set(merged.values())) {
    const parts = weighed.filter(({ charge }) => merged.get(charge) === server);
    causes.push(
      sumOf(
        server,
        parts.map(({ cause }) => cause),
      ),
    );
  }
  return causes;
}

function sumOf(server: string, parts: readonly Weighed[]): Weighed {
  const sum = (value: (part: Weighed) => number): number =>
    parts.reduce((total, part) => total + value(part), 0);
  return {
    kind: 'dependency',
    subject: `server ${server}`,
    us: sum(({ us }) => us),
    usualUs: sum(({ usualUs }) => usualUs ?? 0),
    excessUs: sum(({ excessUs }) => excessUs),
    spanIds: parts.flatMap(({ spanIds }) => spanIds),
  };
}

function weigh(charge: Charge, usual: UsualTimes): Weighed {
  const usualUs = usual.usualUs(charge);
  return {
    kind: charge.kind,
    subject: charge.subject,
    us: charge.us,
    usualUs: usualUs === undefined ? null : Math.round(usualUs),
    excessUs: charge.us - (usualUs ?? 0),
    spanIds: [...charge.spans].map(({ spanId }) => spanId),
  };
}

function serverOfCharge({ spans }: Charge): string | undefined {
  const [first] = spans;
  return first && serverOf(first);
}

function byKind(a: Weighed, b: Weighed): number {
  return causeKinds.indexOf(a.kind) - causeKinds.indexOf(b.kind);
}

function pathSteps(path: readonly PathPiece[]): readonly PathStep[] {
  const fromUs = path[0]?.fromUs ?? 0;
  const steps = path.map(({ node, fromUs: startUs, untilUs, isAfterEnd }) => ({
    spanId: node?.span.spanId ?? null,
    name: node && !isAfterEnd ? node.span.name : 'waiting between spans',
    startUs: startUs - fromUs,
    us: untilUs - startUs,
  }));
  const longest = steps.toSorted((a, b) => b.us - a.us).slice(0, maxPathSteps);
  return longest.toSorted((a, b) => a.startUs - b.startUs);
}

function errorPatterns(
  spans: readonly SpanRecord[],
  earlier: readonly (readonly SpanRecord[])[],
): readonly ErrorPattern[] {
  const failed = spans.filter(({ status }) => status === 'error');
  const patterns = [...Map.groupBy(failed, errorKey)].map(([error, those]) => ({
    error,
    spans: [...new Set(those.map(({ name }) => name))],
    earlierTraces: earlier.filter((trace) =>
      trace.some((span) => span.status === 'error' && errorKey(span) === error),
    ).length,
  }));
  return patterns.slice(0, maxErrors);
}

/** Numbers and ids differ from case to case; what is left is the pattern. */
function errorKey(span: SpanRecord): string {
  const code = textAttribute(span, 'tutti.error.code');
  const text = code ?? errorTextOf(span);
  return text.replaceAll(/[0-9a-f]{8,}|\d+/gi, '#').slice(0, maxErrorLength);
}

function lengthOf(spans: readonly SpanRecord[]): number {
  const from = spans.reduce((least, span) => Math.min(least, span.startedAtUs), Infinity);
  const until = spans.reduce(
    (most, span) => Math.max(most, span.startedAtUs + span.durationUs),
    -Infinity,
  );
  return until - from;
}

function medianUs(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** One thing that an agent did or decided. */
interface Decision {
  readonly depth: number;
  readonly name: string;
  readonly operation: string;
  readonly outcome: string;
  readonly us: number;
  readonly tokens: number;
}

const maxDecisions = 200;

/** What happened below the agent, as a list in tree order; empty where no agent was at work. */
function decisionsOf(spans: readonly SpanRecord[]): readonly Decision[] {
  const decisions: Decision[] = [];
  const waiting = spanTree(spans).map((node) => ({ node, depth: 0, isInside: false }));
  for (let at = waiting.shift(); at && decisions.length < maxDecisions; at = waiting.shift()) {
    const { node, depth, isInside } = at;
    const operation = textAttribute(node.span, 'gen_ai.operation.name');
    const isShown = operation !== undefined && (isInside || operation === 'invoke_agent');
    if (isShown) decisions.push(decisionOf(node, { depth, operation }));
    const inside = { depth: isShown ? depth + 1 : depth, isInside: isInside || isShown };
    waiting.unshift(...node.children.map((child) => ({ node: child, ...inside })));
  }
  return decisions;
}

function decisionOf(
  { span }: SpanNode,
  { depth, operation }: Pick<Decision, 'depth' | 'operation'>,
): Decision {
  const inputTokens = numberAttribute(span, 'gen_ai.usage.input_tokens');
  return {
    depth,
    name: span.name,
    operation,
    outcome:
      textAttribute(span, 'tutti.agent.outcome') ?? (span.status === 'error' ? 'failed' : 'ok'),
    us: span.durationUs,
    tokens: inputTokens + numberAttribute(span, 'gen_ai.usage.output_tokens'),
  };
}
