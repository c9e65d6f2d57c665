import type { Waiting } from '../../../contract/run/index.ts';
import { digestJson, outlineJson } from '../../../kernel/index.ts';
import { singleLine } from '../../printable.ts';

export type Approval = Extract<Waiting, { readonly kind: 'approval' }>;

/** What a person reads before they decide; longer values are cut in their middle, and shown when asked for. */
const limits = { maxValueChars: 1_000, maxLines: 200 };
const codeChars = 8;

/** A call that waits for approval, as it is shown. */
export interface ShownCall {
  readonly lines: readonly string[];
  /** Not all of it is in the lines: it is approved only after all of it was shown. */
  readonly isCut: boolean;
}

type Call = Pick<Approval, 'tool' | 'arguments'> & Partial<Pick<Approval, 'preview' | 'isPartial'>>;

export function showCall({ tool, preview, arguments: args, isPartial }: Call): ShownCall {
  if (tool === null) return { lines: [], isCut: false };
  // A preview shows what the arguments do, which says more than they do themselves.
  if (preview !== undefined) {
    const lines = [`  It calls ${singleLine(tool)}:`, preview.trimEnd()];
    return { lines, isCut: false };
  }
  const { lines, isCut } = outlineJson(args, limits);
  const [first = '', ...more] = lines.map(singleLine);
  const head = `  It calls ${singleLine(tool)} with`;
  const shown =
    more.length === 0
      ? [`${head} ${first}`]
      : [`${head}:`, ...[first, ...more].map((line) => `    ${line}`)];
  return { lines: shown, isCut: isCut || isPartial === true };
}

/** All of it. */
export function wholeCall({ tool, arguments: args, isPartial }: Approval): string {
  const text = JSON.stringify(args, null, 2) ?? 'null';
  const stored = isPartial ? '\nWhat is stored: tutti call workflow.read_artifact id=ID' : '';
  return `${singleLine(tool ?? '')} is called with:\n${text}${stored}`;
}

/** What only those know who were shown all of it. */
export function seenCode({ approvalId, arguments: args }: Approval): string {
  return digestJson([approvalId, args]).slice(-codeChars);
}
