import type { LookAhead } from '../agent/recipes/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import type { Catalogue } from '../contract/catalogue/index.ts';
import { errorMetaKey } from '../contract/tool/index.ts';

/** Calls tools of ours that only read, to say before what a plan would take. */
export function lookAheadWith(catalogue: () => Pick<Catalogue, 'entries' | 'callTool'>): LookAhead {
  return async (tool, args, signal) => {
    const entry = (await catalogue().entries()).find(({ name }) => name === tool);
    if (entry?.isOwn !== true || entry.tool.annotations?.readOnlyHint !== true) {
      return { kind: 'error', code: 'toolbox.not_found', message: `There is no tool ${tool}` };
    }
    const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
    const result = await catalogue().callTool(entry.wireName, args, context);
    const content = result.structuredContent;
    if (result.isError !== true && content) return { kind: 'result', content };
    const report: { code?: unknown; message?: unknown } = Object(result._meta?.[errorMetaKey]);
    return { kind: 'error', code: String(report.code), message: String(report.message) };
  };
}
