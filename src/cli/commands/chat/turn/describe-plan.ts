import type { AskOutcome } from '../../../../contract/agent/index.ts';
import type { Workflows } from '../../../../contract/run/index.ts';
import type { Paint } from '../../../output.ts';

export type PlanOutcome = Extract<AskOutcome, { readonly kind: 'plan' }>;

export interface PreviewParts {
  readonly workflows: Workflows;
  readonly paint: Paint;
  /** The terminal asks by itself. */
  readonly isAsked: boolean;
}

/** A plan that waits: how its steps hang together, where they do, and what they would do. */
export async function describePreview(
  { plan, preview, confidence }: PlanOutcome,
  { workflows, paint, isAsked }: PreviewParts,
): Promise<string> {
  const drawing = plan.steps.length > 1 ? await workflows.draw(plan, 'text') : '';
  const text = isAsked ? withoutQuestion(preview) : preview;
  const sureness = isAsked ? paint.dim(`confidence ${Math.round(confidence * 100)} %`) : '';
  const parts = [drawing.trimEnd(), text.trimEnd(), sureness];
  return parts.filter((part) => part !== '').join('\n');
}

/** The last line asks what the terminal asks by itself. */
function withoutQuestion(preview: string): string {
  const lines = preview.trimEnd().split('\n');
  return (lines.at(-1)?.startsWith('Run it?') ? lines.slice(0, -1) : lines).join('\n');
}
