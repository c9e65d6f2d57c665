import {
  keepModelDecision,
  readModelDecisions,
  type ModelDecision,
  type Settings,
} from '../config/index.ts';
import type { LocalModel, LocalModels } from '../contract/model/index.ts';
import { modelEntries } from './model-entries.ts';

const detectionMs = 5_000;

/** The servers of models on this machine, and what the user decided about each. */
export function localModelsHere({ home, models }: Settings): LocalModels {
  return {
    isNeeded: models.autodetect && modelEntries(models).length === 0,
    find: async () => {
      const found = await findHere();
      return Promise.all(
        found.map(async (endpoint) => describe(endpoint, await readModelDecisions(home))),
      );
    },
    decide: async ({ url, owner }, isAccepted) => {
      const decidedAt = new Date().toISOString();
      await keepModelDecision(home, { url, owner, isAccepted, decidedAt });
    },
  };
}

/** Those the user accepted, as long as the same user of the machine runs them. */
export async function acceptedModels(home: string) {
  const decisions = await readModelDecisions(home);
  // Without a decision nothing is reached at all.
  if (!decisions.some(({ isAccepted }) => isAccepted)) return [];
  const found = await findHere();
  return found.filter((endpoint) => decisionOn(endpoint, decisions)?.isAccepted === true);
}

async function findHere() {
  const { findLocalEndpoints } = await import('../models/index.ts');
  return findLocalEndpoints({ signal: AbortSignal.timeout(detectionMs) });
}

type Endpoint = Awaited<ReturnType<typeof findHere>>[number];

async function describe(
  endpoint: Endpoint,
  decisions: readonly ModelDecision[],
): Promise<LocalModel> {
  const { describeSocketOwner } = await import('../models/index.ts');
  const { name, url, owner, models } = endpoint;
  const isAccepted = decisionOn(endpoint, decisions)?.isAccepted ?? null;
  return { name, url, owner, ownerText: await describeSocketOwner(owner), models, isAccepted };
}

function decisionOn(
  { url, owner }: Pick<Endpoint, 'url' | 'owner'>,
  decisions: readonly ModelDecision[],
): ModelDecision | undefined {
  return decisions.find((one) => one.url === url && one.owner === owner);
}
