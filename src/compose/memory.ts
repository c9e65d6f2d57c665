import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Memory, Sessions } from '../contract/session/index.ts';
import { createFaultPoints, lazy, lazyObject, type Log } from '../kernel/index.ts';
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
}

/** Vectors of what was said that are kept: a few hundred long conversations. */
const maxVectors = 16_384;

/** The memory of this data directory; nothing of it is loaded before it is used. */
export function memoryHere(parts: MemoryParts): Memory {
  const open = lazy(() => openMemory(parts));
  const sessions = lazyObject<Sessions>(
    lazy(async () => (await open()).sessions),
    {},
  );
  return lazyObject<Memory>(open, { sessions });
}

async function openMemory(parts: MemoryParts): Promise<Memory> {
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
  });
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
    const path = join(home, 'models', 'minilm-l6-v2.turns.vectors');
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
