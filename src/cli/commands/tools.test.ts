import { describe, expect, it } from 'vitest';
import { runMain } from '../../../testkit/cli/run-main.ts';

describe('tools', () => {
  it('lists them with the schemas a program needs', async () => {
    const { stdout } = await runMain(['tools', '--json']);
    const tools: unknown = JSON.parse(stdout);
    expect(tools).toHaveLength(11);
    expect((tools as unknown[]).slice(0, 1)).toMatchObject([
      { name: 'fake.echo_all', server: 'fake', title: 'Echo', outputSchema: {}, annotations: {} },
    ]);
  });

  it('finds those that fit a query, at most as many as asked for', async () => {
    const names = async (...words: string[]) => {
      const { stdout } = await runMain(['tools', ...words, '--json']);
      return (JSON.parse(stdout) as { name: string }[]).map((tool) => tool.name);
    };
    expect(await names('repeat')).toEqual(['fake.echo_all']);
    expect(await names('wait')).toEqual(['fake.wait', 'other.wait']);
    expect(await names('wait', '-k', '1')).toEqual(['fake.wait']);
    expect(await names('banana')).toEqual([]);
  });

  it.each(['fake.echo_all', 'fake__echo_all', 'echo_all'])(
    'shows one with what it takes and gives, and an example: %s',
    async (name) => {
      const { stdout } = await runMain(['tools', name]);
      expect(stdout).toBe(`fake.echo_all  Echo
Gives back what it gets. It does nothing else.
Declared read-only by server "fake".

Arguments
  text: text, required
      Any text.
  count: whole number from 1 to 9, default 3
  ratio: number or null
  deep: true or false
  items: list of text
  either: text or list
  options: object {a, b}
  level: low | high
  version: 2
  anything: anything
  loop: anything
  foreign: anything

Result
  echoed: object
      What came.
  said: text

Example
  tutti call fake.echo_all text=TEXT
  tutti "repeat after me"
`);
    },
  );

  it('shows one that says nothing about itself', async () => {
    expect((await runMain(['tools', 'fake.open_ended'])).stdout).toBe(`fake.open_ended

Arguments: none

Result
  no schema declared

Example
  tutti call fake.open_ended
`);
  });

  it('wraps what is longer than the line of a terminal', async () => {
    const { stdout } = await runMain(['tools', 'fake.echo_all'], { isTTY: true });
    const plain = stdout.replaceAll(/\u001B\[\d+m/g, '');
    expect(Math.max(...plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('lists all tools of a server, and of no other', async () => {
    const { stdout } = await runMain(['tools', 'other', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'other.wait' }]);
    expect(JSON.parse((await runMain(['tools', 'fake', '--json'])).stdout)).toHaveLength(10);
    expect(JSON.parse((await runMain(['tools', 'fake', '-k', '2', '--json'])).stdout)).toHaveLength(
      2,
    );
  });

  it('says so when nothing fits', async () => {
    const { stdout, stderr } = await runMain(['tools', 'banana']);
    expect(stdout).toBe('');
    expect(stderr).toContain('No tool fits "banana"');
  });
});
