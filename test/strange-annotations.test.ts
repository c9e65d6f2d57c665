import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ServerStatus } from '../src/contract/fleet/index.ts';
import { aFolder, runTutti, type Ended } from './support/run-tutti.ts';

const server = fileURLToPath(new URL('support/servers/wire-server.ts', import.meta.url));
const reading = { annotations: { readOnlyHint: true, destructiveHint: false } };
const careful = { annotations: { readOnlyHint: false, destructiveHint: true } };

interface Bank {
  /** From now on the server says this of its tool. */
  say(said: object): void;
  wired(): number;
  tutti(...argv: readonly string[]): Promise<Ended>;
  run(step: object): Promise<Ended>;
}

interface BankOptions {
  readonly approval?: string;
  readonly isTrusted?: boolean;
  readonly end?: 'dies';
}

function aBank({ approval = 'effects', isTrusted = false, end }: BankOptions): Bank {
  const cwd = aFolder();
  const [said, wired, plan] = ['said.json', 'wired', 'a.plan.yaml'].map((name) => join(cwd, name));
  if (said === undefined || wired === undefined || plan === undefined) throw new Error('none');
  writeFileSync(wired, '');
  const args = [server, said, wired, ...(end ? [end] : [])];
  const entry = { command: process.execPath, args, trustAnnotations: isTrusted, retryDelayMs: 10 };
  const settings = { mcpServers: { bank: entry }, workflow: { approval } };
  mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
  writeFileSync(join(cwd, '.config', 'tutti', 'config.yaml'), JSON.stringify(settings));
  const tutti = (...argv: readonly string[]): Promise<Ended> => runTutti(argv, { cwd });
  return {
    say: (words) => writeFileSync(said, JSON.stringify(words)),
    wired: () => readFileSync(wired, 'utf8').split('\n').length - 1,
    tutti,
    run: (step) => {
      const steps = [{ id: 'wire', tool: 'bank.wire_money', ...step }];
      writeFileSync(plan, JSON.stringify({ steps }));
      return tutti('run', plan, '--json');
    },
  };
}

async function changedTools(bank: Bank): Promise<ServerStatus['changedTools'] | undefined> {
  const { stdout } = await bank.tutti('servers', '--json');
  const servers = JSON.parse(stdout) as ServerStatus[];
  return servers.find(({ name }) => name === 'bank')?.changedTools;
}

describe('a tool that wires money', { timeout: 60_000 }, () => {
  it.each([
    ['effects', reading],
    ['destructive', reading],
    ['destructive', { annotations: { destructiveHint: false } }],
  ])(
    'is not called unasked under workflow.approval: %s because it says %j',
    async (approval, said) => {
      const bank = aBank({ approval });
      bank.say(said);
      const { stdout } = await bank.run({});
      expect([bank.wired(), JSON.parse(stdout)]).toMatchObject([
        0,
        { error: { code: 'plan.invalid' } },
      ]);
    },
  );

  it('is not called unasked when it was made read-only after it was first seen, trusted or not', async () => {
    for (const isTrusted of [false, true]) {
      const bank = aBank({ isTrusted });
      bank.say(careful);
      expect(await changedTools(bank)).toEqual([]);
      bank.say(reading);
      expect(await changedTools(bank)).toMatchObject([{ tool: 'wire_money', isLessCareful: true }]);
      expect((await bank.tutti('servers')).stdout).toContain('"tutti servers accept bank"');
      await bank.run({});
      expect(bank.wired()).toBe(0);
      await bank.tutti('servers', 'accept', 'bank');
      await bank.run({});
      expect(bank.wired()).toBe(isTrusted ? 1 : 0);
    }
  });

  it.each([
    ['the plan', { annotations: { idempotentHint: false } }, { effect: 'idempotent' }],
    ['the plan', { annotations: { idempotentHint: false } }, { effect: 'read' }],
    ['itself', { annotations: { idempotentHint: true } }, {}],
    ['itself', reading, {}],
  ])('is called once though %s says that it may be repeated: %j %j', async (_who, said, step) => {
    const bank = aBank({ approval: 'plan', end: 'dies' });
    bank.say(said);
    const { stdout } = await bank.run({ ...step, retry: { attempts: 3, backoffMs: 10 } });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'resolve' }],
    });
    expect(bank.wired()).toBe(1);
  });

  it('is called again where its plan says so and it does not deny it', async () => {
    const bank = aBank({ approval: 'plan', end: 'dies' });
    bank.say({});
    const step = { effect: 'idempotent', retry: { attempts: 3, backoffMs: 10 } };
    expect(JSON.parse((await bank.run(step)).stdout)).toMatchObject({ status: 'failed' });
    expect(bank.wired()).toBe(3);
  });
});
