import type { SpanRecord } from '../trace/span.ts';
import { numberAttribute, textAttribute } from './classify-span.ts';
import { type SpanNode, spanTree } from './span-tree.ts';

/** One thing that an agent did or decided. */
export interface Decision {
  readonly depth: number;
  readonly name: string;
  readonly operation: string;
  readonly outcome: string;
  readonly us: number;
  readonly tokens: number;
}

const maxDecisions = 200;

/** What happened below the agent, as a list in tree order; empty where no agent was at work. */
export function decisionsOf(spans: readonly SpanRecord[]): readonly Decision[] {
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
