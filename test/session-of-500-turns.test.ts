import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { localCaller } from '../src/contract/caller/index.ts';
import { countTokens } from '../src/kernel/index.ts';
import { traceLimits } from '../src/observe/index.ts';
import { openStore } from '../src/store/index.ts';
import { longTalkFacts, longTalkTurns } from './support/long-talk.ts';
import { aFolder, runTutti } from './support/run-tutti.ts';
import { memoryOf } from './support/sessions-of.ts';

const turnCount = 498;
const contextTokens = 4_000;
/** Instructions, tools and the message stand beside the conversation. */
const maxRequestTokens = contextTokens + 4_000;
const minKept = 0.95;

const mock = new LLMock({ port: 0 });
const prompts: string[] = [];

beforeAll(async () => {
  mock.on({ predicate: () => true }, ({ messages }) => {
    const texts = messages.map(({ content }) =>
      typeof content === 'string' ? content : JSON.stringify(content),
    );
    prompts.push(texts.join('\n'));
    const intent = { primary_goal: 'Talk', tools_needed: [], parameters: {}, confidence: 0.9 };
    const isIntent = texts[0]?.startsWith('You read a message') === true;
    return { content: isIntent ? JSON.stringify(intent) : 'So it is.' };
  });
  await mock.start();
});
afterAll(() => mock.stop());

const conversations = z.array(
  z.object({ turns: z.array(z.string()), facts: z.array(z.array(z.string())) }),
);

function readConversations(set: 'tuned' | 'unseen') {
  const file = new URL(`data/conversations/${set}.json`, import.meta.url);
  return conversations.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Everyday talk in which turn 3 tells a fact and the exchanges of some conversations are spread. */
function aLongTalk(fact: string, told: readonly string[]): string[] {
  const every = 2 * Math.floor((turnCount - 10) / told.length);
  return Array.from({ length: turnCount }, (_, at) => {
    if (at === 2) return fact;
    const [exchange, part] = [Math.floor((at - 4) / every), (at - 4) % every];
    const line = at >= 4 && part < 2 ? told[2 * exchange + part] : undefined;
    return line?.slice('U: '.length) ?? longTalkTurns[at % longTalkTurns.length] ?? '';
  });
}

it('asks the model within the window at turn 500, with the fact of turn 3 and what was told since', async () => {
  const [fact = '', question = ''] = longTalkFacts[0] ?? [];
  const some = [readConversations('tuned')[0], ...readConversations('unseen').slice(2, 4)];
  const told = some.flatMap((one) => one?.turns ?? []);
  const facts = some.flatMap((one) => one?.facts ?? []);
  const cwd = aFolder();
  const home = join(cwd, 'data');
  mkdirSync(home, { mode: 0o700 });
  const store = openStore({ home, traceLimits });
  const memory = memoryOf(home, store);
  const session = await memory.sessions.create(localCaller);
  for (const [at, text] of aLongTalk(fact, told).entries()) {
    await session.append({ role: at % 2 === 0 ? 'user' : 'assistant', text });
  }
  await session.close();
  await memory.close();
  store.close();

  mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
  const test = { kind: 'openai', url: `${mock.url}/v1`, model: 'scripted', api_key: 'x' };
  const settings = { models: { providers: { test } } };
  writeFileSync(join(cwd, '.config', 'tutti', 'config.yaml'), JSON.stringify(settings));
  const { exitCode, stderr } = await runTutti(['ask', question, '--session', session.id], { cwd });
  expect(exitCode, stderr).toBe(0);

  expect(prompts.length).toBeGreaterThan(1);
  for (const prompt of prompts) expect(countTokens(prompt)).toBeLessThan(maxRequestTokens);
  for (const prompt of prompts.slice(0, 2)) expect(prompt).toContain(fact);
  const asked = prompts[1] ?? '';
  const lost = facts.filter(
    (words) => !asked.split('\n').some((line) => words.every((word) => line.includes(word))),
  );
  expect(1 - lost.length / facts.length, JSON.stringify(lost)).toBeGreaterThanOrEqual(minKept);
}, 60_000);
