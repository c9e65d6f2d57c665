import { expect, it } from 'vitest';
import { randomJsonc } from '../../../testkit/config/random-jsonc.ts';
import { jsonFormat } from './client-formats.ts';
import { editBetween, revertEdit } from './connection-records.ts';

const entry = { command: 'node', args: ['tutti.js', 'mcp'] };
const add = (text: string): string => jsonFormat.add(text, 'mcpServers', entry);

it('adds an entry to any settings, changes no other value, and can be undone to the byte', () => {
  for (let seed = 0; seed < 3_000; seed += 1) {
    const before = randomJsonc(seed, 'mcpServers');
    const after = add(before);
    const old = jsonFormat.parse(before);
    const servers = { ...(old['mcpServers'] as object), tutti: entry };
    expect(jsonFormat.parse(after), before).toEqual({ ...old, mcpServers: servers });
    expect(revertEdit(after, editBetween(before, after)), before).toBe(before);
    const cut = jsonFormat.remove(after, 'mcpServers', { dropSection: !('mcpServers' in old) });
    expect(jsonFormat.parse(cut), before).toEqual(old);
  }
});

it('puts the entry behind the last one and its comment, in the style of the file', () => {
  expect(add('{\n\t"mcpServers": {\n\t\t"a": 1 // keep\n\t}\n}\n')).toBe(
    '{\n\t"mcpServers": {\n\t\t"a": 1, // keep\n\t\t"tutti": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"tutti.js",\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t}\n}\n',
  );
  expect(add('{}')).toBe(
    '{\n  "mcpServers": {\n    "tutti": {\n      "command": "node",\n      "args": [\n        "tutti.js",\n        "mcp"\n      ]\n    }\n  }\n}',
  );
});

it('keeps strict JSON strict', () => {
  for (const text of [
    '{"mcpServers":{"a":{}}}',
    '{"a":[1,2]}',
    '{ "mcpServers" : { } }',
    '{}\r\n',
  ]) {
    expect(JSON.parse(add(text))).toMatchObject({ mcpServers: { tutti: entry } });
  }
});

it('uses the last of several sections, as every JSON parser does', () => {
  const after = add('{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}');
  expect(JSON.parse(after)).toEqual({ mcpServers: { b: 2, tutti: entry } });
});
