import { z } from 'zod';
import type { CallContext } from '../contract/server/index.ts';
import {
  approvedBasisMetaKey,
  type EffectPreview,
  idempotencyMetaKey,
  reconcileMetaKey,
  type ToolAnnotations,
} from '../contract/tool/index.ts';
import type { DefinedTool } from './define-tool.ts';
import { ApprovalOutdatedError, ChangedOnDiskError, InvalidArgumentsError } from './errors.ts';

export type Basis = EffectPreview['basis'];

/** A tool that changes something, and shows beforehand what. */
export interface EffectTool extends DefinedTool {
  preview(args: unknown, context: Pick<CallContext, 'signal'>): Promise<EffectPreview>;
}

export function effectTool<Input extends z.ZodType>(
  tool: DefinedTool,
  input: Input,
  preview: (request: z.output<Input>, signal: AbortSignal) => Promise<EffectPreview>,
): EffectTool {
  return {
    ...tool,
    declare() {
      const declared = tool.declare();
      // The journal knows a call by its key: sent again after a crash it is the same call.
      return { ...declared, _meta: { ...declared._meta, [reconcileMetaKey]: { repeat: true } } };
    },
    async preview(args, { signal }) {
      const request = input.safeParse(args ?? {});
      if (!request.success) {
        throw new InvalidArgumentsError(tool.name, [z.prettifyError(request.error)]);
      }
      return preview(request.data, signal);
    },
  };
}

/**
 * Throws when what a person approved was made from something else than there is now. `reasons` has what to say
 * about parts of the basis that are not files.
 */
export function assertApprovedBasis(
  current: Basis,
  { meta }: Pick<CallContext, 'meta'>,
  reasons: Readonly<Record<string, string>> = {},
): void {
  const approved: unknown = meta[approvedBasisMetaKey];
  if (typeof approved !== 'object' || approved === null) return;
  const shown = new Map<string, unknown>(Object.entries(approved));
  const names = [...new Set([...Object.keys(current), ...shown.keys()])];
  const changed = names.filter((name) => shown.get(name) !== current[name]);
  const reason = changed.map((name) => reasons[name]).find((text) => text !== undefined);
  if (reason !== undefined) throw new ApprovalOutdatedError(reason);
  if (changed.length > 0) throw new ChangedOnDiskError(changed, 'since the change was shown');
}

/** The key by which a plan names this very call, if one does. */
export function idempotencyKey({ meta }: Pick<CallContext, 'meta'>): unknown {
  return meta[idempotencyMetaKey];
}

export const readOnlyAnnotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const effectAnnotations: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};
