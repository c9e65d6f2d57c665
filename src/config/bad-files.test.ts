import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from './errors.ts';
import { loadSettings, type LoadOptions } from './load-settings.ts';
import { aProject } from '../../testkit/config/folders.ts';

const projectFile = 'home/project/tutti.yaml';
/** It may hold any setting. */
const userFile = 'home/.config/tutti/config.yaml';

async function refusalOf(options: LoadOptions): Promise<ConfigError> {
  const outcome = await loadSettings(options).catch((error: unknown) => error);
  if (outcome instanceof ConfigError) return outcome;
  throw new Error(`It was loaded, or failed otherwise: ${String(outcome)}`);
}

/** What a file says, and its problems as `line:column key | expected | found | suggestion`. */
const badFiles: readonly (readonly [text: string, ...problems: string[]])[] = [
  // Not YAML.
  ['server: [', '1:10 | YAML | Flow sequence'],
  ['server: {port: 1', '1:17 | YAML | Flow map'],
  ['server:\n\tport: 1', '2:1 | YAML | Tabs'],
  ['a: "unfinished', '1:15 | YAML | Missing closing'],
  ['home: *y', '1:1 | aliases that resolve | an alias of nothing'],
  ['%YAML 1.1\n---\nmcpServers: {<<: {x: {command: x}}}', '1:1 | YAML 1.2 | "%YAML 1.1"'],
  ['server: *y', '1:1 | aliases that resolve | an alias of nothing'],
  ['a: b: c', '1:4 | YAML | Nested mappings'],
  ['---\nserver: {}\n---\nserver: {}', '3:1 | YAML | multiple documents'],
  ['%YAML 1.2\nserver: {}', '2:1 | YAML | Missing directives-end'],
  ['? [a, b]\n: c', '1:3 | YAML | With stringKeys'],
  // Not a group of keys.
  ['just text', '1:1 | a group of keys (home, | a single value'],
  ['- a\n- b', '1:1 | a group of keys (home, | a list'],
  ['42', '1:1 | a group of keys | a single value'],
  ['server: 8004', '1:9 server | a group of keys (name, host | a single value'],
  ['server:\n  - port: 1', '2:3 server | a group of keys | a list'],
  ['tools:\n  format: 100', '2:11 tools.format | a group of keys (line_length) | a single value'],
  // Keys that are not there.
  ['sever: {}', '1:1 sever | one of home, roots, server | "sever" | server'],
  ['server:\n  prot: 1', '2:3 server.prot | one of name, host, port | "prot" | port'],
  ['port: 8004', '1:1 port | one of home | "port"'],
  ['1: x', '1:1 1 | one of home | "1"'],
  ['__proto__: {port: 1}', '1:1 __proto__ | one of home | "__proto__"'],
  ['constructor: {port: 1}', '1:1 constructor | one of home | "constructor"'],
  ['server: {toString: 1}', '1:10 server.toString | one of name | "toString"'],
  [
    'tools: {code_reveiw: {}}',
    '1:9 tools.code_reveiw | one of enabled | "code_reveiw" | code_review',
  ],
  ['<<: {server: {}}', '1:1 << | one of home | "<<"'],
  ['server: {port: 1, port: 2}', '1:19 port | each key once | it again'],
  // Values of the wrong type.
  ['server: {port: abc}', '1:16 server.port | a whole number from 0 to 65535 | "abc"'],
  ['server: {port: "8004"}', '1:16 server.port | a whole number from 0 to 65535 | "8004"'],
  ['server: {port: 80.5}', '1:16 server.port | a whole number from 0 to 65535 | 80.5'],
  ['server: {port: 65536}', '1:16 server.port | a whole number from 0 to 65535 | 65536'],
  ['server: {port: -1}', '1:16 server.port | a whole number from 0 to 65535 | -1'],
  ['server: {port: .nan}', '1:16 server.port | a whole number from 0 to 65535 | null'],
  ['server: {port: 1e400}', '1:16 server.port | a whole number from 0 to 65535 | null'],
  ['server:\n  port:', '2:3 server.port | a whole number from 0 to 65535 | nothing'],
  ['server: {port: [1]}', '1:16 server.port | a whole number from 0 to 65535 | a list'],
  ['server: {port: {a: 1}}', '1:16 server.port | a whole number from 0 to 65535 | a group (a)'],
  ['server: {host: 1}', '1:16 server.host | text | 1'],
  ['server: {host: ""}', '1:16 server.host | text | ""'],
  ['home: [a]', '1:7 home | text | a list'],
  ['tracing: {enabled: yes}', '1:20 tracing.enabled | true or false | "yes"'],
  ['logging: {level: loud}', '1:18 logging.level | one of debug, info, warn | "loud"'],
  ['logging: {max_size: 100}', '1:21 logging.max_size | a size such as "100MB" | 100'],
  ['logging: {max_size: 100 bananas}', '1:21 logging.max_size | a size such as | "100 bananas"'],
  ['logging: {max_size: 0MB}', '1:21 logging.max_size | a size such as | "0MB"'],
  [
    'performance: {timeout_seconds: 0}',
    '1:32 performance.timeout_seconds | a number above 0, at most 86400 | 0',
  ],
  ['models: {temperature: 3}', '1:23 models.temperature | a number from 0 to 2 | 3'],
  ['roots: src', '1:8 roots | a list of texts, with at least one | "src"'],
  ['roots: []', '1:8 roots | a list of texts, with at least one | an empty list'],
  ['roots:\n  - a\n  - 5', '3:5 roots.1 | text | 5'],
  [
    'tools: {code_review: {severity_levels: [bad]}}',
    '1:41 tools.code_review.severity_levels.0 | one of critical | "bad"',
  ],
  [
    'tools: {dependencies: {osv_url: "not an address"}}',
    '1:33 tools.dependencies.osv_url | an http or https address | "not an address"',
  ],
  [
    'tools: {dependencies: {osv_url: "file:///etc"}}',
    '1:33 tools.dependencies.osv_url | an http or https address | "file:///etc"',
  ],
  // Secrets are not quoted.
  ['server: {auth_token: 12345}', '1:22 server.auth_token | text | a number (hidden)'],
  [
    'models: {code_endpoint: "ftp://u:pw@h"}',
    '1:25 models.code_endpoint | an http or https address | a text (hidden)',
  ],
  [
    'tracing: {otlp_headers: "key=abc"}',
    '1:25 tracing.otlp_headers | a map from names to texts | a text (hidden)',
  ],
  // MCP servers.
  [
    'mcpServers: {__proto__: {command: 1}}',
    '1:14 mcpServers.__proto__ | another name | "__proto__"',
  ],
  [
    'mcpServers: {a: {command: x, args: --token=hunter2}}',
    '1:36 mcpServers.a.args | a list of texts | a text (hidden)',
  ],
  ['mcpServers: []', '1:13 mcpServers | a map from names to | an empty list'],
  ['mcpServers: {a: npx}', '1:17 mcpServers.a | a group of keys | a text (hidden)'],
  ['mcpServers: {a: {}}', '1:17 mcpServers.a | exactly one of "command" | a group ()'],
  [
    'mcpServers: {a: {command: x, url: "http://h"}}',
    '1:17 mcpServers.a | exactly one of "command" | a group (command, url)',
  ],
  ['mcpServers: {a: {command: [npx]}}', '1:27 mcpServers.a.command | text | a list'],
  [
    'mcpServers:\n  a:\n    command: x\n    env: {A: 1}',
    '4:14 mcpServers.a.env.A | text | a number (hidden)',
  ],
  [
    'mcpServers: {a: {command: x, type: pigeon}}',
    '1:36 mcpServers.a.type | one of stdio | "pigeon"',
  ],
  [
    'mcpServers: {a: {command: x, tools: {inclde: []}}}',
    '1:38 mcpServers.a.tools.inclde | one of include | "inclde" | include',
  ],
  [
    `mcpServers: {"${'n'.repeat(65)}": {command: x}}`,
    `1:14 mcpServers.${'n'.repeat(65)} | a name of 1 to 64 | "nnn`,
  ],
  // Several at once, in the order of the file.
  [
    'server: {port: a}\nlogging: {level: b}\nrots: c',
    '1:16 server.port | a whole | "a"',
    '2:18 logging.level | one of | "b"',
    '3:1 rots | one of | "rots" | roots',
  ],
];

describe('a settings file that is wrong', () => {
  it.each(badFiles)('%j', async (text, ...problems) => {
    const { base, options } = aProject({ [userFile]: text });
    const refusal = await refusalOf(options);
    expect(refusal.code).toBe('config.invalid');
    expect(refusal.problems).toHaveLength(problems.length);
    for (const [index, expected] of problems.entries()) {
      const [where = '', ...parts] = expected.split(' | ');
      const [place, key = ''] = where.split(' ');
      const problem = refusal.problems[index]!;
      expect(problem.source).toMatchObject({ kind: 'user', file: join(base, userFile) });
      expect(
        `${'line' in problem.source && problem.source.line}:${'column' in problem.source && problem.source.column}`,
      ).toBe(place);
      expect(problem.key).toBe(key);
      expect(problem.expected.slice(0, parts[0]!.length)).toBe(parts[0]);
      expect(problem.found).toContain(parts[1]!);
      expect(problem.suggestion).toBe(parts[2]);
    }
  });

  it('is named with line, key, what was expected and what was found', async () => {
    const { base, options } = aProject({ [projectFile]: '# mine\nserver:\n  prot: abc\n' });
    expect((await refusalOf(options)).message).toBe(
      `The settings were not loaded:\n  ${join(base, projectFile)}:3:3: server.prot: expected one of name, host, port, ` +
        'auth_token, require_token, allowed_hosts, allowed_origins, max_request_bytes, max_connections, max_connections_per_address, min_protocol_version, compact, pinned_tools, max_calls, max_memory, drain_seconds, session_hours, rate_limit, found "prot". Did you mean "port"?',
    );
  });

  it('is reported together with wrong variables, wrong flags and the wrong user file', async () => {
    const { options } = aProject({
      [projectFile]: 'performance: {timeout_seconds: a}',
      'home/.config/tutti/config.yaml': 'server: {host: 1}',
    });
    const refusal = await refusalOf({
      ...options,
      env: { TUTTI_TRACING_ENABLED: 'maybe', MODEL_TIMEOUT_SECONDS: 'soon' },
      flags: { 'server.prot': '1', 'server.port': 'x', home: undefined },
    });
    expect(refusal.problems.map(({ source, key }) => [source.kind, key])).toEqual([
      ['flag', 'server.prot'],
      ['flag', 'server.port'],
      ['env', 'tracing.enabled'],
      ['env', 'models.timeout_seconds'],
      ['project', 'performance.timeout_seconds'],
      ['user', 'server.host'],
    ]);
    expect(refusal.message).toContain(
      'flag: server.prot: expected a setting ("tutti config" lists them), found "server.prot". Did you mean "server.port"?',
    );
    expect(refusal.message).toContain(
      'env MODEL_TIMEOUT_SECONDS: models.timeout_seconds: expected a number above 0, at most 86400, found "soon"',
    );
    expect(refusal.details['problems']).toHaveLength(6);
  });

  it('lists twenty problems and counts the rest', async () => {
    const lines = Array.from({ length: 25 }, (_, index) => `unknown${index}: 1`);
    const { options } = aProject({ [projectFile]: lines.join('\n') });
    const { message, problems } = await refusalOf(options);
    expect(problems).toHaveLength(25);
    expect(message).toContain('and 5 more');
    expect(message.split('\n')).toHaveLength(22);
  });

  it.each([
    ['flag', 'tools.enabled', '[1'],
    ['flag', 'tracing.otlp_headers', '{"a"'],
    ['flag', 'tracing.otlp_headers', 'no pairs'],
    ['flag', 'mcpServers', 'github'],
  ])('%s %s=%s is refused', async (_kind, key, text) => {
    const { options } = aProject();
    const { problems } = await refusalOf({ ...options, flags: { [key]: text } });
    expect(problems).toMatchObject([{ key, source: { kind: 'flag' } }]);
  });
});

describe('a settings file that is hostile', () => {
  it.each([
    [
      'larger than a settings file is',
      `# ${'x'.repeat(65_536)}`,
      /at most 65536 bytes, found a larger one/,
    ],
    ['nested 10,000 levels deep', `home: ${'['.repeat(10_000)}`, /expected/],
    [
      'nested 30,000 levels deep in good YAML',
      `home: ${'['.repeat(30_000)}${']'.repeat(30_000)}`,
      /found text nested too deeply/,
    ],
    [
      'not UTF-8',
      Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]),
      /expected UTF-8 text, found bytes that are not/,
    ],
    ['an alias bomb', aliasBomb(), /expected aliases that resolve, and few/],
    [
      'full of keys',
      Array.from({ length: 8_000 }, (_, index) => `k${index}:`).join('\n'),
      /and 7980 more/,
    ],
  ])('is refused quickly when it is %s', async (_name, text, message) => {
    const { options } = aProject({ [projectFile]: text });
    const startedAt = performance.now();
    expect((await refusalOf(options)).message).toMatch(message);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('is refused when it is a folder', async () => {
    const { base, options } = aProject();
    mkdirSync(join(base, projectFile));
    expect((await refusalOf(options)).message).toMatch(
      /expected a readable file, found none: it is a folder/,
    );
  });
});

/** Ten lists of ten aliases each: ten thousand million items when unfolded. */
function aliasBomb(): string {
  const lines = ['mcpServers:', '  a0: &a0 {command: x}'];
  for (let level = 1; level <= 10; level += 1) {
    lines.push(`  a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`);
  }
  return lines.join('\n');
}
