import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aMemory } from '../../../testkit/memory/a-memory.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { runMain } from '../../../testkit/cli/run-main.ts';

function aTerminal() {
  const { memory } = aMemory();
  const run = async (line: string) => {
    const compose = await createFakeSystem().compose();
    const openSystem: typeof compose.openSystem = async (wanted) => ({
      ...(await compose.openSystem(wanted)),
      memory,
    });
    return runMain(line.split(' '), { io: { compose: async () => ({ ...compose, openSystem }) } });
  };
  return { memory, run };
}

describe('tutti preferences', () => {
  it('lists what is preferred, where it holds and the words it comes from', async () => {
    const { memory, run } = aTerminal();
    expect((await run('preferences')).stdout).toContain('There are none');
    const setting = { project: '/home/anna/shop' };
    await memory.learn(localCaller, 'I prefer pytest. In this project we use tabs.', setting);
    await memory.learn(localCaller, 'no, use Vitest', { isReply: true });
    const { stdout } = await run('preferences');
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'tests with Vitest | javascript, suggested | you said "no, use Vitest" on 1 January 2026',
      'indent with tabs | in shop | you said "In this project we use tabs" on 1 January 2026',
      'tests with pytest | python | you said "I prefer pytest" on 1 January 2026',
      '',
    ]);
    expect(JSON.parse((await run('preferences --json')).stdout)).toMatchObject([
      { text: 'tests with Vitest', state: 'suggested' },
      { text: 'indent with tabs', project: '/home/anna/shop' },
      { text: 'tests with pytest', language: 'python' },
    ]);
  });

  it('tells why, with what held before, and forgets both', async () => {
    const { memory, run } = aTerminal();
    const source = { session: 'ab12', turn: 3 };
    await memory.learn(localCaller, 'I prefer 4 spaces');
    await memory.learn(localCaller, 'tabs please', { source });
    expect((await run('preferences why tabs')).stdout).toBe(
      'indent with tabs: you said "tabs please" on 1 January 2026, in session ab12, turn 3.\n' +
        '  before, until 1 January 2026: indent with 4 spaces (you said "I prefer 4 spaces" on 1 January 2026)\n',
    );
    expect((await run('preferences why nonsense')).exitCode).toBe(2);
    expect((await run('preferences forget tabs')).stdout).toBe(
      'Forgotten: indent with tabs, indent with 4 spaces\n',
    );
    expect((await run('preferences forget tabs')).stderr).toContain('memory.unknown_preference');
    expect(await memory.preferences(localCaller)).toEqual([]);
  });
});
