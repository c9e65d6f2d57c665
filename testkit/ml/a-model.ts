import type { ModelCard, ModelVersion } from '../../src/contract/ml/index.ts';

/** The card of a model for tests. */
export function aModelCard(runKey: string, parts: Partial<ModelCard> = {}): ModelCard {
  return {
    origin: 'trained',
    parents: [],
    dataset: null,
    run: { key: runKey, resumed: 0, attempts: 1 },
    engine: { name: 'test', version: '1' },
    code: '0.0.0',
    config: {},
    environment: {},
    seed: 42,
    threads: 1,
    metrics: {},
    usage: {},
    estimate: {},
    licences: [],
    ...parts,
  };
}

/** A model that is not in a store yet. */
export function aModel(name: string, runKey: string): Omit<ModelVersion, 'version'> {
  return {
    name,
    format: 'llama',
    files: [{ name: 'model.safetensors', sha256: 'a'.repeat(64), bytes: 4 }],
    card: aModelCard(runKey),
    createdAt: '2026-01-02T03:04:05.000Z',
  };
}
