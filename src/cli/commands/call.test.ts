import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import { printableStream } from '../printable.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import type { SystemRequest } from '../../compose/index.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { runMain, type RunOptions, runWith } from '../../../testkit/cli/run-main.ts';
import { createProgressBar } from './call.ts';

function aFolder(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('call', () => {
  it.each([
    ['text=plain', { text: 'plain' }],
    ['text=12', { text: '12' }],
    ['text=true', { text: 'true' }],
    ['text=a=b', { text: 'a=b' }],
    ['text=', { text: '' }],
    ['text=@@home', { text: '@home' }],
    ['count=12', { count: 12 }],
    ['count=-3', { count: -3 }],
    ['count=many', { count: 'many' }],
    ['ratio=0.5', { ratio: 0.5 }],
    ['ratio=null', { ratio: null }],
    ['deep=true', { deep: true }],
    ['deep=false', { deep: false }],
    ['deep=maybe', { deep: 'maybe' }],
    ['items=a', { items: ['a'] }],
    ['items=["a","b"]', { items: ['a', 'b'] }],
    ['items=a items=b items=["c"]', { items: ['a', 'b', 'c'] }],
    ['either=a', { either: 'a' }],
    ['either=[1]', { either: [1] }],
    ['options={"a":1}', { options: { a: 1 } }],
    ['level=high', { level: 'high' }],
    ['version=2', { version: 2 }],
    ['anything=1', { anything: '1' }],
    ['loop=1', { loop: '1' }],
    ['foreign=1', { foreign: '1' }],
    ['--args {"count":1} count=2', { count: 2 }],
    ['--args {"count":1}', { count: 1 }],
  ])('%s', async (line, args) => {
    const { seen, stdout } = await runMain(['call', 'fake.echo_all', ...line.split(' '), '--json']);
    expect(seen.calls).toEqual([{ name: 'fake__echo_all', args }]);
    expect(JSON.parse(stdout)).toEqual({ echoed: args });
  });

  it.each(['fake.echo_all', 'fake__echo_all', 'echo_all'])('finds a tool as %s', async (name) => {
    expect((await runMain(['call', name])).seen.calls).toHaveLength(1);
  });

  it('reads arguments from files and standard input', async () => {
    const cwd = aFolder({ 'code.py': 'print()\n', 'args.json': '{"count": 1, "text": "weak"}' });
    const args = async (line: string, options: RunOptions = {}) => {
      const argv = ['call', 'fake.echo_all', ...line.split(' ')];
      return (await runMain(argv, { ...options, io: { cwd } })).seen.calls[0]?.args;
    };
    expect(await args('text=@code.py')).toEqual({ text: 'print()\n' });
    expect(await args('text=-', { stdin: 'from stdin' })).toEqual({ text: 'from stdin' });
    expect(await args('--args-file args.json text=strong')).toEqual({ count: 1, text: 'strong' });
    expect(await args('--args-file -', { stdin: '{"count": 2}' })).toEqual({ count: 2 });
  });

  it('refuses standard input that is not text', async () => {
    const stdin = Buffer.from([0xff, 0xfe]);
    const { exitCode, stderr } = await runMain(['call', 'fake.echo_all', 'text=-'], { stdin });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Standard input was not read: it is not UTF-8 text');
  });

  it('lets any argument through where the tool takes any', async () => {
    const { seen } = await runMain(['call', 'fake.open_ended', 'whatever=1']);
    expect(seen.calls[0]?.args).toEqual({ whatever: '1' });
  });

  describe('of an added server', () => {
    const inputSchema: JsonSchema = {
      type: 'object',
      required: ['gpu', 'unit'],
      properties: {
        gpu: { type: 'string' },
        hours: { $ref: '#/$defs/hours' },
        count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        tier: { enum: ['spot', 'fixed'] },
        spot: { allOf: [{ type: 'boolean' }] },
        zones: { type: 'array' },
        unit: { type: 'string', default: 'hour' },
        any: { anyOf: [{ type: 'number' }, {}] },
        much: { type: ['string', 'number'] },
        odd: { $ref: 'https://example.org/schema' },
      },
      $defs: { hours: { type: 'number' } },
    };
    const call = async (line: string) => {
      const calls: unknown[] = [];
      const entry = { name: 'lab.price', wireName: 'lab__price', server: 'lab' };
      const ran = await runWith(
        (system) => ({
          ...system,
          catalogue: {
            ...system.catalogue,
            entries: async () => [{ ...entry, tool: { name: 'price', inputSchema } }],
            callTool: async (_name, args) => {
              calls.push(args);
              return { content: [] };
            },
          },
        }),
        ['call', 'lab.price', ...line.split(' ')],
      );
      return { ...ran, calls };
    };

    it.each([
      ['gpu=a hours=three', '"hours" wants a number, and got "three"'],
      ['gpu=a count=1.5', '"count" wants a whole number or null, and got 1.5'],
      ['gpu=a tier=cheap', '"tier" wants one of "spot", "fixed", and got "cheap"'],
      ['gpu=a spot=maybe', '"spot" wants true or false, and got "maybe"'],
      ['hours=1', '"gpu" is missing'],
      ['--args {"gpu":1,"zones":"x"}', '"gpu" wants text, and got 1; "zones" wants a list'],
    ])('refuses %s before the server is called', async (line, reason) => {
      const { exitCode, stderr, calls } = await call(line);
      expect(stderr).toContain(`"lab.price" was not called: ${reason}`);
      expect(stderr).toContain('hint: `tutti tools lab.price` shows');
      expect([exitCode, calls]).toEqual([2, []]);
    });

    it.each([
      ['gpu=12 hours=3 count=2 tier=spot spot=true zones=a', { gpu: '12', hours: 3, count: 2 }],
      ['gpu=a count=null any=x much=many odd=1', { count: null, any: 'x', much: 'many', odd: '1' }],
    ])('passes on %s', async (line, args) => {
      const { exitCode, calls } = await call(line);
      expect(calls).toEqual([expect.objectContaining(args)]);
      expect(exitCode).toBe(0);
    });
  });

  it('prints the text of a tool, and its content whole when it has no structure', async () => {
    expect((await runMain(['call', 'fake.echo_all'])).stdout).toBe('echoed\n');
    expect((await runMain(['call', 'fake.no_structure'])).stdout).toBe(
      'words\n[image image/png, 4 base64 characters: use --json]\nfile:///a\ninner\n',
    );
    const { stdout } = await runMain(['call', 'fake.no_structure', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: 'words' }, {}, {}, {}] });
  });

  describe('of a tool that shows what it would do', () => {
    const line = ['call', 'fake.open_ended', 'path=a.txt'];
    const preview = async () => ({ text: '-old\n+new\u001b[2J\n', basis: { 'a.txt': '1' } });

    const atTerminal = async (argv: readonly string[], typed: string) => {
      const metas: unknown[] = [];
      const { compose } = createFakeSystem();
      const { openSystem, ...others } = await compose();
      const watched = async (options: SystemRequest) => {
        const system = await openSystem(options);
        const callTool: Catalogue['callTool'] = (name, args, context) => {
          metas.push(context.meta);
          return system.catalogue.callTool(name, args, context);
        };
        return { ...system, preview, catalogue: { ...system.catalogue, callTool } };
      };
      const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
      const io = { stdin, compose: async () => ({ ...others, openSystem: watched }) };
      return { ...(await runMain(argv, { isTTY: true, io })), metas };
    };

    it('asks the person at the terminal, and makes the call that was shown', async () => {
      const { stderr, exitCode, metas } = await atTerminal(line, 'y\n');
      expect(stderr).toContain('-old\n+new\\u001b[2J\nDo it? [y]es, [n]o: ');
      expect(metas).toEqual([{ 'tutti/approvedBasis': { 'a.txt': '1' } }]);
      expect(exitCode).toBe(0);
    });

    it.each(['n\n', '\n', ''])('makes no call after the answer %j', async (typed) => {
      const { stderr, exitCode, metas } = await atTerminal(line, typed);
      expect(stderr).toContain('Nothing was changed.');
      expect([exitCode, metas]).toEqual([3, []]);
    });

    it.each([['--yes'], ['--json']])('asks nothing with %s', async (flag) => {
      const { stderr, metas } = await atTerminal([...line, flag], '');
      expect(stderr).not.toContain('Do it?');
      expect(metas).toEqual([{}]);
    });
  });

  it('prints the error of a tool as it came', async () => {
    const { stdout } = await runMain(['call', 'fake.fail_known', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'code.syntax_error', message: 'line 1', details: { line: 1 } },
    });
  });

  it('says why the tools of a server are unknown', async () => {
    const failures = () => [{ server: 'broken', message: 'The process exited with code 1' }];
    const { stderr, exitCode } = await runWith(
      (system) => ({ ...system, catalogue: { ...system.catalogue, failures } }),
      ['call', 'broken.read'],
    );
    expect(stderr).toContain('server "broken" are unknown. The process exited with code 1');
    expect(stderr).toContain('hint: `tutti servers logs broken` shows what it wrote.');
    expect(exitCode).toBe(1);
  });
});

const clear = '\u001B[2K\u001B[G';

/** A terminal and a clock the test moves. */
function aScreen(isTTY = true) {
  const written: string[] = [];
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const stream = printableStream({
    isTTY,
    columns: 50,
    write: (text: string) => written.push(text),
  });
  return { written, clock, bar: createProgressBar(stream, clock) };
}

describe('the progress bar', () => {
  it('stays away for the first second', () => {
    const { written, clock, bar } = aScreen();
    clock.nowMs = 999;
    bar.update({ progress: 1, total: 2 });
    bar.clear();
    expect(written).toEqual([]);
  });

  it('shows how much is done after that, and leaves no trace', () => {
    const { written, clock, bar } = aScreen();
    clock.nowMs = 1000;
    bar.update({ progress: 5, total: 10, message: 'src/a.ts' });
    bar.clear();
    expect(written).toEqual([`${clear}[############............] 5/10 src/a.ts`, clear]);
  });

  it('draws at most ten times a second', () => {
    const { written, clock, bar } = aScreen();
    for (clock.nowMs = 1000; clock.nowMs < 2000; clock.nowMs += 1) {
      bar.update({ progress: clock.nowMs });
    }
    expect(written).toHaveLength(10);
  });

  it('never breaks the line, whatever the tool says', () => {
    const { written, clock, bar } = aScreen();
    clock.nowMs = 1000;
    bar.update({ progress: 30, total: 10, message: `a\n\u001B[31m${'x'.repeat(500)}` });
    expect(written[0]).toHaveLength(clear.length + 49);
    expect(written[0]?.slice(clear.length)).not.toMatch(/\p{Cc}/u);
  });

  it('is not for pipes', () => {
    const { written, clock, bar } = aScreen(false);
    clock.nowMs = 5000;
    bar.update({ progress: 1 });
    bar.clear();
    expect(written).toEqual([]);
  });
});
