import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { Conversation, Memory, OpenSession, Turn } from '../src/contract/session/index.ts';
import { silentLog } from '../src/kernel/index.ts';
import { createMemory, type Embed, type MemoryOptions } from '../src/memory/index.ts';
import { aSession, aTurn } from '../testkit/memory/a-session.ts';
import { createLocalEmbedder } from '../src/models/index.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { sampleSeeded } from '../testkit/sample.ts';
import { longTalkFacts, longTalkTurns } from './support/long-talk.ts';

const turnCount = 200;
const factAt = 3;
const contextWindow = 4_000;
const memorySize = 10;
const { signal } = new AbortController();

const embedder = createLocalEmbedder();
afterAll(() => embedder.close());

/** What is said again and again in these talks is embedded once. */
const vectors = new Map<string, Float32Array>();
const embed: Embed = {
  query: async (text, within) => (await embedder.embed([text], within))[0] ?? new Float32Array(),
  passages: async (texts, within) => {
    const missing = [...new Set(texts)].filter((text) => !vectors.has(text));
    const made = await embedder.embed(missing, within);
    for (const [index, text] of missing.entries()) {
      vectors.set(text, made[index] ?? new Float32Array());
    }
    return texts.map((text) => vectors.get(text) ?? new Float32Array());
  },
};

function aMemoryOnDisk(options: Partial<MemoryOptions> = {}): Memory {
  const home = aDirectory();
  const { sessions, preferences } = aStore({ home });
  const directory = join(home, 'sessions');
  const parts = { sessions, preferences, directory, isMirrored: true, log: silentLog };
  return createMemory({ ...parts, embedPatienceMs: 60_000, ...options });
}

function converse(memory: Memory, session: OpenSession, message: string): Promise<Conversation> {
  return memory.converse({
    caller: localCaller,
    session: session.current(),
    message,
    maxTokens: contextWindow,
    maxTurns: memorySize,
    signal,
  });
}

/** The turns of a talk about other things, in which the third says this. */
function aLongTalk(fact: string): Turn[] {
  return Array.from({ length: turnCount - 1 }, (_, index) => {
    const text = longTalkTurns[(index + 1) % longTalkTurns.length] ?? '';
    const role = index % 2 === 0 ? 'user' : 'assistant';
    return aTurn(index + 1, { role, text: index + 1 === factAt ? fact : text });
  });
}

async function openTalk(memory: Memory, fact: string): Promise<OpenSession> {
  const session = aSession({ turns: aLongTalk(fact) });
  const { id } = await memory.sessions.import(localCaller, session);
  return memory.sessions.open(localCaller, id);
}

function holds(conversation: Conversation, fact: string): boolean {
  return conversation.recalled.some(({ number, text }) => number === factAt && text === fact);
}

describe('a session of 200 turns', () => {
  it('stays within its context window at every turn', async () => {
    const memory = aMemoryOnDisk();
    const [fact = ''] = longTalkFacts[0] ?? [];
    const session = await memory.sessions.create(localCaller);
    let most = 0;
    for (const { role, text } of aLongTalk(fact)) {
      const { tokens, recent } = await converse(memory, session, text);
      expect(tokens).toBeLessThanOrEqual(contextWindow);
      expect(recent).toEqual(session.current().turns.slice(-memorySize));
      most = Math.max(most, tokens);
      await session.append({ role, text });
    }
    expect(most).toBeGreaterThan(contextWindow / 10);
    expect(session.current().turns).toHaveLength(turnCount - 1);
  });

  it('puts a fact of turn 3 before the model when it is asked for at turn 200', async () => {
    const memory = aMemoryOnDisk();
    for (const [fact, question] of sampleSeeded(longTalkFacts, 3)) {
      const session = await openTalk(memory, fact);
      expect(holds(await converse(memory, session, question), fact), question).toBe(true);
      await session.append({ role: 'user', text: question });
      expect(holds(await converse(memory, session, question), fact), question).toBe(true);
    }
  });

  it('finds it too when the question has other words', async () => {
    const memory = aMemoryOnDisk({ embed });
    for (const [fact, , question] of sampleSeeded(longTalkFacts, 3)) {
      const session = await openTalk(memory, fact);
      expect(holds(await converse(memory, session, question), fact), question).toBe(true);
    }
  });
});
