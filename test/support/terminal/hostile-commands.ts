import { keys, type TerminalStep } from './drive-terminal.ts';
import type { HostileTexts } from './hostile-text.ts';

/** A command line, and what a person does while it runs: says no, unless it is said here. */
export interface TerminalCase {
  readonly argv: readonly string[];
  readonly steps?: readonly TerminalStep[];
}

type Words = readonly string[];

/** Command lines by command: each action of each command, with hostile arguments where it takes some. */
export function hostileCommands(texts: HostileTexts): Readonly<Record<string, TerminalCase[]>> {
  const cases = { ...callsAndServers(texts), ...work(texts), ...memories(texts) };
  return { ...cases, ...operations(texts), ...setUp(texts) };
}

const until = (see: string, ...then: TerminalStep[]): TerminalStep[] => [{ see }, ...then];
const interrupt: TerminalStep = { signal: 'SIGINT' };

/** With `--json` too, where the command knows it. */
function lines(name: string, ...all: readonly Words[]): TerminalCase[] {
  return all.flatMap((words) => [{ argv: [name, ...words] }, { argv: [name, ...words, '--json'] }]);
}

function callsAndServers({ text, name, evil }: HostileTexts) {
  const initialize = {
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    },
  };
  const typed = [initialize, { method: 'tools/list' }].map((request, at) => ({
    type: `${JSON.stringify({ jsonrpc: '2.0', id: at + 1, ...request })}\n`,
  }));
  return {
    call: lines(
      'call',
      ['evil.say'],
      ['evil.slow'],
      ['evil.fail'],
      ['evil.refuse'],
      ['evil.say', `path=${text(4)}`, `${text(3)}=1`],
      ['evil.say', `path=@${name(3)}`],
      ['evil.say', '--debug'],
      ['evil.say', '--args', `{"path": ${text(5)}`],
      ['evil.say', '--args-file', name(6)],
      ['workspace.list_files'],
      ['workspace.read_file', 'path=page.md'],
      ['workspace.read_file', `path=${name(4)}`],
      ['workspace.search_text', 'query=FORGED'],
      ['code.review_code', 'path=.'],
      ['code.scan_secrets', 'path=.'],
      ['code.analyze_dependencies', 'path=.'],
      ['admin.get_server_status'],
    ),
    tools: lines('tools', [], ['evil.say'], ['say something'], [text(2)]),
    resources: lines('resources', [], ['evil://page'], [`evil://${text(1)}`]),
    prompts: lines('prompts', [], ['evil.greet'], [text(1)], ['evil.greet', `${text(2)}=1`]),
    mcp: [{ argv: ['mcp'], steps: [...typed, ...until('"id":2', { type: keys.ctrlD })] }],
    serve: [{ argv: ['serve', '--port', '0'], steps: until('listening on', interrupt) }],
    worker: [{ argv: ['worker'], steps: until('executing runs', interrupt) }],
    servers: lines(
      'servers',
      [],
      ['list'],
      ['logs', evil],
      ['logs', text(1)],
      ['accept', evil],
      ['accept', evil, text(2)],
      ['diff', evil],
      ['add', text(3), '--', text(4)],
      ['add', `n${name(5)}`.replaceAll(/\p{Cc}/gu, '').slice(0, 60), '--', text(6), text(7)],
      ['remove', text(1)],
      ['disable', text(1)],
      ['enable', text(1)],
      ['restart', text(1)],
      ['login', text(1)],
      ['logout', text(1)],
    ),
  };
}

function work({ text, name }: HostileTexts) {
  return {
    ask: lines('ask', [`What is ${text(3)}?`], ['hello', '--attach', name(2)]),
    chat: [{ argv: ['chat', '--session', text(1)] }],
    plan: lines(
      'plan',
      ['check', 'bad.plan.json'],
      ['check', `plan${name(6)}.json`],
      ['show', 'good.plan.json'],
      ['show', 'good.plan.json', '--format', 'mermaid'],
      [text(1), text(2)],
    ),
    run: lines('run', ['good.plan.json'], ['failing.plan.json'], [name(7)]),
    runs: lines(
      'runs',
      [],
      ['list', '--status', text(1)],
      ['show', 'last'],
      ['show', text(1)],
      ['show', 'last', text(2)],
      ['watch', 'last'],
      ['why', 'last'],
      ['why', text(1)],
      ['cancel', text(1), '--reason', text(2)],
      ['pause', text(1)],
      ['resume', 'last'],
      ['retry', 'last'],
      ['fork', 'last', '--input', `${text(1)}=${text(2)}`],
      ['approve', text(1), text(2)],
      ['deny', text(1), text(2)],
      ['signal', 'last', text(1), text(2)],
      ['resolve', 'last', text(1), '--happened'],
      ['repair', 'last', text(1), '--args', text(2)],
    ),
    agents: lines(
      'agents',
      [],
      ['show', 'reader'],
      ['show', text(1)],
      ['enable', text(1)],
      ['disable', 'reader'],
      ['add', 'new-agent.md'],
      ['add', 'bad-agent.md'],
      ['add', '.claude/agents/other.md'],
      ['add', name(2)],
      ['plan', text(3)],
      ['compare', `reader@${text(1)}`, `reader@${text(2)}`],
      ['rollback', 'reader', text(3)],
      ['propose'],
      ['why', 'pages.read', text(4)],
      ['why', text(5), text(6)],
    ),
    why: lines('why', [], ['last'], [text(1)], ['--cured', text(2)], ['--approve', text(3)]),
    feedback: lines('feedback', [], ['last', 'up', text(1)], [text(2), text(3)]),
    learned: lines('learned', []),
  };
}

function memories({ text, name }: HostileTexts) {
  return {
    memory: lines(
      'memory',
      [],
      ['list', '--kind', text(1)],
      ['search', 'FORGED'],
      ['search', text(1)],
      ['remember', text(2)],
      ['correct', text(1), text(2)],
      ['explain', text(1)],
      ['accept', text(1)],
      ['pin', text(1)],
      ['exclude', text(1)],
      ['forget', text(1)],
      ['erase'],
    ),
    sessions: lines(
      'sessions',
      [],
      ['show', 'last'],
      ['show', text(1)],
      ['fork', 'last'],
      ['export', 'last'],
      ['export', 'last', name(2)],
      ['import', name(3)],
      ['import', 'page.md'],
      ['rename', 'last', text(4)],
      ['remove', text(5)],
    ),
    contexts: lines(
      'contexts',
      [],
      ['create', text(1), text(2)],
      ['create', 'notes', text(2)],
      ['create', 'notes', `@${name(3)}`],
      ['show', 'notes'],
      ['show', text(1)],
      ['text', 'notes'],
      ['versions', 'notes'],
      ['diff', 'notes@1', 'notes@2'],
      ['export', 'notes'],
      ['import', 'page.md'],
      ['share', 'notes', text(4)],
      ['unshare', 'notes', text(4)],
      ['remove', text(5)],
    ),
    preferences: lines('preferences', [], ['why', 'tabs'], ['why', text(1)], ['forget', text(2)]),
    trained: lines('trained', [], ['show', text(1)], ['promote', text(2), '--reason', text(3)]),
  };
}

function operations({ text, name }: HostileTexts) {
  return {
    instances: lines('instances', [], ['drain', text(1)]),
    keys: lines(
      'keys',
      [],
      ['create', `n${text(2)}`.replaceAll(/\p{Cc}/gu, '').slice(0, 60), '--tools', text(3)],
      ['create', text(4)],
      ['rotate', text(1)],
      ['revoke', text(1)],
      ['disable', text(1)],
      ['enable', text(1)],
      ['tenants'],
    ),
    access: lines('access', [], ['explain', 'local', 'evil.say'], ['explain', text(1), text(2)]),
    trace: lines(
      'trace',
      [],
      ['last'],
      ['explain', 'last'],
      ['explain', text(1)],
      ['find', '--error'],
      ['find', '--tool', text(2)],
      [text(3)],
    ),
    alerts: lines('alerts', [], ['test'], ['test', text(1)], ['silence', text(2)]),
    logs: [
      ...lines('logs', ['-n', '1000'], ['level', text(1)], ['--run', text(2)]),
      { argv: ['logs', '-f', '-n', '1000'], steps: until('FORGED', interrupt) },
    ],
    usage: lines(
      'usage',
      ...['tool', 'server', 'model', 'agent', 'caller', 'day', text(1)].map((by) => ['--by', by]),
    ),
    audit: lines('audit', [], ['export'], ['export', `${name(1)}/x`], ['verify']),
    baseline: lines('baseline', [], [name(1)]),
    backup: lines('backup', [`${name(1)}.db`], [`${name(1)}/x.db`]),
    store: lines('store', ['move', text(1)], [text(2)]),
    models: lines('models', [], ['use', text(1)], ['refuse', text(1)]),
  };
}

function setUp({ text }: HostileTexts) {
  return {
    config: lines('config', [], [text(1)]),
    doctor: lines('doctor', [], ['--verbose']),
    import: lines(
      'import',
      [],
      ['cursor'],
      ['--from', '../elsewhere.json'],
      ['--from', text(1)],
      [text(2)],
    ),
    trust: [...lines('trust', [], ['--list']), { argv: ['trust'], steps: [{ type: 'y\r' }] }],
    connect: lines('connect', [], ['cursor', '--print'], ['cursor'], [text(1)]),
    disconnect: lines('disconnect', ['cursor', '--print'], [text(1)]),
    init: lines('init', [], ['--model-url', text(1)]),
    // Without a command the words are a message.
    '': lines(text(5), ['--set', `${text(5)}=1`, 'servers'], ['--root', text(6), 'tools']),
  };
}
