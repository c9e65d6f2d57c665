import { blankUnseen, pluralize } from '../../kernel/index.ts';
import { formatUs } from '../trace/format-trace.ts';
import { type Cause, isUnusual, type TraceExplanation } from './explain-trace.ts';

/** Sentences about each kind of cause, for people. */
const meanings: Readonly<Record<Cause['kind'], string>> = {
  'retry storm': 'failed attempts and the pauses between them',
  lock: 'waiting for a lock, or for calls that cannot run side by side',
  queue: 'waiting for a free slot',
  'cold start': 'starting a server or a sandbox',
  disk: 'writing to disk',
  dependency: 'what the server depends on was slow',
  model: 'the model',
  'slow tool': 'the tool itself',
  memory: 'looking through memory',
  sandbox: 'the program in the sandbox',
  'own work': 'work of Tutti itself',
  idle: 'nothing ran: an approval, a timer, or work outside of this trace',
};

export function formatExplanation(explained: TraceExplanation): string {
  const { traceId, name, durationUs, causes, usualDurationUs } = explained;
  const [first] = causes;
  const usual = usualDurationUs === null ? '' : ` (usually ${formatUs(usualDurationUs)})`;
  return [
    `trace ${traceId}  ${blankUnseen(name)}  ${formatUs(durationUs)}${usual}`,
    first
      ? `${headline(first)}: ${describe(first)}`
      : 'There is nothing to explain: it took no time.',
    comparison(explained),
    ...section('Where the time went', causes.map(causeLine)),
    ...section('Critical path', explained.criticalPath.map(pathLine)),
    ...section('Errors', explained.errors.map(errorLine(explained))),
    ...section('What the agent did', explained.decisions.map(decisionLine)),
  ].join('\n');
}

function headline(cause: Cause): string {
  return isUnusual(cause) ? 'Cause' : 'Nothing unusual. Most of the time';
}

function describe({ kind, subject, us, usualUs, share }: Cause): string {
  const usual = usualUs === null ? '' : `, usually ${formatUs(usualUs)}`;
  const part = `${Math.round(share * 100)} % of the time`;
  return `${kind}, ${blankUnseen(subject)}: ${meanings[kind]} (${formatUs(us)}${usual}; ${part})`;
}

function comparison({ comparedTraces, alikeTraces }: TraceExplanation): string {
  if (comparedTraces < 3) {
    return 'Too few earlier traces are kept to say what is usual, so the longest comes first.';
  }
  const compared = `Compared with ${pluralize(comparedTraces, 'earlier trace')}`;
  return alikeTraces === comparedTraces
    ? `${compared} of the same plan or request.`
    : `${compared} of other plans and requests: too few are of this one.`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function causeLine(cause: Cause): string {
  const { kind, subject, us, usualUs, share } = cause;
  const usual = usualUs === null ? '' : `  usually ${formatUs(usualUs)}`;
  const percent = `${Math.round(share * 100)} %`.padStart(6);
  return `${percent}  ${formatUs(us).padStart(9)}  ${kind}  ${blankUnseen(subject)}${usual}`;
}

function pathLine({ name, startUs, us }: TraceExplanation['criticalPath'][number]): string {
  return (
    `+${formatUs(startUs)}`.padStart(10) + `  ${formatUs(us).padStart(9)}  ${blankUnseen(name)}`
  );
}

function errorLine({ comparedTraces }: TraceExplanation) {
  return ({ error, spans, earlierTraces }: TraceExplanation['errors'][number]): string => {
    const before =
      earlierTraces === 0
        ? 'new: in no earlier trace'
        : `in ${earlierTraces} of ${Math.max(comparedTraces, earlierTraces)} earlier traces too`;
    return `${blankUnseen(error)}  (${blankUnseen(spans.join(', '))}; ${before})`;
  };
}

function decisionLine({
  depth,
  name,
  outcome,
  us,
  tokens,
}: TraceExplanation['decisions'][number]): string {
  const used = tokens > 0 ? `  ${pluralize(tokens, 'token')}` : '';
  return `${'  '.repeat(Math.min(depth, 16))}${blankUnseen(name)}  ${outcome}  ${formatUs(us)}${used}`;
}
