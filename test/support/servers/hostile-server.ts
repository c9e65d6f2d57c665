/**
 * MCP servers on standard input and output that misbehave, one way each: `node hostile-server.ts KIND`.
 * Written on raw lines, because no library would let it. Each offers the tool `echo` and does the one
 * thing its kind names; see hostile-kinds.ts for what must come of it.
 */
import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const kind = process.argv[2] ?? '';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: unknown; readonly cursor?: string };
}

const write = (text: string | Buffer): void => {
  let bytes = typeof text === 'string' ? Buffer.from(text) : text;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(0);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
};
const send = (message: object): void =>
  write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const echoTool = {
  name: 'echo',
  description: 'Gives back its arguments',
  inputSchema: { type: 'object' },
};
const echoed = (message: Incoming): object => ({
  content: [{ type: 'text', text: JSON.stringify(message.params?.arguments ?? {}) }],
});

const initialized = (): object => ({
  protocolVersion: kind === 'version-of-1999' ? '1999-01-01' : '2025-11-25',
  capabilities:
    kind === 'claims-what-it-has-not'
      ? { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} }
      : { tools: { listChanged: true } },
  serverInfo: { name: `hostile-${kind}`, version: '1.0.0' },
});

/** What a kind does in place of, or beside, a proper answer; true when it has answered itself. */
type Misdeed = (message: Incoming, answer: (result: object) => void) => boolean;

const onCall =
  (deed: Misdeed): Misdeed =>
  (message, answer) =>
    message.method === 'tools/call' ? deed(message, answer) : false;
const onList =
  (deed: Misdeed): Misdeed =>
  (message, answer) =>
    message.method === 'tools/list' ? deed(message, answer) : false;
const beside =
  (deed: (message: Incoming) => void): Misdeed =>
  (message) => {
    deed(message);
    return false;
  };
const repeat = (count: number, deed: (index: number) => void): void => {
  for (let index = 0; index < count; index += 1) deed(index);
};
const floodCount = 20_000;
const notify = (method: string, params: object = {}): void => send({ method, params });

const misdeeds: Readonly<Record<string, Misdeed>> = {
  'garbage-lines': beside(() => write('this is no JSON\n{"half": \n]]]\n\n')),
  'half-message-then-exit': onCall((message) => {
    write(`{"jsonrpc":"2.0","id":${String(message.id)},"result":{"content":[{"ty`);
    process.exit(0);
  }),
  'line-of-100-mb': onCall(() => {
    const megabyte = Buffer.alloc(1_000_000, 'x');
    write('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"');
    repeat(100, () => write(megabyte));
    write('"}}\n');
    return false;
  }),
  'answers-twice': onCall((message, answer) => {
    answer(echoed(message));
    answer(echoed(message));
    return true;
  }),
  'unknown-ids': beside(() => {
    send({ id: 987_654, result: { content: [] } });
    send({ id: 'never-asked', result: {} });
    send({ id: null, error: { code: -32_000, message: 'about nothing' } });
  }),
  'answers-before-asked': onList(() => {
    repeat(50, (index) =>
      send({ id: index + 1_000, result: { content: [{ type: 'text', text: 'forged' }] } }),
    );
    return false;
  }),
  'silent-from-the-start': () => true,
  'never-answers-calls': onCall(() => true),
  'floods-notifications': onCall(() => {
    repeat(floodCount, (index) => notify('notifications/whatever', { index }));
    return false;
  }),
  'floods-list-changed': onCall(() => {
    repeat(floodCount, () => notify('notifications/tools/list_changed'));
    return false;
  }),
  'floods-progress-nobody-asked-for': onCall(() => {
    repeat(floodCount, (index) =>
      notify('notifications/progress', { progressToken: 'mine', progress: index }),
    );
    return false;
  }),
  'floods-requests': onCall(() => {
    repeat(floodCount, (index) =>
      send({
        id: `r${index}`,
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1 },
      }),
    );
    return false;
  }),
  'floods-stderr': onCall(() => {
    repeat(floodCount, (index) => process.stderr.write(`noise ${index} ${'x'.repeat(200)}\n`));
    return false;
  }),
  'closes-stdin': onCall(() => {
    closeSync(0);
    return true;
  }),
  'closes-stdout': onCall(() => {
    closeSync(1);
    return true;
  }),
  'exits-during-calls': onCall(() => process.exit(7)),
  'kills-itself-during-calls': onCall(() => {
    process.kill(process.pid, 'SIGKILL');
    return true;
  }),
  'invalid-utf-8': beside(() => write(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a]))),
  'nests-100000-deep': beside(() => write(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`)),
  'result-and-error': onCall((message) => {
    send({ id: message.id, result: echoed(message), error: { code: -32_000, message: 'both' } });
    return true;
  }),
  'result-is-a-number': onCall((message) => {
    send({ id: message.id, result: 42 });
    return true;
  }),
  'error-is-a-string': onCall((message) => {
    send({ id: message.id, error: 'went wrong' });
    return true;
  }),
  'pages-for-ever': onList((message, answer) => {
    const page = Number(message.params?.cursor ?? 0);
    const tools = page === 0 ? [echoTool] : [{ ...echoTool, name: `filler_${page}` }];
    answer({ tools, nextCursor: String(page + 1) });
    return true;
  }),
  'malformed-tools': onList((_message, answer) => {
    const broken = [
      null,
      5,
      'tool',
      {},
      { name: 7 },
      { name: 'no_schema' },
      { name: 'bad', inputSchema: 'x' },
    ];
    answer({ tools: [...broken, echoTool] });
    return true;
  }),
  'duplicate-tools': onList((_message, answer) => {
    answer({ tools: [echoTool, { ...echoTool, description: 'the other one' }, echoTool] });
    return true;
  }),
  'schema-of-10-mb': onList((_message, answer) => {
    const huge = {
      name: 'huge',
      inputSchema: { type: 'object', description: 'x'.repeat(10_000_000) },
    };
    answer({ tools: [huge, echoTool] });
    return true;
  }),
  'names-from-hell': onList((_message, answer) => {
    const names = [
      '__proto__',
      'constructor',
      '',
      ' ',
      'a.b/c',
      '💥',
      'x'.repeat(10_000),
      '../../etc/passwd',
      'a\u0000b',
    ];
    answer({ tools: [...names.map((name) => ({ ...echoTool, name })), echoTool] });
    return true;
  }),
  'another-json-rpc-version': (message) => {
    write(`${JSON.stringify({ jsonrpc: '1.0', id: message.id, result: {} })}\n`);
    return true;
  },
  'ids-as-strings': (message) => {
    if (message.id !== undefined) send({ id: String(message.id), result: initialized() });
    return true;
  },
  'answers-in-batches': (message) => {
    if (message.id === undefined) return true;
    const response = { jsonrpc: '2.0', id: message.id, result: resultOf(message) };
    write(
      `${JSON.stringify([response, { jsonrpc: '2.0', method: 'notifications/message', params: {} }])}\n`,
    );
    return true;
  },
  'one-byte-at-a-time': (message) => {
    if (message.id === undefined) return true;
    const text = `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })}\n`;
    for (const byte of Buffer.from(text)) write(Buffer.from([byte]));
    return true;
  },
  'refuses-initialize': (message) => {
    if (message.id !== undefined)
      send({ id: message.id, error: { code: -32_603, message: 'I am not in the mood' } });
    return true;
  },
  'allocates-in-the-answer': onCall((message, answer) => {
    answer({ ...echoed(message), _meta: { filler: 'y'.repeat(3_000_000) } });
    return true;
  }),
};

function resultOf(message: Incoming): object {
  if (message.method === 'initialize') return initialized();
  if (message.method === 'tools/list') return { tools: [echoTool] };
  if (message.method === 'tools/call') return echoed(message);
  return {};
}

function receive(message: Incoming): void {
  const answer = (result: object): void => send({ id: message.id, result });
  if (misdeeds[kind]?.(message, answer)) return;
  if (message.id === undefined || message.method === undefined) return;
  if (['initialize', 'tools/list', 'tools/call', 'ping'].includes(message.method))
    answer(resultOf(message));
  else send({ id: message.id, error: { code: -32_601, message: 'Method not found' } });
}

if (kind === 'exits-at-once') {
  process.stderr.write('cannot find my database\n');
  process.exit(3);
}
if (kind === 'banner-on-stdout') write('*** Welcome to the server ***\nlistening…\n');
if (kind === 'ignores-sigterm') process.on('SIGTERM', () => {});
if (kind === 'leaves-grandchildren') {
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  }).unref();
}
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => receive(JSON.parse(line) as Incoming));
lines.on('close', () => {
  if (kind !== 'ignores-sigterm' && kind !== 'closes-stdin') process.exit(0);
});
if (kind === 'ignores-sigterm') setInterval(() => {}, 1_000);
if (kind === 'closes-stdin' || kind === 'closes-stdout') setInterval(() => {}, 1_000);
