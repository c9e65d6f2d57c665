import type { ErrorReport } from '../error/index.ts';

/** A JSON Schema (2020-12) document as it goes over the wire. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a client may assume about a tool before it calls it (MCP tool annotations). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as `tools/list` shows it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** One block of a tool's or prompt's content, as MCP defines it; passed on untouched. */
export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/** What `tools/call` returns. A failed tool is a result with `isError`, not a protocol error. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
  /**
   * `input_required` or `task`: the call is not over, `content` is empty, and what the client needs
   * is in the other members. Only callers that take deferred results get one.
   */
  readonly resultType?: string;
}

/** Where a failed tool result carries its stable code: `_meta[errorMetaKey] = {code, message, details}`. */
export const errorMetaKey = 'tutti/error';

/** Where a result that was made for an earlier call says so: `_meta[cacheMetaKey] = {hit: true, ageMs}`. */
export const cacheMetaKey = 'tutti/cache';

/** Where a tool keeps sentences a user might say when they want it: `_meta[examplesMetaKey]: string[]`. */
export const examplesMetaKey = 'tutti/examples';

/** Where a tool says that without a model it gives a template only: `_meta[needsModelMetaKey]: true`. */
export const needsModelMetaKey = 'tutti/needsModel';

/** Where a call of a plan carries the key by which a server knows a call it was sent before. */
export const idempotencyMetaKey = 'tutti/idempotencyKey';

/**
 * Where a tool names another of its server that knows what became of a call: `_meta[…] = {tool}`. That one
 * takes `{idempotency_key}` and gives `{state: 'happened' | 'not_happened' | 'unknown', result?}`. With
 * `{repeat: true}` the tool itself knows a call by its key: sent again, it is the same call.
 */
export const reconcileMetaKey = 'tutti/reconcile';

/** What a call would do, for the person who approves it. */
export interface EffectPreview {
  readonly text: string;
  /** Not all that would change is in the text, such as what a binary file would hold. */
  readonly isCut?: true;
  /** What the text was made from, by name. A call that carries it is refused when that is another now. */
  readonly basis: Readonly<Record<string, string | null>>;
  /** The call would only look: no approval is asked for, and the basis keeps it at that. */
  readonly changesNothing?: boolean;
}

/** Shows what a call would do; undefined for tools that cannot. Throws what the call would throw. */
export type PreviewEffect = (
  call: { readonly server: string; readonly tool: string; readonly args: unknown },
  signal: AbortSignal,
) => Promise<EffectPreview | undefined>;

/**
 * Where a call of a plan carries what its approved preview was made from, as the tool itself gave it with the
 * preview. A tool that has previews refuses when that is another now.
 */
export const approvedBasisMetaKey = 'tutti/approvedBasis';

/** Marks results made in this process: nothing that comes over a wire can have it. */
const ownFailure = Symbol('own failure');

/** The result of a tool that failed: readable for a model, its code in `_meta` for a program. */
export function failedToolResult(report: ErrorReport): ToolResult {
  const result = {
    content: [{ type: 'text', text: `${report.code}: ${report.message}` }],
    isError: true,
    _meta: { [errorMetaKey]: report },
    [ownFailure]: true,
  };
  return result;
}

/** Whether the code in a failed result is ours, and not what a server outside says. */
export function isOwnFailure(result: ToolResult): boolean {
  return ownFailure in result;
}
