import { isDeepStrictEqual } from 'node:util';
import { isOneEffect, type PlanCandidate } from '../../../../contract/agent/index.ts';
import type { Json } from '../../../../contract/plan/index.ts';
import { AppError } from '../../../../kernel/index.ts';
import { showCall, type Approval } from '../../runs/shown-call.ts';
import type { TurnParts } from './take-turn.ts';

/** The only call of a plan, as it was shown before the plan was chosen. */
export interface ShownEffect {
  readonly tool: string;
  readonly arguments: Json;
  readonly preview?: string;
}

/** What the plans of one effect would do, by number; those whose arguments are not known yet are left out. */
export async function showEffects(
  candidates: readonly PlanCandidate[],
  parts: Pick<TurnParts, 'system' | 'signal'>,
): Promise<ReadonlyMap<number, ShownEffect>> {
  const shown = new Map<number, ShownEffect>();
  for (const [index, { plan }] of candidates.entries()) {
    const [{ tool = '', args = {} } = {}] = plan.steps;
    if (!isOneEffect(plan) || JSON.stringify(args).includes('${')) continue;
    const effect = await previewEffect(tool, args, parts);
    // What is not shown as a whole is asked about again.
    if (effect && !showCall(effect).isCut) shown.set(index + 1, effect);
  }
  return shown;
}

/** Undefined where the call would fail: the run says why. */
async function previewEffect(
  name: string,
  args: Readonly<Record<string, Json>>,
  { system, signal }: Pick<TurnParts, 'system' | 'signal'>,
): Promise<ShownEffect | undefined> {
  const [server = '', tool = ''] = name.split('.');
  try {
    const preview = await system.preview({ server, tool, args }, signal);
    return { tool: name, arguments: args, ...(preview && { preview: preview.text }) };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

export function describeEffects(shown: ReadonlyMap<number, ShownEffect>): string {
  const lines = [...shown].map(
    ([number, effect]) => `Plan ${number}:\n${showCall(effect).lines.join('\n')}\n`,
  );
  return lines.join('');
}

/** Whether an approval asks for exactly what was shown. */
export function isSameEffect(approval: Approval, shown: ShownEffect): boolean {
  const { tool, arguments: args, preview } = approval;
  return (
    tool === shown.tool && preview === shown.preview && isDeepStrictEqual(args, shown.arguments)
  );
}
