import { expect, it } from 'vitest';
import type { LocalModel } from '../contract/model/index.ts';
import { offerModels } from './offer-models.ts';
import { createFakeSystem } from '../../testkit/cli/fake-system.ts';

const found: LocalModel = {
  name: 'ollama',
  url: 'http://127.0.0.1:11434/v1',
  owner: 'uid:998',
  ownerText: 'the service user ollama (uid 998)',
  models: ['a\u001B[2K', 'b', 'c', 'd'],
  isAccepted: null,
};

async function offer(model: LocalModel, answer?: string, isNeeded = true) {
  const system = await (
    await createFakeSystem().compose()
  ).openSystem({ flags: {}, env: {}, cwd: '' });
  const [notes, questions, decisions]: [string[], string[], boolean[]] = [[], [], []];
  const localModels = {
    isNeeded,
    find: async () => [model],
    decide: async (_model: LocalModel, isAccepted: boolean) => void decisions.push(isAccepted),
  };
  const ask = async (question: string): Promise<string | undefined> => {
    questions.push(question);
    return answer;
  };
  const output = { note: (text: string) => void notes.push(text) };
  const said = await offerModels(
    { ...system, localModels },
    output,
    answer === undefined ? undefined : ask,
  );
  return { notes, questions, decisions, said };
}

it.each([
  ['y', [true]],
  ['yes', [true]],
  ['n', [false]],
  ['', [false]],
  ['no thanks', [false]],
])('asks with address and owner, and takes %j as an answer', async (answer, decisions) => {
  const asked = await offer(found, answer);
  expect(asked.questions[0]).toContain(
    '"ollama" at http://127.0.0.1:11434/v1, run by the service user ollama (uid 998)',
  );
  expect(asked.questions[0]).not.toContain('\u001B');
  expect(asked.decisions).toEqual(decisions);
});

it('says and decides nothing where nobody can be asked', async () => {
  expect(await offer(found)).toMatchObject({ notes: [], decisions: [] });
});

it('gives back what is no answer, and decides nothing', async () => {
  expect(await offer(found, 'review src')).toMatchObject({
    said: 'review src',
    decisions: [],
    notes: ['Not decided; "tutti models use ollama" accepts it.'],
  });
});

it.each([
  ['was accepted', { ...found, isAccepted: true }, true],
  ['was refused', { ...found, isAccepted: false }, true],
  ['is not needed', found, false],
])('says nothing about one that %s', async (_why, model, isNeeded) => {
  expect(await offer(model, 'y', isNeeded)).toMatchObject({
    notes: [],
    questions: [],
    decisions: [],
  });
});
