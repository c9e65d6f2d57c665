import { z } from 'zod';
import type { Language } from '../../../contract/language/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { ToolFailedError } from '../errors.ts';
import { callForValue, type ToolCaller } from '../tool-caller.ts';

export interface Source {
  readonly language: Language;
  readonly text: string;
}

export type Formatted =
  | { readonly kind: 'formatted'; readonly text: string }
  | { readonly kind: 'refused'; readonly isSyntax: boolean; readonly why: string };

const formattedSchema = z.object({ formatted_code: z.string() });

/** Parses and formats a text; what is no valid text of its language is refused with line and column. */
export async function formatText(
  tools: ToolCaller,
  { language, text }: Source,
  context: CallContext,
): Promise<Formatted> {
  const args = { code: text, language };
  try {
    const request = { name: 'code.format_code', args, schema: formattedSchema };
    const { formatted_code } = await callForValue(tools, request, context);
    return { kind: 'formatted', text: formatted_code };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ToolFailedError)) throw error;
    return { kind: 'refused', isSyntax: error.toolCode === 'code.syntax_error', why: error.said };
  }
}

const reviewSchema = z.object({
  issues: z.array(
    z.object({
      severity: z.string(),
      area: z.string(),
      rule: z.string(),
      message: z.string(),
      line: z.number(),
    }),
  ),
});

const maxShown = 5;

export interface LintReport {
  readonly errors: number;
  readonly described: readonly string[];
}

/** What a review calls critical, and what makes code wrong; matters of taste do not count. */
export async function lintText(
  tools: ToolCaller,
  { language, text }: Source,
  context: CallContext,
): Promise<LintReport> {
  const args = { code: text, language, focus_areas: ['correctness', 'security'] };
  const request = { name: 'code.review_code', args, schema: reviewSchema };
  const { issues } = await callForValue(tools, request, context);
  const errors = issues.filter(
    ({ severity, area }) =>
      severity === 'critical' || (severity === 'major' && area === 'correctness'),
  );
  return {
    errors: errors.length,
    described: errors
      .slice(0, maxShown)
      .map(({ line, rule, message }) => `Line ${line}, ${rule}: ${message}`),
  };
}
