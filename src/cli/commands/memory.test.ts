import { describe, expect, it } from 'vitest';
import { createFakeMemoryItems } from '../../../testkit/cli/fake-memory-items.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { runMain } from '../../../testkit/cli/run-main.ts';
import { aMemoryItem } from '../../../testkit/memory/a-memory-item.ts';

function aTerminal() {
  const memoryItems = createFakeMemoryItems([
    aMemoryItem({ id: 'm1', text: 'Staging is on port 5433' }),
    aMemoryItem({ id: 'm2', text: 'Trust me', status: 'candidate' }),
  ]);
  return async (line: string) => {
    const compose = await createFakeSystem().compose();
    const openSystem: typeof compose.openSystem = async (wanted) => ({
      ...(await compose.openSystem(wanted)),
      memoryItems,
    });
    const io = { compose: async () => ({ ...compose, openSystem }) };
    return runMain(['memory', ...line.split(' ').filter((word) => word !== '')], { io });
  };
}

describe('tutti memory', () => {
  it('lists items with what is special about them', async () => {
    const run = aTerminal();
    const { stdout, exitCode } = await run('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^m1 {2}20\d\d-\d\d-\d\d \d\d:\d\d {2}fact {2}Staging is on port 5433\n/,
    );
    expect(stdout).toContain('fact, candidate  Trust me');
    expect(JSON.parse((await run('list --json -k 1')).stdout)).toMatchObject([{ id: 'm1' }]);
  });

  it('searches and says why something was found', async () => {
    const run = aTerminal();
    const { stdout } = await run('search which port');
    expect(stdout).toContain('Staging is on port 5433\n    It was given at the terminal');
    expect((await run('search zebra')).stdout).toContain('Nothing that is remembered');
    expect(JSON.parse((await run('search port --json')).stdout)).toMatchObject({
      hits: [{ item: { id: 'm1' } }],
      isAnswerable: true,
    });
  });

  it('remembers, corrects, pins, excludes, accepts, explains and forgets', async () => {
    const run = aTerminal();
    expect((await run('remember Rex is a dog')).stdout).toMatch(
      /^Remembered: m3 .*Rex is a dog\n$/,
    );
    expect((await run('correct m3 Rex is a cat')).stdout).toMatch(/^Corrected: m4 .*a cat\n$/);
    expect((await run('pin m1')).stdout).toMatch(/^Pinned: m1 .*fact, pinned/);
    expect((await run('pin m1 --off')).stdout).toMatch(/^Not pinned: m1/);
    expect((await run('exclude m1')).stdout).toMatch(/^Excluded: m1 .*excluded/);
    expect((await run('exclude m1 --off')).stdout).toMatch(/^Recalled again: m1/);
    expect((await run('accept m2 m1')).stdout).toMatch(/^Accepted m2 .*\nAccepted m1/);
    expect((await run('explain m1')).stdout).toContain('It was given at the terminal');
    expect((await run('forget m1 m2 --erase')).stdout).toBe('Forgot 2 items: m1, m2\n');
    expect((await run('erase')).stdout).toContain('no traces');
    const unknown = await run('explain m1 --json');
    expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'memory.unknown_item' } });
  });

  it.each([
    ['list --kind animal', 'animal'],
    ['list --status old', 'old'],
    ['search x --at yesterday', '--at wants a time'],
    ['remember', 'WORDS… is missing'],
    ['remember x --kind turn', 'Turns are remembered by themselves'],
    ['list --erase', '"memory list" does not take --erase'],
    ['serach x', 'Did you mean "search"?'],
  ])('says what is wrong with "%s"', async (line, said) => {
    const ran = await aTerminal()(line);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(said);
  });
});
