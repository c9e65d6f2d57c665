import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { ModelRole, Models } from '../contract/model/index.ts';
import {
  type Clock,
  countTokens,
  lazy,
  lazyObject,
  type Log,
  systemClock,
} from '../kernel/index.ts';
import type { KeepText, ModelLimits, ModelPrice, TextModel } from '../models/index.ts';
import type { Store } from '../store/index.ts';
import { acceptedModels } from './local-models.ts';
import { type ConfiguredEntry, modelEntries, roleModels } from './model-entries.ts';

interface ModelsParts {
  readonly settings: Settings;
  readonly store: Pick<Store, 'spending'>;
  readonly log: Log;
  readonly artifacts: () => Promise<Pick<Artifacts, 'put' | 'release'>>;
}

/** The models of these settings; nothing of them is loaded before one is looked for or asked. */
export function modelsHere(parts: ModelsParts): Models {
  return lazyObject<Models>(
    lazy(() => openModels(parts)),
    { countTokens },
  );
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
  if (configured.kind === 'http') return room.createConfiguredModel(configured.entry, limits);
  const { name, path, contextTokens } = configured;
  return room.createGgufModel({
    name,
    path,
    defaultTemperature: temperature,
    ...(contextTokens === undefined ? {} : { contextTokens }),
  });
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

interface KeepAnswersParts {
  readonly artifacts: () => Promise<Pick<Artifacts, 'put' | 'release'>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What belongs to neither a run nor a session, as it was kept before there were months. */
const ownerless = 'model-answers';
/** This one and two whole ones. */
const monthsKept = 3;
/** Older months than this are not looked for. */
const monthsLookedBack = 24;

/**
 * Answers of models that could not be used go with the run or session they belong to. Those of calls outside of
 * both go with their month, when one comes more than two months later.
 */
export function keepAnswersIn({ artifacts, clock, log }: KeepAnswersParts): KeepText {
  return async (caller, content, budgets) => {
    const opened = await artifacts();
    const scope = budgets.find((one) => one.startsWith('run:')) ?? budgets[0];
    const nowMs = clock.now();
    const runId = scope === undefined ? monthOf(nowMs, 0) : scope.slice(scope.indexOf(':') + 1);
    const lineage = { runId, step: 'model', tool: null, argumentsDigest: null, inputs: [] };
    const mediaType = 'text/plain; charset=utf-8';
    const kept = await opened.put(caller, { content, mediaType, lineage });
    if (scope === undefined) {
      await opened.release(caller, outdated(nowMs)).catch((error: unknown) => {
        log.warn('failed to remove old model answers', { error });
      });
    }
    return kept.id;
  };
}

function outdated(nowMs: number): readonly string[] {
  const before = Array.from({ length: monthsLookedBack }, (_, n) => monthOf(nowMs, monthsKept + n));
  return [ownerless, ...before];
}

/** "model-answers 2026-11", so many months ago. */
function monthOf(nowMs: number, ago: number): string {
  const now = new Date(nowMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
  return `${ownerless} ${month.toISOString().slice(0, 7)}`;
}
