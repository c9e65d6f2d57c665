import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import type { Sessions } from '../contract/session/index.ts';
import { createFaultPoints, lazy, lazyObject, type Log } from '../kernel/index.ts';
import type { RedactableMemory } from '../memory/index.ts';
import type { Embedder } from '../models/index.ts';
import type { Store } from '../store/index.ts';
import type { SettingsRequest } from './settings.ts';

export interface MemoryParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly log: Log;
  readonly request: Pick<SettingsRequest, 'env'>;
  /** What finds turns by their meaning; loaded when there are turns to look through. */
  readonly embedder?: () => Promise<Embedder>;
  /** Called when a message is answered: turns were stored. */
  readonly onConverse?: (() => void) | undefined;
}

/** Vectors of what was said that are kept: a few hundred long conversations. */
const maxVectors = 16_384;

/** The memory of this data directory; nothing of it is loaded before it is used. */
export function memoryHere(parts: MemoryParts): RedactableMemory {
  const open = lazy(() => openMemory(parts));
  const sessions = lazyObject<Sessions>(
    lazy(async () => (await open()).sessions),
    {},
  );
  return lazyObject<RedactableMemory>(open, { sessions });
}

async function openMemory(parts: MemoryParts): Promise<RedactableMemory> {
  const { settings, store, request, embedder } = parts;
  const log = parts.log.child({ room: 'memory' });
  const { createMemory } = await import('../memory/index.ts');
  return createMemory({
    sessions: store.sessions,
    preferences: store.preferences,
    directory: settings.conversation.session_dir,
    isMirrored: settings.conversation.save_sessions,
    log,
    embed: embedder && embedWith({ embedder, home: settings.home, log }),
    faultPoint: createFaultPoints(request.env['TUTTI_FAULT']),
    onConverse: parts.onConverse,
  });
}

/** Conversations, and what is remembered of callers; nothing of either is loaded before it is used. */
export function memoriesHere(parts: MemoryParts): {
  readonly memory: RedactableMemory;
  readonly memoryItems: MemoryItems;
} {
  const memory = memoryHere({ ...parts, onConverse: () => void items().then((it) => it.wake()) });
  const items = lazy(() => openMemoryItems(parts, memory));
  return { memory, memoryItems: lazyObject<MemoryItems>(items, {}) };
}

async function openMemoryItems(
  { settings, store, embedder, log }: MemoryParts,
  memory: RedactableMemory,
) {
  const { createMemoryItems } = await import('../memory/index.ts');
  return createMemoryItems({
    store: store.memoryItems,
    log: log.child({ room: 'memory' }),
    embed: embedder && (async (texts, signal) => (await embedder()).embed(texts, signal)),
    redactTurns: (caller, session, turns) => memory.redactTurns(caller, session, turns),
    // Whatever text they stand for: it cannot be told which of them is the one that was forgotten.
    onForgotten: () => rm(turnVectorsPath(settings.home), { force: true }),
  });
}

function turnVectorsPath(home: string): string {
  return join(home, 'models', 'minilm-l6-v2.turns.vectors');
}

/** What was said is embedded once, by whichever process; what is asked comes once and is not kept. */
function embedWith({
  embedder,
  home,
  log,
}: {
  readonly embedder: () => Promise<Embedder>;
  readonly home: string;
  readonly log: Log;
}) {
  const open = lazy(async () => {
    const [queries, { createCachedEmbedder }] = await Promise.all([
      embedder(),
      import('../models/index.ts'),
    ]);
    const path = turnVectorsPath(home);
    return { queries, passages: createCachedEmbedder(queries, { path, log, maxVectors }) };
  });
  return {
    query: async (text: string, signal: AbortSignal): Promise<Float32Array> => {
      const { queries } = await open();
      const [vector = new Float32Array()] = await queries.embed([text], signal);
      return vector;
    },
    passages: async (texts: readonly string[], signal: AbortSignal) => {
      const { passages } = await open();
      return passages.embed(texts, signal);
    },
  };
}
