import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { program } from '../run-tutti.ts';
import { driveTerminal, type TerminalEnd, type TerminalStep } from './drive-terminal.ts';
import type { HostileTexts } from './hostile-text.ts';

const server = new URL('../servers/shouting-server.ts', import.meta.url).pathname;

/** A home and a project whose files, settings and servers hold hostile texts. */
interface HostileProject {
  readonly folder: string;
  /** Runs `tutti` there at a terminal. */
  sit(argv: readonly string[], steps: readonly TerminalStep[]): Promise<TerminalEnd>;
}

interface ProjectOptions {
  readonly texts: HostileTexts;
  /** A model whose answers are hostile too. */
  readonly modelUrl: string;
}

export async function aHostileProject({
  texts,
  modelUrl,
}: ProjectOptions): Promise<HostileProject> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-pty-'));
  const cwd = join(folder, 'project');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    TUTTI_HOME: join(folder, 'data'),
    TERM: 'xterm',
  };
  const words = (argv: readonly string[]): string[] =>
    [program, ...argv].map((word) => word.replaceAll('\0', ''));
  writeFiles(folder, texts, modelUrl);
  const sit: HostileProject['sit'] = (argv, steps) =>
    driveTerminal({ argv: words(argv), cwd, env, steps });
  for (const argv of history(texts)) await sit(argv, [{ type: 'n\r' }]);
  return { folder, sit };
}

/** What was done there before: all of it is shown by some command. */
function history({ text, evil }: HostileTexts): readonly (readonly string[])[] {
  return [
    ['run', 'failing.plan.json'],
    ['run', 'waits.plan.json'],
    ['ask', `I prefer tabs. What is ${text(3)}?`],
    ['memory', 'remember', text(11)],
    ['contexts', 'create', 'notes', text(12), `@page.md`],
    ['feedback', 'last', 'down', text(13)],
    ['call', 'evil.say', `path=${text(14)}`],
    ['keys', 'create', `k\u202E${text(15)}`.replaceAll(/\p{Cc}/gu, '').slice(0, 90)],
    ['servers', 'logs', evil],
  ];
}

function writeFiles(folder: string, texts: HostileTexts, modelUrl: string): void {
  const { seed, evil, text, name } = texts;
  const write = (path: string, content: unknown): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const whole = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, path), whole);
  };
  const shouting = { command: process.execPath, args: [server, String(seed)] };
  const scripted = { kind: 'openai', url: `${modelUrl}/v1`, model: `m${text(3)}`, api_key: 'x' };
  write('config/tutti/config.yaml', {
    models: { providers: { test: scripted }, autodetect: false },
    mcpServers: {
      [evil]: { ...shouting, prefix: 'evil' },
      gone: { command: `/no/such/${name(9)}` },
    },
    roots: [join(folder, 'project')],
    alerts: { webhooks: [{ name: 'team', url: 'http://127.0.0.1:9/', shape: 'generic' }] },
  });
  const foreign = { mcpServers: { [`c${text(1)}`]: { command: text(2), args: [text(3)] } } };
  write('project/.mcp.json', foreign);
  write('.cursor/mcp.json', foreign);
  write('elsewhere.json', foreign);
  spawnSync('git', ['init', '-q', join(folder, 'project')]);
  write(`project/dir${name(1)}/file${name(2)}.py`, 'import os\nx=eval(1)');
  write(`project/page${name(4)}.md`, `# ${text(5)}\n`);
  write('project/page.md', `# ${text(5)}\n${text(6)}\n`);
  write('project/requirements.txt', `x${text(7)}==1\n`);
  write('project/tutti.yaml', {
    mcpServers: {
      'p\u202E': { ...shouting, args: [...shouting.args, text(8)], env: { A: text(3) } },
    },
  });
  writeAgents(write, text);
  writePlans(write, text, name);
}

type Write = (path: string, content: unknown) => void;
type Text = HostileTexts['text'];

/** One that is used, one of another assistant, one that cannot be read. */
function writeAgents(write: Write, text: Text): void {
  const agent = (fields: object): string => `---\n${JSON.stringify(fields)}\n---\n${text(21)}\n`;
  const reader = {
    name: 'reader',
    version: '1.0.0',
    description: text(22),
    capabilities: ['pages.read'],
    tools: ['workspace.read_file'],
  };
  write('config/tutti/agents/reader.md', agent(reader));
  write('config/tutti/agents/bad.md', agent({ ...reader, tools: [text(23)], [text(24)]: 1 }));
  write('project/.claude/agents/other.md', agent({ name: 'other', description: text(25) }));
  write('project/new-agent.md', agent({ ...reader, name: 'newer', description: text(26) }));
  write('project/bad-agent.md', agent({ name: text(27), version: text(28) }));
}

function writePlans(write: Write, text: Text, name: Text): void {
  const say = { tool: 'evil.say', args: { path: text(2) } };
  const plan = (steps: readonly object[]): object => ({
    name: `plan ${text(1)}`,
    goal: text(2),
    steps,
  });
  const waits = {
    id: 'w',
    title: text(3),
    tool: 'code.format_code',
    args: { code: text(4) },
    approval: { message: text(5) },
  };
  write(
    'project/good.plan.json',
    plan([
      { id: 'a', ...say },
      { id: 'b', tool: 'evil.slow', args: { path: '${a}' } },
    ]),
  );
  write('project/failing.plan.json', plan([{ id: 'f', title: text(6), tool: 'evil.fail' }]));
  write('project/waits.plan.json', plan([waits]));
  write('project/bad.plan.json', plan([{ id: `i${text(3)}`, tool: `t${text(4)}`, [text(5)]: 1 }]));
  write(`project/plan${name(6)}.json`, `{${text(7)}`);
}
