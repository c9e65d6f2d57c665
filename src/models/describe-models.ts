import type { ModelDescription, ModelRole } from '../contract/model/index.ts';
import { orAborted } from '../kernel/index.ts';
import type { CoolDowns } from './ask/cool-downs.ts';
import type { ModelPool, PooledModel } from './ask/model-pool.ts';
import type { TextModel } from './text-model.ts';

const roles: readonly ModelRole[] = ['code', 'agent'];

/** Every model, asked whether it is there. */
export async function describeModels(
  pool: ModelPool,
  { coolDowns, probeMs }: { readonly coolDowns: CoolDowns; readonly probeMs: number },
): Promise<readonly ModelDescription[]> {
  const places = new Map<string, Partial<Record<ModelRole, number>>>();
  for (const role of roles) {
    for (const [index, { model }] of (await pool.ofRole(role)).entries()) {
      places.set(model.name, { ...places.get(model.name), [role]: index + 1 });
    }
  }
  const described = await Promise.all(
    (await pool.all()).map(async (one) => {
      const problem = await probe(one.model, probeMs);
      if (problem === null) coolDowns.answered(one.model.name);
      return describeOne(one, { roles: places.get(one.model.name) ?? {}, problem });
    }),
  );
  return [...described, ...(await describeMissing(pool))];
}

/** What a role asks for and nobody has: a slip in the settings that would silently leave the role without a model. */
async function describeMissing(pool: ModelPool): Promise<readonly ModelDescription[]> {
  const askedBy = new Map<string, string>();
  for (const role of roles) {
    for (const name of await pool.missingNames(role)) askedBy.set(name, `models.roles.${role}`);
  }
  return [...askedBy].map(([name, setting]) => ({
    name,
    provider: null,
    model: null,
    url: null,
    source: 'configured',
    roles: {},
    contextTokens: null,
    isReachable: false,
    problem: `${setting} asks for it, but it is not in models.providers and was not found on this machine; correct the name or start it`,
  }));
}

export function describeOne(
  { model, source }: PooledModel,
  state: { readonly roles: ModelDescription['roles']; readonly problem: string | null },
): ModelDescription {
  return {
    name: model.name,
    provider: model.provider,
    model: model.model,
    url: model.url,
    source,
    roles: state.roles,
    contextTokens: model.contextTokens,
    isReachable: state.problem === null,
    ...(state.problem === null ? {} : { problem: state.problem }),
  };
}

async function probe(model: TextModel, probeMs: number): Promise<string | null> {
  const signal = AbortSignal.timeout(probeMs);
  try {
    return (await orAborted(model.probe(signal), signal)).problem;
  } catch (error) {
    if (signal.aborted) return `it did not respond within ${probeMs} ms`;
    return error instanceof Error ? error.message : String(error);
  }
}
