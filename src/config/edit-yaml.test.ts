import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { editYaml } from './edit-yaml.ts';

const path = ['mcpServers', 'new'];
const value = { command: 'npx', args: ['-y', 'x'] };
const block = '  new:\n    command: npx\n    args:\n      - -y\n      - x\n';

it.each([
  ['an empty text', '', `mcpServers:\n${block}`],
  ['comments alone', '# a\n', `# a\nmcpServers:\n${block}`],
  ['other settings', 'roots: [., lib]   # two', `roots: [., lib]   # two\nmcpServers:\n${block}`],
  ['nothing behind the key', 'mcpServers: # none\na: 1\n', `mcpServers: # none\n${block}a: 1\n`],
  ['an empty map', 'mcpServers: {}  # none\na: 1\n', `mcpServers:  # none\n${block}a: 1\n`],
  [
    'entries with comments between',
    'mcpServers:\n  # one\n  a: {command:   x}   # x\n\n  # behind\n\nb: 1\n',
    `mcpServers:\n  # one\n  a: {command:   x}   # x\n${block}\n  # behind\n\nb: 1\n`,
  ],
  [
    'deeper indentation',
    'mcpServers:\n      a:\n          command: x\n',
    `mcpServers:\n      a:\n          command: x\n${block.replaceAll(/^ {2}/gm, '      ')}`,
  ],
  ['Windows line ends', 'a: 1\r\n', `a: 1\r\nmcpServers:\n${block}`.replaceAll(/\r?\n/g, '\r\n')],
  [
    'JSON on one line',
    '{"mcpServers": {"a": {"command": "x"}}}',
    '{"mcpServers": {"a": {"command": "x"}, "new": {"command":"npx","args":["-y","x"]}}}',
  ],
  [
    'JSON on many lines',
    '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n',
    '{\n  "mcpServers": {\n    "a": {"command": "x"},\n    "new": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "x"\n      ]\n    }\n  }\n}\n',
  ],
  ['a document with an end', '---\na: 1\n...\n', `---\na: 1\nmcpServers:\n${block}...\n`],
])('adds to %s and keeps all other bytes', async (_what, before, after) => {
  expect(await editYaml(before, { path, value })).toBe(after);
});

it.each([
  ['an alias', 'x: &a {a: {command: x}}\nmcpServers: *a\n'],
  ['an empty JSON object', '{}'],
  ['an empty map in JSON', '{"mcpServers": {}}'],
])('adds to %s, and the text says just that', async (_what, before) => {
  const after = await editYaml(before, { path, value });
  expect(parse(after)).toMatchObject({ mcpServers: { new: value } });
});

it.each([
  [
    'a block',
    'mcpServers:\n  new:\n    command: x\n    # its own\n  b: 1 # b\n',
    'mcpServers:\n    # its own\n  b: 1 # b\n',
  ],
  ['the last entry', 'mcpServers:\n  new: {command: x}\n# end\n', 'mcpServers:\n# end\n'],
  ['what is not there', 'mcpServers:\n  b: 1\n', 'mcpServers:\n  b: 1\n'],
  ['from nothing', '', ''],
])('removes %s and keeps all other bytes', async (_what, before, after) => {
  expect(await editYaml(before, { path, value: undefined })).toBe(after);
});

it('removes from JSON what it should, and nothing else', async () => {
  const before = '{"mcpServers": {"new": {"command": "x"}, "b": {"command": "y"}}, "roots": ["."]}';
  const after = await editYaml(before, { path, value: undefined });
  expect(parse(after)).toEqual({ mcpServers: { b: { command: 'y' } }, roots: ['.'] });
});

it.each([
  ['a: {b: false}   # c\n', 'a: {b: true}   # c\n'],
  ['a:\n  b: "no" # c\n', 'a:\n  b: true # c\n'],
])('replaces a value in %j alone', async (before, after) => {
  expect(await editYaml(before, { path: ['a', 'b'], value: true })).toBe(after);
});

it('writes names that need quotes, and long lines as one', async () => {
  const long = 'word '.repeat(60).trim();
  const after = await editYaml('a: 1\n', {
    path: ['mcpServers', 'x: #y'],
    value: { args: [long] },
  });
  expect(parse(after)).toEqual({ a: 1, mcpServers: { 'x: #y': { args: [long] } } });
  expect(after).toContain(long);
  const inline = await editYaml('{a: 1}', { path: ['x: {y'], value: 1 });
  expect(parse(inline)).toEqual({ a: 1, 'x: {y': 1 });
});
