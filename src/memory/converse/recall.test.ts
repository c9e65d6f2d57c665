import { describe, expect, it } from 'vitest';
import type { Turn } from '../../contract/session/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { aTurn } from '../../../testkit/memory/a-session.ts';
import { conceptEmbed } from '../../../testkit/memory/concept-embed.ts';
import { createRecall, type Embed } from './recall.ts';

const { signal } = new AbortController();
const fillers = [
  'Please format the file and show me the difference.',
  'Now add a function that sorts the list of users by name.',
  'Rename the variable in the second loop, it is confusing.',
  'Run the linter again and fix what is safe to fix.',
  'Explain what this function returns when the list is empty.',
];

/** A long conversation about other things, in which these turns say this. */
function conversation(said: Readonly<Record<number, string>>, count = 190): Turn[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const filler = `${fillers[number % fillers.length] ?? ''} (${number})`;
    return aTurn(number, {
      role: number % 2 === 1 ? 'user' : 'assistant',
      text: said[number] ?? filler,
    });
  });
}

async function recalled(turns: readonly Turn[], message: string, embed?: Embed) {
  const recall = createRecall({ embed, patienceMs: 1_000, log: silentLog });
  return recall(turns, message, signal);
}

async function numbersOf(turns: readonly Turn[], message: string, embed?: Embed) {
  return (await recalled(turns, message, embed)).map(({ turn }) => turn.number);
}

describe('recalling by words', () => {
  it.each([
    ['The staging database listens on port 5544.', 'Which port does the staging database use?'],
    ['The staging database listens on port 5544.', 'what was the port of staging again'],
    ['My API key is stored in config/heron.toml', 'where did I say the api keys are stored?'],
    ['We named the release Kingfisher.', 'What is the name of our release?'],
    ['Customer ids look like C-000123.', 'how do customer ids look like?'],
    ['The maxRetryCount must stay below seven.', 'What did I say about max retry count?'],
    ['数据库的端口是5544', '数据库端口是多少？'],
  ])('finds "%s" when asked "%s"', async (fact, question) => {
    expect(await numbersOf(conversation({ 3: fact }), question)).toContain(3);
  });

  it('finds a fact in the middle of a long turn, and names the part of it', async () => {
    const filler = 'Nothing to see in this sentence about walks. '.repeat(60);
    const fact = 'The vault code is zebra-9.';
    const found = await recalled(
      conversation({ 3: `${filler}${fact} ${filler}` }),
      'what is the code of the vault?',
    );
    const third = found.find(({ turn }) => turn.number === 3);
    expect(third?.passage).toContain(fact);
    expect(third?.passage.length).toBeLessThanOrEqual(600);
  });

  it('prefers what was stated to the same question asked before, and brings answers along', async () => {
    const turns = conversation({
      3: 'The staging server is heron.',
      101: 'Which one is the staging server?',
      102: 'It is heron.',
    });
    const found = await numbersOf(turns, 'Which one is the staging server?');
    expect(found[0]).toBe(3);
    expect(found).toEqual(expect.arrayContaining([101, 102]));
  });

  it.each(['', '   ', 'yes', 'ok, thank you', 'and what of it?', 'Buy some milk tomorrow'])(
    'recalls nothing for "%s", which is about nothing that was said',
    async (message) => {
      expect(await numbersOf(conversation({ 3: 'The port is 5544.' }), message)).toEqual([]);
    },
  );

  it('recalls nothing of nothing, and a few of many', async () => {
    expect(await numbersOf([], 'what?')).toEqual([]);
    const many = conversation(
      Object.fromEntries(Array.from({ length: 90 }, (_, n) => [n + 1, `The port is ${n}.`])),
    );
    expect((await numbersOf(many, 'which port is it')).length).toBeLessThanOrEqual(6);
  });

  it('takes a hostile amount of text in bounded time', async () => {
    const turns = Array.from({ length: 40 }, (_, n) =>
      aTurn(n + 1, { text: `${'word '.repeat(1_000)}${'aA'.repeat(50_000)}` }),
    );
    expect(await recalled(turns, 'word '.repeat(20_000))).toHaveLength(2);
  });
});

describe('recalling by meaning', () => {
  it('finds what was said in other words', async () => {
    const turns = conversation({ 3: 'Postgres is reachable at 5544.' });
    const question = 'Which socket does our storage have?';
    expect(await numbersOf(turns, question)).toEqual([]);
    expect((await numbersOf(turns, question, conceptEmbed()))[0]).toBe(3);
  });

  it('does without when it fails or takes too long, and says so in the log', async () => {
    const lines: LoggedLine[] = [];
    const turns = conversation({ 3: 'The staging port is 5544.' });
    const failing: Embed = {
      query: async () => {
        throw new Error('no model');
      },
      passages: async () => [],
    };
    const endless = (within: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        within.addEventListener('abort', () => reject(within.reason));
      });
    const slow: Embed = {
      query: (_text, within) => endless(within),
      passages: (_texts, within) => endless(within),
    };
    const never = new Promise<never>(() => undefined);
    const deaf: Embed = { query: () => never, passages: () => never };
    for (const embed of [failing, slow, deaf]) {
      const recall = createRecall({ embed, patienceMs: 10, log: recordedLog(lines) });
      const found = await recall(turns, 'what is the staging port?', signal);
      expect(found[0]?.turn.number).toBe(3);
    }
    expect(lines).toHaveLength(3);
  });

  it('ends with the request', async () => {
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    const recall = createRecall({ embed: conceptEmbed(), patienceMs: 1_000, log: silentLog });
    await expect(recall(conversation({}), 'which port?', cancelled)).rejects.toThrow('cancelled');
  });

  it('asks for no vectors where there is nothing to look through', async () => {
    const embed = conceptEmbed();
    await numbersOf([], 'which port?', embed);
    expect(embed.seen).toEqual([]);
  });
});
