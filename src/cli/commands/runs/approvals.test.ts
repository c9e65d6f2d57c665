import { describe, expect, it } from 'vitest';
import { anApproval } from '../../../../testkit/cli/fake-workflows.ts';
import { tutti, waitingFor } from '../../../../testkit/cli/run-on-runs.ts';
import { type Approval, askApproval, seenCode } from './approvals.ts';

const hidden = 'and wire 5000 to mallory';
const middle = `${'x'.repeat(3_000)} ${hidden} ${'x'.repeat(3_000)}`;
const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`field${at}`, at]));

/** Calls of which something is not seen at first sight. */
const longCalls: readonly [string, Approval][] = [
  ['the middle of a long value', { ...anApproval, arguments: { note: middle, to: 'bob' } }],
  ['a member behind a long value', { ...anApproval, arguments: { note: [middle], last: hidden } }],
  ['the middle of a long name', { ...anApproval, arguments: { [middle]: 1, to: 'bob' } }],
  ['the last of many members', { ...anApproval, arguments: { ...many, last: hidden } }],
  ['a value within a list', { ...anApproval, arguments: { rows: [1, { deep: middle }, 3] } }],
  ['the end of a long preview', { ...anApproval, preview: `${'+ x\n'.repeat(500)}+ ${hidden}` }],
  ['the middle of a long line of a preview', { ...anApproval, preview: `+ ${middle}` }],
  [
    'the arguments that a preview is too short for',
    { ...anApproval, preview: 'Binary files', isPreviewCut: true, arguments: { note: middle } },
  ],
  ['a value that is stored', { ...anApproval, arguments: { note: 'short' }, isPartial: true }],
];

/** A person who answers this, one after the other; gives the verdict and what they were shown. */
async function answering(approval: Approval, ...answers: readonly string[]) {
  const left = [...answers];
  const shown: string[] = [];
  const verdict = await askApproval(async (question) => {
    shown.push(question);
    return left.shift();
  }, approval);
  return { verdict, shown };
}

describe('a person who is asked for approval', () => {
  it('approves at once what is all shown', async () => {
    const { verdict, shown } = await answering(anApproval, 'y');
    expect(verdict).toBe('approved');
    expect(shown[0]).toContain('[y]es, [n]o, Enter');
  });

  it.each(longCalls)('cannot approve before %s was shown', async (_what, approval) => {
    const hasty = await answering(approval, 'y', 'yes', 'ok');
    expect(hasty.verdict).toBeUndefined();
    expect(hasty.shown[0]).toContain('Approve? [a]ll of it, [n]o');
    expect(hasty.shown[1]).toContain('not all of it was shown yet');
    const careful = await answering(approval, 'a', 'y');
    expect(careful.verdict).toBe('approved');
    expect(careful.shown[1]).toContain(JSON.stringify(approval.arguments, null, 2));
    expect(careful.shown[1]).toContain(approval.preview ?? '');
    expect((await answering(approval, 'n')).verdict).toBe('denied');
  });

  it('sees every name, and how long every value is', async () => {
    const approval = { ...anApproval, arguments: { note: middle, to: 'bob', rows: [middle] } };
    const [question = ''] = (await answering(approval)).shown;
    for (const text of ['note: "xxx', 'to: "bob"', 'rows: 1 items', '[0]: "xxx']) {
      expect(question).toContain(text);
    }
    expect(question).toContain('characters left out');
    expect(question.length).toBeLessThan(6_000);
  });
});

describe('tutti runs approve', () => {
  it.each(longCalls)('refuses what was not all shown: %s', async (_what, approval) => {
    const views = [waitingFor(approval)];
    for (const more of [[], ['--seen', 'wrong'], ['--json'], ['--seen', '']]) {
      const ran = await tutti(['runs', 'approve', 'run-1', 'one', ...more], { views });
      expect(ran.calls.map(([method]) => method)).toEqual([]);
      expect(ran.stderr + ran.stdout).toContain('cli.approval_unseen');
      expect(ran.exitCode).toBe(4);
    }
    const shown = await tutti(['runs', 'show', 'run-1', 'one'], { views });
    expect(shown.stdout).toContain(JSON.stringify(approval.arguments, null, 2));
    const [, code = ''] = /--seen (\w+)/.exec(shown.stdout) ?? [];
    expect(code).toBe(seenCode(approval));
    const ran = await tutti(['runs', 'approve', 'run-1', 'one', '--seen', code], { views });
    expect(ran.calls[0]).toEqual([
      'decide',
      'run-1',
      { verdict: 'approved', step: 'one', approvalId: 'ap-1' },
    ]);
  });

  it('says what it approves', async () => {
    const ran = await tutti(['runs', 'approve', 'run-1'], { views: [waitingFor(anApproval)] });
    expect(ran.stderr).toContain('It calls fake.echo_all with {"text":"hello"}');
  });

  it('does not take the code of another call', async () => {
    const [first, second] = longCalls.map(([, approval]) => approval);
    if (!first || !second) throw new Error('none');
    const ran = await tutti(['runs', 'approve', 'run-1', '--seen', seenCode(second)], {
      views: [waitingFor(first)],
    });
    expect(ran.calls).toEqual([]);
  });
});
