import { describe, expect, it } from 'vitest';
import type { PlanningAnswer } from '../planner/index.ts';
import { type ChangeMade, findChanges, planUndo } from './name-undo.ts';

const change = (id: string, what: string, files: readonly string[], said?: string): ChangeMade => ({
  id,
  at: '2026-03-04T05:06:07.000Z',
  what,
  files: files.map((path) => ({
    path,
    action: what.startsWith('delete') ? 'deleted' : 'modified',
  })),
  ...(said !== undefined && { said }),
});

// Latest first.
const changes = [
  change('created', 'create docs/deleted.txt', ['docs/deleted.txt']),
  change('shaped', 'change src/cart.ts', ['src/cart.ts'], 'reformat src/cart.ts'),
  change('gone', 'delete legacy.js', ['legacy.js']),
  change('longer', 'append to notes.md', ['notes.md']),
  change('swapped', 'replace "colour" with "color"', ['src/cart.ts', 'src/shop.ts']),
  change('older', 'replace "fetch" with "load"', ['src/net.ts']),
];

const undoPlan: PlanningAnswer = {
  kind: 'plan',
  candidates: [
    {
      plan: {
        version: 1,
        goal: '',
        steps: [{ id: 'u', tool: 'workspace.undo_changes', args: {} }],
      },
      why: '',
      confidence: 1,
    },
  ],
};

const ask = async (message: string, list = changes) => {
  const planned: string[] = [];
  const answer = await planUndo({
    message,
    plan: async (words) => {
      planned.push(words);
      return undoPlan;
    },
    list: async () => list,
  });
  const ids =
    'candidates' in answer
      ? answer.candidates.map(({ plan }) => plan.steps[0]?.args?.['change_id'])
      : [];
  return { answer, ids, planned };
};

describe('the change that is undone', () => {
  it.each([
    ['undo the deletion', 'gone'],
    ['revert the removal of legacy.js', 'gone'],
    ['bring back legacy.js', 'gone'],
    ['please restore legacy.js', 'gone'],
    ['undo the appended line in notes.md', 'longer'],
    ['roll back the append', 'longer'],
    ['undo the replacement of colour', 'swapped'],
    ['undo the rename in src/net.ts', 'older'],
    ['take back the latest rename', 'swapped'],
    ['undo the formatting of src/cart.ts', 'shaped'],
    ['undo creating the file', 'created'],
    ['undo the change to src/shop.ts', 'swapped'],
    ['undo what you did to notes.md', 'longer'],
  ])('is the one that "%s" names', async (message, id) => {
    expect((await ask(message)).ids).toEqual([id]);
  });

  it.each([
    'undo that',
    'undo',
    'undo the last change',
    'take it back',
    'revert what you just did',
  ])('is the last one for "%s"', async (message) => {
    expect((await ask(message)).ids).toEqual([undefined]);
  });

  it('is asked for where several fit', async () => {
    const { answer, ids } = await ask('undo the renaming');
    expect(ids).toEqual(['swapped', 'older']);
    expect(answer).toMatchObject({
      kind: 'question',
      questions: [expect.stringContaining('2. replace "fetch" with "load" in src/net.ts (2026-03')],
    });
  });

  it('is not guessed where none fits: those that can be undone are told', async () => {
    const { answer } = await ask('undo the refactoring');
    expect(answer).toMatchObject({
      kind: 'refusal',
      reason: expect.stringContaining('- delete legacy.js (2026-03-04 05:06 UTC)'),
    });
    expect((await ask('undo the edit of other.py', [])).answer).toMatchObject({
      reason: 'There is no change of this project that can be undone.',
    });
  });

  it('leaves commits and other requests to the planner', async () => {
    expect((await ask('undo the commit that added notes.md')).planned).toEqual([
      'undo the commit that added notes.md',
    ]);
    expect((await ask('delete legacy.js')).planned).toEqual(['delete legacy.js']);
  });
});

it('a word in the path of another change is not its kind', () => {
  expect(findChanges('undo the delete', changes).map(({ id }) => id)).toEqual(['gone']);
});
