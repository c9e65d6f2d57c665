import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printable } from '../src/cli/printable.ts';
import { openAiChunk, startWireServer, type WireServer } from './support/models/wire-server.ts';
import { program } from './support/run-tutti.ts';
import { isCi, sampleSeeded } from '../testkit/sample.ts';
import {
  driveTerminal,
  keys,
  type TerminalEnd,
  type TerminalStep,
} from './support/terminal/drive-terminal.ts';
import { foreignControls, hostileText } from './support/terminal/hostile-text.ts';

/** Debian and macOS have it; where it is missing nobody can sit at a terminal. */
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'tutti-pty-'));
const project = join(folder, 'project');
const server = new URL('support/servers/shouting-server.ts', import.meta.url).pathname;
/** What a file may be called: anything but a slash and a zero. */
const fileName = (seed: number): string => hostileText(seed).replaceAll(/[/\0]/g, '');
const shouting = { command: process.execPath, args: [server] };
const evil = 'e\u200Bvil';
let model: WireServer;

beforeAll(async () => {
  model = await startWireServer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 1; at < 20; at += 1) response.write(openAiChunk(hostileText(at)));
    response.end('data: [DONE]\n\n');
  });
  const scripted = {
    kind: 'openai',
    url: `${model.url}/v1`,
    model: `m${hostileText(3)}`,
    api_key: 'x',
  };
  const settings = {
    models: { providers: { test: scripted }, autodetect: false },
    mcpServers: {
      [evil]: { ...shouting, prefix: 'evil' },
      gone: { command: `/no/such/${fileName(9)}` },
    },
    roots: [project],
  };
  mkdirSync(join(folder, 'config', 'tutti'), { recursive: true });
  writeFileSync(join(folder, 'config', 'tutti', 'config.yaml'), JSON.stringify(settings));
  mkdirSync(project);
  spawnSync('git', ['init', '-q', project]);
  mkdirSync(join(project, `dir${fileName(1)}`));
  writeFileSync(
    join(project, `dir${fileName(1)}`, `file${fileName(2)}.py`),
    'import os\nx=eval(1)',
  );
  writeFileSync(join(project, `page${fileName(4)}.md`), `# ${hostileText(5)}\n`);
  writeFileSync(join(project, 'page.md'), `# ${hostileText(5)}\n${hostileText(6)}\n`);
  writeFileSync(join(project, 'requirements.txt'), `x${hostileText(7)}==1\n`);
  writeFileSync(
    join(project, 'tutti.yaml'),
    JSON.stringify({
      mcpServers: {
        'p\u202E': {
          ...shouting,
          args: [server, hostileText(8)],
          env: { A: hostileText(3) },
        },
      },
    }),
  );
  const claude = { mcpServers: { [`c${hostileText(1)}`]: { command: hostileText(2), args: [] } } };
  writeFileSync(join(project, '.mcp.json'), JSON.stringify(claude));
  const say = { tool: 'evil.say', args: { path: hostileText(2) } };
  const plan = (steps: readonly object[]): string =>
    JSON.stringify({ name: `plan ${hostileText(1)}`, goal: hostileText(2), steps });
  writeFileSync(
    join(project, 'good.plan.json'),
    plan([
      { id: 'a', ...say },
      { id: 'b', tool: 'evil.slow', args: { path: '${a}' } },
    ]),
  );
  writeFileSync(
    join(project, 'waits.plan.json'),
    plan([
      {
        id: 'w',
        title: hostileText(3),
        tool: 'code.format_code',
        args: { code: hostileText(4) },
        approval: true,
      },
    ]),
  );
  writeFileSync(
    join(project, 'bad.plan.json'),
    plan([{ id: `i${hostileText(3)}`, tool: `t${hostileText(4)}`, [hostileText(5)]: 1 }]),
  );
  writeFileSync(join(project, `plan${fileName(6)}.json`), `{${hostileText(7)}`);
});

afterAll(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

async function sit(argv: readonly string[], steps: readonly TerminalStep[]): Promise<TerminalEnd> {
  return driveTerminal({
    argv: [program, ...argv].map((word) => word.replaceAll('\0', '')),
    cwd: project,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      TUTTI_HOME: join(folder, 'data'),
      TERM: 'xterm',
    },
    steps,
  });
}

const commands: readonly (readonly [...string[]])[] = [
  ['servers'],
  ['servers', 'logs', evil],
  ['servers', 'logs', hostileText(1)],
  ['servers', 'accept', evil],
  ['tools'],
  ['tools', 'evil.say'],
  ['tools', 'say something'],
  ['tools', hostileText(2)],
  ['resources'],
  ['resources', 'evil://page'],
  ['resources', `evil://${hostileText(1)}`],
  ['prompts'],
  ['prompts', 'evil.greet'],
  ['call', 'evil.say'],
  ['call', 'evil.slow'],
  ['call', 'evil.fail'],
  ['call', 'evil.refuse'],
  ['call', 'evil.say', `path=${hostileText(4)}`, `${hostileText(3)}=1`],
  ['call', 'evil.say', `path=@${fileName(3)}`],
  ['call', 'evil.say', '--debug'],
  ['call', 'workspace.list_files'],
  ['call', 'workspace.read_file', 'path=page.md'],
  ['call', 'workspace.read_file', `path=${fileName(4)}`],
  ['call', 'workspace.search_text', 'query=FORGED'],
  ['call', 'code.review_code', 'path=.'],
  ['call', 'code.scan_secrets', 'path=.'],
  ['call', 'code.analyze_dependencies', 'path=.'],
  ['plan', 'check', 'bad.plan.json'],
  ['plan', 'check', `plan${fileName(6)}.json`],
  ['plan', 'show', 'good.plan.json'],
  ['run', 'good.plan.json'],
  ['runs'],
  ['runs', 'show', 'last'],
  ['runs', 'show', hostileText(1)],
  ['trace'],
  ['models'],
  ['ask', `What is ${hostileText(3)}?`],
  ['sessions'],
  ['config'],
  ['doctor'],
  ['import', '--print'],
  ['trust'],
  ['connect', hostileText(1)],
  [hostileText(5)],
  ['--set', `${hostileText(5)}=1`, 'servers'],
];

describe.skipIf(!hasPython && !isCi)('at a real terminal', () => {
  const both = commands.flatMap((argv) => [argv, [...argv, '--json']]);
  // Others' text in the name of a test would reach the terminal of those who run it.
  it.each(sampleSeeded(both, 18).map((argv) => [printable(argv.join(' ')), argv] as const))(
    'nothing but newlines, tabs and our own colours comes from others: tutti %s',
    { timeout: 60_000 },
    async (_line, argv) => {
      const { screen } = await sit(argv, [{ type: 'n\r' }]);
      expect(screen).not.toBe('');
      expect(foreignControls(screen)).toEqual([]);
    },
  );

  it('nothing else comes in a chat either', { timeout: 60_000 }, async () => {
    const prompt = { see: 'tutti>' } as const;
    const line = (text: string): readonly TerminalStep[] => [prompt, { type: `${text}\r` }];
    const { screen, missed } = await sit(
      ['chat'],
      [
        ...line('/tools'),
        ...line('/tools evil.say'),
        ...line('/servers'),
        ...line('/models'),
        ...line('/nothing'),
        ...line('what is this?'),
        prompt,
        { type: '@pa' },
        { see: '@pa' },
        { type: keys.tab },
        { see: 'ge.md' },
        { type: `\u0015/attach page.md ${keys.pasted('x\u009B2Jy\u202E\u200B')}\r` },
        prompt,
        { type: keys.ctrlD },
      ],
    );
    expect(missed, screen).toBeNull();
    expect(foreignControls(screen, true)).toEqual([]);
  });

  it('waits, approvals and the steps of a run are shown without', { timeout: 60_000 }, async () => {
    const waiting = await sit(['run', 'waits.plan.json'], [{ see: 'Approve?' }, { type: 'n\r' }]);
    expect(foreignControls(waiting.screen)).toEqual([]);
    expect(waiting.missed, waiting.screen).toBeNull();
    expect(waiting.screen).toContain('\\u');
  });
});
