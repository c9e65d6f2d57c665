import { failedToolResult, type ToolResult } from '../../../src/contract/tool/index.ts';
import type { EffectRow } from '../../../src/workflow/effects/effect-ports.ts';
import { gives, type Workbench } from './a-workbench.ts';
import { anEffectRow } from './rows.ts';

export const paid = { run: () => gives({ paid: true }) };
export const succeeded = { kind: 'succeeded', held: { value: { paid: true } } };
export const unknown = { kind: 'unknown', effectId: 'run1:a:0' };

export async function rowOf(bench: Workbench): Promise<EffectRow | undefined> {
  return (await bench.store.effects.effects('run1'))[0];
}

/** Leaves the ledger as a process that died left it. */
export async function leave(bench: Workbench, changes: Partial<EffectRow>): Promise<void> {
  const effect = anEffectRow({ step: 'a', id: 'run1:a:0', tool: 's.t', server: 's', ...changes });
  const place = { runId: 'run1', step: 'a', durability: 'full' } as const;
  await bench.store.effects.change(place, () => ({ effect, result: null }));
}

/** A tool that fails with this code. */
export function failing(code: string, details = {}): () => ToolResult {
  return () => failedToolResult({ code, message: 'lost', details });
}
