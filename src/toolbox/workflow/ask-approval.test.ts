import { describe, expect, it } from 'vitest';
import type { CallContext, ClientRequest, McpServer } from '../../contract/server/index.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import {
  anAskedClient,
  aWorkflowServer,
  ended,
  ForeignError,
  plan,
  structuredOf,
  type WorkflowSetup,
} from '../../../testkit/toolbox/workflow/a-workflow-server.ts';
import { anApproval } from '../../../testkit/toolbox/workflow/fake-workflows.ts';

describe('a run that waits for approval', () => {
  async function waiting(
    context: CallContext,
    wait = anApproval(),
  ): Promise<{ setup: WorkflowSetup; result: Awaited<ReturnType<McpServer['callTool']>> }> {
    const setup = aWorkflowServer();
    const { server, workflows } = setup;
    workflows.onDecide = (runId) => workflows.change(runId, { ...ended, waitingFor: [] });
    const call = server.callTool('run_plan', { plan }, context);
    await workflows.untilFollowed();
    workflows.change('run-1', { status: 'waiting', waitingFor: [wait] });
    return { setup, result: await call };
  }

  it('has the person at the client decide about the exact call', async () => {
    const asked: ClientRequest[] = [];
    const client = anAskedClient((request) => {
      asked.push(request);
      return { action: 'accept', content: { approve: true, reason: 'fine' } };
    });
    const { setup, result } = await waiting(aCallContext({ client }));
    expect(asked).toMatchObject([
      {
        method: 'elicitation/create',
        params: {
          message:
            'Step "deploy" of run run-1 asks for approval.\nShip it?\nIt would call ops.deploy with:\n' +
            '{\n  "target": "production"\n}',
        },
      },
    ]);
    expect(setup.workflows.decisions).toEqual([
      {
        runId: 'run-1',
        decision: { step: 'deploy', approvalId: 'a1', verdict: 'approved', reason: 'fine' },
      },
    ]);
    expect(result.structuredContent).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    ['declines', { action: 'decline' }],
    ['accepts without approving', { action: 'accept', content: { approve: false } }],
    ['answers nonsense', { action: 'accept', content: 'yes' }],
  ])('is denied when the person %s', async (_what, answer) => {
    const { setup } = await waiting(aCallContext({ client: anAskedClient(() => answer) }));
    expect(setup.workflows.decisions).toMatchObject([{ decision: { verdict: 'denied' } }]);
  });

  it.each([
    ['the client cannot be asked', anAskedClient(() => ({}), { capabilities: {} })],
    ['the person closes the question', anAskedClient(() => ({ action: 'cancel' }))],
    [
      'nobody answers',
      anAskedClient(() => {
        throw new ForeignError('gateway.client_refused');
      }),
    ],
    ['there is no client', undefined],
  ])('stays undecided when %s, and names the command', async (_what, client) => {
    const { setup, result } = await waiting(aCallContext(client ? { client } : {}));
    expect(setup.workflows.decisions).toEqual([]);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      status: 'waiting',
      waitingFor: [
        {
          kind: 'approval',
          step: 'deploy',
          arguments: { target: 'production' },
          commands: ['tutti runs approve run-1 deploy', 'tutti runs deny run-1 deploy'],
        },
      ],
    });
    expect(result.content[0]?.['text']).toContain('tutti runs approve run-1 deploy');
  });

  it.each([
    ['its arguments', { arguments: { text: 'x'.repeat(30_000) } }],
    ['its preview', { preview: 'x'.repeat(30_000) }],
    ['what is stored elsewhere', { isPartial: true } as const],
  ])('is not asked about when nobody could read all of %s', async (_what, parts) => {
    const client = anAskedClient(() => ({ action: 'accept', content: { approve: true } }));
    const { setup } = await waiting(aCallContext({ client }), anApproval(parts));
    expect(setup.workflows.decisions).toEqual([]);
  });

  it('shows the arguments too where a preview does not show all', async () => {
    let message = '';
    const client = anAskedClient(({ params }) => {
      message = String(params['message']);
      return { action: 'cancel' };
    });
    const cut = { preview: 'Binary files differ', isPreviewCut: true } as const;
    await waiting(aCallContext({ client }), anApproval(cut));
    expect(message).toContain('Binary files differ\n{\n  "target": "production"');
  });

  it('shows characters that could hide what is approved', async () => {
    let message = '';
    const client = anAskedClient(({ params }) => {
      message = String(params['message']);
      return { action: 'cancel' };
    });
    const wait = anApproval({ message: 'a\u202eb', arguments: { path: '/\u200bsafe\u001b[2K' } });
    await waiting(aCallContext({ client }), wait);
    expect(message).toContain(String.raw`a\u202eb`);
    expect(message).toContain(String.raw`/\u200bsafe\u001b[2K`);
  });

  it('goes on when somebody else decided first', async () => {
    const { server, workflows } = aWorkflowServer();
    workflows.onDecide = (runId) => {
      workflows.change(runId, { ...ended, waitingFor: [] });
      throw new ForeignError('workflow.no_such_approval');
    };
    const client = anAskedClient(() => ({ action: 'accept', content: { approve: true } }));
    const call = server.callTool('run_plan', { plan }, aCallContext({ client }));
    await workflows.untilFollowed();
    workflows.change('run-1', { status: 'waiting', waitingFor: [anApproval()] });
    expect(await structuredOf(call)).toMatchObject({ status: 'succeeded' });
  });

  it('names the command for whatever else it waits for', async () => {
    const error = { code: 'x.y', message: 'bad', details: {} };
    const { server, workflows } = aWorkflowServer();
    const call = server.callTool('run_plan', { plan }, aCallContext());
    await workflows.untilFollowed();
    workflows.change('run-1', {
      status: 'waiting',
      waitingFor: [
        { kind: 'signal', step: 'w', signal: "it's here" },
        { kind: 'resolve', step: 'e[2]', tool: 'ops.x', message: 'lost' },
        { kind: 'repair', step: 'outer/r', error },
      ],
    });
    expect(await structuredOf(call)).toMatchObject({
      waitingFor: [
        { commands: [String.raw`tutti runs signal run-1 'it'\''s here' JSON`] },
        {
          commands: [
            "tutti runs resolve run-1 'e[2]' --happened",
            "tutti runs resolve run-1 'e[2]' --not-happened",
          ],
        },
        {
          commands: [
            'tutti runs repair run-1 outer/r --args JSON',
            'tutti runs repair run-1 outer/r --give-up',
          ],
          error,
        },
      ],
    });
  });
});
