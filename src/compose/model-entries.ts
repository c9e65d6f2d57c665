import type { Settings } from '../config/index.ts';
import type { ModelRole } from '../contract/model/index.ts';
import type { ModelEntry, ModelPrice, RoleModels } from '../models/index.ts';

type ModelSettings = Settings['models'];

/** A model of the settings: one behind an address, or a file. */
export type ConfiguredEntry =
  | { readonly kind: 'http'; readonly entry: ModelEntry; readonly price: ModelPrice }
  | {
      readonly kind: 'gguf';
      readonly name: string;
      readonly path: string;
      readonly contextTokens: number | undefined;
      readonly price: ModelPrice;
    };

const codeEndpoint = 'code_endpoint';
const agentEndpoint = 'agent_endpoint';
const unknownPrice: ModelPrice = { input: null, output: null };

/** The models of the settings in the order in which they are asked: those that were named before those of a bare key. */
export function modelEntries(settings: ModelSettings): readonly ConfiguredEntry[] {
  const named = Object.entries(settings.providers).map((pair) => namedEntry(pair, settings));
  return [...named, ...keyEntries(settings), ...endpointEntries(settings)];
}

/** An endpoint of a role comes first for it; the other role has it as its last. */
export function roleModels(settings: ModelSettings): Readonly<Record<ModelRole, RoleModels>> {
  const forRole = (role: ModelRole, endpoint: string): RoleModels => {
    const names = settings.roles[role];
    return names.length > 0
      ? { names, withOthers: false }
      : { names: [endpoint], withOthers: true };
  };
  return { code: forRole('code', codeEndpoint), agent: forRole('agent', agentEndpoint) };
}

function namedEntry(
  [name, provider]: [string, ModelSettings['providers'][string]],
  settings: ModelSettings,
): ConfiguredEntry {
  const { kind, url, model, path, context_tokens: contextTokens } = provider;
  const price = { input: provider.input_price ?? null, output: provider.output_price ?? null };
  if (kind === 'gguf') return { kind, name, path: path ?? '', contextTokens, price };
  // The user's key for a vendor goes to that vendor alone.
  const key = provider.api_key ?? (url === undefined ? vendorKey(kind, settings) : undefined);
  const entry = { name, kind, url, model, key, contextTokens };
  return { kind: 'http', entry, price };
}

function vendorKey(kind: ModelEntry['kind'], settings: ModelSettings): ModelEntry['key'] {
  if (kind === 'openai') return settings.openai_api_key;
  return kind === 'anthropic' ? settings.anthropic_api_key : undefined;
}

/** A key alone is enough, unless a provider already uses it. */
function keyEntries(settings: ModelSettings): readonly ConfiguredEntry[] {
  const providers = Object.values(settings.providers);
  return (['openai', 'anthropic'] as const).flatMap((kind) => {
    const key = vendorKey(kind, settings);
    const isUsed = providers.some((one) => one.kind === kind && one.url === undefined);
    if (key === undefined || isUsed || Object.hasOwn(settings.providers, kind)) return [];
    const entry = { name: kind, kind, key };
    return [{ kind: 'http' as const, entry, price: unknownPrice }];
  });
}

function endpointEntries(settings: ModelSettings): readonly ConfiguredEntry[] {
  return [
    [codeEndpoint, settings.code_endpoint] as const,
    [agentEndpoint, settings.agent_endpoint] as const,
  ].flatMap(([name, url]) =>
    url === undefined
      ? []
      : [
          {
            kind: 'http' as const,
            entry: { name, kind: 'chat' as const, url },
            price: unknownPrice,
          },
        ],
  );
}
