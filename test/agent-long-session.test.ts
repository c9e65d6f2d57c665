import { join } from 'node:path';
import { expect, it } from 'vitest';
import { anAgent } from '../testkit/agent/an-agent.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { countTokens, silentLog } from '../src/kernel/index.ts';
import { createMemory } from '../src/memory/index.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { longTalkFacts, longTalkTurns } from './support/long-talk.ts';

const asks = 250;
const factAt = 3;
const contextTokens = 4_000;
/** Instructions, tools and the message stand beside the conversation. */
const maxRequestTokens = contextTokens + 4_000;

it('a fact of turn 3 is in what the model is asked at turn 500, and no request outgrows the window', async () => {
  const [fact = '', question = ''] = longTalkFacts[0] ?? [];
  const home = aDirectory();
  const { sessions, preferences } = aStore({ home });
  const directory = join(home, 'sessions');
  const memory = createMemory({
    sessions,
    preferences,
    directory,
    isMirrored: true,
    log: silentLog,
  });
  const prompts: string[] = [];
  const { ask } = anAgent({
    memory,
    settings: { contextTokens },
    model: ({ name, prompt }) => {
      prompts.push(prompt);
      if (name !== 'intent') return 'So it is.';
      const intent = { primary_goal: 'Talk', tools_needed: [], parameters: {}, confidence: 0.9 };
      return { ...intent, needs_clarification: false, unclear_aspects: [] };
    },
  });
  let session: string | undefined;
  for (let turn = 1; turn < 2 * asks; turn += 2) {
    const isLast = turn === 2 * asks - 1;
    const talk = longTalkTurns[(turn - 1) % longTalkTurns.length] ?? '';
    const message = turn === factAt ? fact : isLast ? question : talk;
    if (isLast) prompts.length = 0;
    const outcome = await ask(message, session === undefined ? {} : { session });
    session = outcome.sessionId;
    for (const prompt of prompts) expect(countTokens(prompt)).toBeLessThan(maxRequestTokens);
  }
  expect((await memory.sessions.show(localCaller, session ?? '')).turns).toHaveLength(2 * asks);
  expect(prompts.filter((prompt) => prompt.includes(fact))).not.toEqual([]);
  await memory.close();
});
