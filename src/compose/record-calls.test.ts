import { describe, expect, it } from 'vitest';
import type { Caller } from '../contract/caller/index.ts';
import type { Attempt, FailedAttempt } from '../contract/experience/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import { AppError, reportError } from '../kernel/index.ts';
import { failedToolResult } from '../contract/tool/index.ts';
import { anEntry } from '../../testkit/agent/an-agent.ts';
import { aCallContext } from '../../testkit/toolbox/call-context.ts';
import { anExperience } from '../../testkit/memory/an-experience.ts';
import { recordCalls } from './record-calls.ts';

const anna: Caller = { id: 'anna' };
const ben: Caller = { id: 'ben' };
const fine = { content: [{ type: 'text' as const, text: 'done' }] };

class QuotaError extends AppError {
  readonly code: string;

  constructor(code: string) {
    super('The quota of "eu" is used up');
    this.code = code;
  }
}

/** Calls that are recorded, and what was read and reported for them. */
function setUp() {
  const failed: FailedAttempt[] = [];
  const succeeded: Attempt[] = [];
  let reads = 0;
  const record = recordCalls({
    version: '1',
    experience: {
      ...anExperience(),
      failed: (_caller, attempt) => void failed.push(attempt),
      succeeded: (_caller, attempt) => void succeeded.push(attempt),
    },
    store: {
      experience: {
        openTargets: async () => {
          reads += 1;
          return [];
        },
      },
    },
  });
  const call = (
    outcome: Pick<Parameters<typeof record>[0], 'result' | 'error'>,
    { tool = 'shop.order', ...parts }: Partial<CallContext> & { tool?: string } = {},
  ): void => {
    const context = aCallContext({ caller: anna, face: 'mcp', ...parts });
    record({ entry: anEntry(tool, {}), args: { region: 'eu', count: 1 }, context, ...outcome });
  };
  const callOfStep = (): void => {
    record({ entry: anEntry('shop.order'), args: {}, context: aCallContext(), result: failure() });
  };
  return { call, callOfStep, failed, succeeded, reads: () => reads };
}

const failure = (code = 'shop.no_quota') => failedToolResult(reportError(new QuotaError(code)));

describe('a call that was made directly', () => {
  it('is recorded with its error where it fails, by tool and main argument', () => {
    const { call, failed } = setUp();
    call({ result: failure() });
    call({ error: new QuotaError('fleet.upstream_error') });
    expect(failed).toMatchObject([
      {
        kind: 'call',
        subject: 'shop.order',
        target: 'call shop.order eu',
        arguments: { region: 'eu', count: 1 },
        error: { code: 'shop.no_quota', message: 'The quota of "eu" is used up' },
      },
      { error: { code: 'fleet.upstream_error' } },
    ]);
  });

  it('is not recorded where it was cancelled, not allowed or declined, nor as a step of a run', () => {
    const { call, callOfStep, failed } = setUp();
    call({ result: failure() }, { signal: AbortSignal.abort() });
    for (const code of ['access.forbidden', 'api.not_permitted', 'exec.not_approved']) {
      call({ result: failure(code) });
    }
    callOfStep();
    call({ result: failure() }, { tool: 'workflow.run_plan' });
    expect(failed).toEqual([]);
  });

  it('costs a look-up where it succeeds and no call of its caller failed', async () => {
    const { call, succeeded, reads } = setUp();
    // The first asks for failures of other processes.
    call({ result: fine });
    await Promise.resolve();
    for (let n = 0; n < 1_000; n += 1) call({ result: fine });
    expect(reads()).toBe(1);
    expect(succeeded).toHaveLength(1);
    call({ result: failure() });
    call({ result: fine });
    call({ result: fine }, { caller: ben });
    expect(succeeded.map(({ target }) => target)).toEqual(Array(3).fill('call shop.order eu'));
  });
});
