import type { Contexts } from '../../src/contract/context/index.ts';
import type { RunView } from '../../src/contract/run/index.ts';
import { createContexts, type ContextsOptions } from '../../src/memory/contexts/create-contexts.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { aStore } from '../store/a-store.ts';

interface AContextsParts extends Partial<Pick<ContextsOptions, 'limits'>> {
  readonly run?: RunView;
}

/** Contexts on a database of their own; every caller has the same session, run and artifacts. */
export function aContexts({ run = aRunWith({ steps: [] }), limits = {} }: AContextsParts = {}): {
  readonly contexts: Contexts;
  readonly artifacts: Map<string, string>;
} {
  const artifacts = new Map<string, string>();
  const contexts = createContexts({
    store: aStore().contexts,
    sources: {
      session: async () => ({
        version: 1,
        id: 's1',
        title: 'Greeting',
        createdAt: '',
        updatedAt: '',
        forkedFrom: null,
        summary: null,
        turns: [
          { number: 1, at: '', role: 'user', text: 'hello', remembered: [] },
          { number: 2, at: '', role: 'assistant', text: 'Hello to you', remembered: [] },
        ],
      }),
      run: async () => run,
      artifact: async (_caller, id) => Buffer.from(artifacts.get(id) ?? ''),
    },
    hideSecrets: async () => (text) => ({ text, count: 0 }),
    clock: systemClock,
    defaultTokens: 4_000,
    limits,
  });
  return { contexts, artifacts };
}

/** A run whose steps said that they are done. */
export function aRunWith({ steps }: { readonly steps: readonly string[] }): RunView {
  const done = (step: string) =>
    ({
      status: 'succeeded',
      output: `${step} is done`,
      startedAt: null,
      endedAt: null,
      attempts: 1,
    }) as const;
  return {
    runId: 'r1',
    name: null,
    goal: null,
    status: 'succeeded',
    engine: 'embedded',
    createdAt: '',
    startedAt: null,
    endedAt: null,
    forkedFrom: null,
    steps: Object.fromEntries(steps.map((step) => [step, done(step)])),
    waitingFor: [],
    input: {},
    traceId: null,
  };
}
