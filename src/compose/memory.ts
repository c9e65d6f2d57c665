import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { MemoryItems } from '../contract/memory/index.ts';
import {
  turnsWithAnswers,
  type ConversationRequest,
  type Sessions,
} from '../contract/session/index.ts';
import { createFaultPoints, lazy, lazyObject, type Log } from '../kernel/index.ts';
import type { ForgottenWords, RedactableMemory, WordsOfItems } from '../memory/index.ts';
import type { Embedder } from '../models/index.ts';
import type { Store } from '../store/index.ts';
import type { Roots } from './roots.ts';
import type { SettingsRequest } from './settings.ts';
import { embedTurnsWith, turnVectorsPath } from './turn-embedder.ts';

export interface MemoryParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly log: Log;
  readonly request: Pick<SettingsRequest, 'env'>;
  /** The folder that this process works in. */
  readonly roots?: Pick<Roots, 'folder'>;
  /** What finds turns by their meaning; loaded when there are turns to look through. */
  readonly embedder?: () => Promise<Embedder>;
  /** Of which those of runs that a forgotten turn started are discarded. */
  readonly artifacts?: () => Promise<Artifacts>;
  /** Called when a message is answered: turns were stored. */
  readonly onConverse?: (() => void) | undefined;
  readonly facts?: ((request: ConversationRequest) => Promise<readonly string[]>) | undefined;
}

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
  const { settings, store, request, roots, embedder } = parts;
  const log = parts.log.child({ room: 'memory' });
  const { createMemory } = await import('../memory/index.ts');
  return createMemory({
    sessions: store.sessions,
    preferences: store.preferences,
    directory: settings.conversation.session_dir,
    isMirrored: settings.conversation.save_sessions,
    log,
    place: roots && (() => roots.folder()),
    embed: embedder && embedTurnsWith({ embedder, home: settings.home, log }),
    faultPoint: createFaultPoints(request.env['TUTTI_FAULT']),
    onConverse: parts.onConverse,
    facts: parts.facts,
  });
}

/** Conversations, and what is remembered of callers; nothing of either is loaded before it is used. */
export function memoriesHere(parts: MemoryParts): {
  readonly memory: RedactableMemory;
  readonly memoryItems: MemoryItems;
} {
  const memory = memoryHere({
    ...parts,
    onConverse: () => void items().then((it) => it.wake()),
    facts: async (request) => (await items()).findFacts(request),
  });
  const items = lazy(() => openMemoryItems(parts, memory));
  return { memory, memoryItems: lazyObject<MemoryItems>(items, {}) };
}

async function openMemoryItems(
  { settings, store, embedder, log, roots, artifacts }: MemoryParts,
  memory: RedactableMemory,
) {
  return (await import('../memory/index.ts')).createMemoryItems({
    store: store.memoryItems,
    log: log.child({ room: 'memory' }),
    place: roots && (() => roots.folder()),
    embed: embedder && (async (texts, signal) => (await embedder()).embed(texts, signal)),
    forgetElsewhere: async (caller, words) => {
      const { runIds, turns } = await gatherTurns(memory.sessions, caller, words.turns);
      // First: afterwards nothing says which runs they were.
      const copies = await store.copies.forget(caller, { texts: words.texts, turns, runIds });
      if (runIds.length > 0) {
        await (await artifacts?.())?.discard(caller, runIds);
        await store.runs.remove(caller, runIds);
      }
      for (const [session, numbers] of words.turns) {
        await memory.redactTurns(caller, session, [...numbers]);
      }
      // Whatever text they stand for: it cannot be told which of them is the one that was forgotten.
      await rm(turnVectorsPath(settings.home), { force: true });
      await forgetLines(join(settings.home, 'chat-history'), words.texts);
      return copies;
    },
  });
}

/** Turns with the answers to them, and the runs they started. */
async function gatherTurns(
  sessions: Pick<Sessions, 'show'>,
  caller: Caller,
  named: WordsOfItems['turns'],
): Promise<Pick<ForgottenWords, 'turns' | 'runIds'>> {
  const turns: { session: string; turn: number }[] = [];
  const runIds: string[] = [];
  for (const [session, numbers] of named) {
    const gone = turnsWithAnswers(await sessions.show(caller, session), [...numbers]);
    turns.push(...gone.map(({ number }) => ({ session, turn: number })));
    runIds.push(...gone.flatMap(({ runId }) => runId ?? []));
  }
  return { turns, runIds };
}

/** Shorter texts are taken out where they are the whole line. */
const minPartLength = 12;

/** Takes messages out of the history of chats; `⏎` stands for the end of a line in them. */
async function forgetLines(file: string, texts: readonly string[]): Promise<void> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const kept = lines.filter((line) => {
    const message = line.replaceAll('⏎', '\n').trim();
    return !texts.some(
      (text) => message === text || (text.length >= minPartLength && message.includes(text)),
    );
  });
  if (kept.length === lines.length) return;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, kept.join('\n'), { mode: 0o600 });
  await rename(draft, file);
}
