import type { Preference } from '../../src/contract/preference/index.ts';
import type { AddedContext } from '../../src/memory/contexts/context-store.ts';
import type { StoredFailure } from '../../src/memory/experience/experience-store.ts';

const at = '2026-01-02T03:04:05.678Z';

export function aPreference(parts: Partial<Preference> = {}): Preference {
  return {
    topic: 'indentation',
    text: 'indent with tabs',
    learnedAt: at,
    origin: 'statement',
    evidence: 'tabs please',
    state: 'active',
    ...parts,
  };
}

export function aFailure(id: string, parts: Partial<StoredFailure> = {}): StoredFailure {
  return {
    id,
    at,
    kind: 'step',
    subject: 'shop.order',
    code: 'tool.failed',
    message: 'no quota',
    signature: 's1',
    family: null,
    runId: null,
    step: null,
    traceId: null,
    facets: {},
    curedBy: null,
    curedAt: null,
    target: 'release/order',
    normalised: 'no quota',
    attempt: { arguments: {}, surroundings: {} },
    ...parts,
  };
}

export function aContext(parts: Partial<AddedContext> = {}): AddedContext {
  return {
    owner: 'local',
    id: 'ctx-1',
    name: 'work',
    parent: null,
    createdAt: at,
    items: 1,
    bytes: 10,
    tokens: 3,
    text: '{}',
    ...parts,
  };
}
