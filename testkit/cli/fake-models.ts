import type { ModelDescription, Models } from '../../src/contract/model/index.ts';

const reachable: ModelDescription = {
  name: 'ollama/qwen2.5-coder:7b',
  provider: 'ollama',
  model: 'qwen2.5-coder:7b',
  url: 'http://127.0.0.1:11434',
  source: 'detected',
  roles: { code: 1, agent: 2 },
  contextTokens: 32_768,
  isReachable: true,
};

export const someModels: readonly ModelDescription[] = [
  reachable,
  {
    ...reachable,
    name: 'work/gpt',
    provider: 'openai',
    model: 'gpt',
    url: 'https://models.example.org/v1',
    source: 'configured',
    roles: { agent: 1 },
    contextTokens: null,
    isReachable: false,
    problem: 'it refused the key. Set WORK_KEY',
  },
];

/** Models that are listed and never asked. */
export function createFakeModels(known: readonly ModelDescription[] = someModels): Models {
  const unused = (): never => {
    throw new Error('The terminal asks no model');
  };
  return {
    find: async (role) =>
      known.find(({ roles, isReachable }) => isReachable && roles[role] !== undefined) ?? null,
    text: async () => unused(),
    structured: async () => unused(),
    countTokens: (text) => text.length,
    list: async () => known,
    linkBudgets: async () => {},
    close: async () => {},
  };
}
