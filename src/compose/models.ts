import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { ModelRole, Models } from '../contract/model/index.ts';
import { countTokens, systemClock, type Log } from '../kernel/index.ts';
import type { ModelLimits, ModelPrice, TextModel } from '../models/index.ts';
import type { Store } from '../store/index.ts';
import { keepAnswersIn } from './keep-answers.ts';
import { acceptedModels } from './local-models.ts';
import { modelEntries, roleModels, type ConfiguredEntry } from './model-entries.ts';

export interface ModelsParts {
  readonly settings: Settings;
  readonly store: Pick<Store, 'spending'>;
  readonly log: Log;
  readonly artifacts: () => Promise<Pick<Artifacts, 'put' | 'release'>>;
}

/** The models of these settings; nothing of them is loaded before one is looked for or asked. */
export function modelsHere(parts: ModelsParts): Models {
  let opening: Promise<Models> | undefined;
  const open = (): Promise<Models> => (opening ??= openModels(parts));
  return {
    find: async (role, client) => (await open()).find(role, client),
    text: async (role, request, call) => (await open()).text(role, request, call),
    structured: async (role, request, call) => (await open()).structured(role, request, call),
    countTokens,
    list: async () => (await open()).list(),
    linkBudgets: async (caller, child, parent) => (await open()).linkBudgets(caller, child, parent),
    close: async () => (await opening)?.close(),
  };
}

async function openModels({ settings, store, log, artifacts }: ModelsParts): Promise<Models> {
  const { models } = settings;
  const room = await import('../models/index.ts');
  const limits: ModelLimits = {
    ...room.defaultModelLimits,
    callMs: models.timeout_seconds * 1_000,
    attempts: models.retry_attempts,
    retryDelayMs: models.retry_delay_ms,
    maxConcurrent: models.max_concurrent,
  };
  const entries = modelEntries(models).map((entry) => ({
    model: createModel(entry, { room, limits, temperature: models.temperature }),
    price: entry.price,
  }));
  return room.createModels({
    configured: entries.map(({ model }) => model),
    roles: roleModels(models),
    ...(models.autodetect ? { detect: detectWith({ room, limits, home: settings.home }) } : {}),
    clientModel: room.createSamplingModel,
    prices: Object.fromEntries(
      entries.map(({ model, price }): [string, ModelPrice] => [model.name, price]),
    ),
    limits,
    temperature: models.temperature,
    budget: {
      runTokens: models.budget.run_tokens,
      sessionTokens: models.budget.session_tokens,
      runUsd: models.budget.run_usd,
      sessionUsd: models.budget.session_usd,
      taskTokens: settings.agent.max_tokens,
      taskUsd: settings.agent.max_cost_usd,
    },
    spending: store.spending,
    keepText: keepAnswersIn({ artifacts, clock: systemClock, log }),
    log: log.child({ room: 'models' }),
  });
}

interface Making {
  readonly room: typeof import('../models/index.ts');
  readonly limits: ModelLimits;
  readonly temperature: number;
}

function createModel(
  configured: ConfiguredEntry,
  { room, limits, temperature }: Making,
): TextModel {
  switch (configured.kind) {
    case 'http':
      return room.createConfiguredModel(configured.entry, limits);
    case 'gguf': {
      const { name, path, contextTokens } = configured;
      return room.createGgufModel({
        name,
        path,
        defaultTemperature: temperature,
        ...(contextTokens === undefined ? {} : { contextTokens }),
      });
    }
  }
}

/** The model that fits the role best on each local server that the user accepted. */
function detectWith({ room, limits, home }: Omit<Making, 'temperature'> & { home: string }) {
  return async (role: ModelRole): Promise<readonly TextModel[]> => {
    const endpoints = await acceptedModels(home);
    return endpoints.flatMap(({ name, provider: kind, url, models, owner }) => {
      const model = room.chooseModel(models, role);
      if (model === null) return [];
      const found = room.createConfiguredModel({ name, kind, url, model }, limits);
      return [room.createOwnedModel(found, owner)];
    });
  };
}
