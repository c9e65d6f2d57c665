import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { Memory } from '../contract/session/index.ts';
import { silentLog } from '../kernel/index.ts';
import { aTurn } from '../../testkit/memory/a-session.ts';
import { conceptEmbed } from '../../testkit/memory/concept-embed.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { aStore } from '../../testkit/store/a-store.ts';
import { memoryHere, type MemoryParts } from './memory.ts';
import { loadSettingsHere } from './settings.ts';

async function aMemoryHere(
  flags: Readonly<Record<string, unknown>> = {},
  parts: Partial<MemoryParts> = {},
): Promise<{ memory: Memory; home: string }> {
  const home = aDirectory();
  const request = { flags: { home, ...flags }, env: { HOME: home }, cwd: home };
  const settings = (await loadSettingsHere(request)).values;
  const store = aStore({ home });
  const memory = memoryHere({ settings, store, log: silentLog, request, ...parts });
  onTestFinished(() => memory.close());
  return { memory, home };
}

describe('the memory of a data directory', () => {
  it('touches nothing until it is used, nor when it is closed unused', async () => {
    const { memory, home } = await aMemoryHere();
    await memory.sessions.close();
    await memory.close();
    expect(readdirSync(home)).toEqual([]);
  });

  it('keeps sessions in the database and in files, and preferences', async () => {
    const { memory, home } = await aMemoryHere();
    const session = await memory.sessions.create(localCaller);
    await session.append({ role: 'user', text: 'hello' });
    expect(readdirSync(join(home, 'sessions'))).toEqual([`${session.id}.json`]);
    await session.close();
    const { id } = await memory.sessions.fork(localCaller, session.id);
    await memory.sessions.remove(localCaller, id);
    await memory.sessions.import(localCaller, await memory.sessions.show(localCaller, 'last'));
    await (await memory.sessions.open(localCaller, session.id)).close();
    expect(await memory.sessions.list(localCaller, { limit: 5 })).toHaveLength(2);
    expect(await memory.learn(localCaller, 'tabs please')).toMatchObject({
      learned: ['indent with tabs'],
      refused: [],
    });
    expect(await memory.preferences(localCaller)).toMatchObject([{ text: 'indent with tabs' }]);
    expect(await memory.forget(localCaller, 'indent with tabs')).toEqual(['indent with tabs']);
  });

  it('does as the settings say', async () => {
    const directory = join(aDirectory(), 'deep', 'talks');
    const flags = { 'conversation.session_dir': directory };
    const there = await aMemoryHere(flags);
    await there.memory.sessions.create(localCaller);
    expect(readdirSync(directory)).toHaveLength(1);
    const nowhere = await aMemoryHere({ 'conversation.save_sessions': false });
    await nowhere.memory.sessions.create(localCaller);
    expect(existsSync(join(nowhere.home, 'sessions'))).toBe(false);
  });

  it('finds turns by their meaning, and embeds each once', async () => {
    const embed = conceptEmbed();
    const dimensions = 6;
    const embedder = async () => ({
      dimensions,
      embed: (texts: readonly string[], signal: AbortSignal) => embed.passages(texts, signal),
      close: async () => {},
    });
    const { memory } = await aMemoryHere({}, { embedder });
    const session = await memory.sessions.create(localCaller);
    const fact = 'Postgres is reachable at 5544.';
    const turns = Array.from({ length: 30 }, (_, n) => aTurn(n + 1, n === 2 ? { text: fact } : {}));
    const request = {
      caller: localCaller,
      session: { ...session.current(), turns },
      message: 'Which socket does our storage have?',
      maxTokens: 4_000,
      maxTurns: 10,
      signal: new AbortController().signal,
    };
    expect((await memory.converse(request)).recalled.map(({ text }) => text)).toContain(fact);
    await memory.converse(request);
    expect(embed.seen.filter((text) => text === fact)).toHaveLength(1);
  });
});
