import { expect, it } from 'vitest';
import { bareWireName, dottedName, shortPrefix, wireName } from './names.ts';

it('joins server and tool the way each reader writes them', () => {
  expect(dottedName('code', 'format_code')).toBe('code.format_code');
  expect(wireName('code', 'format_code')).toBe('code__format_code');
  expect(bareWireName('format_code')).toBe('format_code');
});

it('makes wire names that every client accepts, whatever the tool is called', () => {
  for (const name of ['a.b', 'größe', 'x'.repeat(500), 'with space', '']) {
    expect(wireName('server', name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  }
});

it('shortens the part of the server before that of the tool', () => {
  const tool = 'create_pull_request_review_comment';
  const name = wireName('a-server-with-a-remarkably-long-name', tool);
  expect(name).toMatch(/^a-server-with-a-rem__create_pull_request_review_comment_[0-9a-f]{8}$/);
  expect(name).toHaveLength(64);
  expect(wireName('a-server-with-a-remarkably-long-nam', tool)).not.toBe(name);
  expect(wireName('server', 'x'.repeat(63))).toHaveLength(64);
});

it('keeps the whole name of a tool, however its server is called', () => {
  const servers = ['s', '@scope/server.name', 'n'.repeat(30), 'größe', 'ä'.repeat(60), 'a b'];
  for (const server of servers) {
    for (let length = 1; length <= 55; length += 1) {
      const tool = 'list_all_of_the_open_pull_requests_and_their_reviewers_'.slice(0, length);
      const name = wireName(server, tool);
      expect(name).toContain(tool);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }
  }
});

it('proposes a short prefix for a long name, which no other has', () => {
  expect(shortPrefix('github', [])).toBeUndefined();
  expect(shortPrefix('mcp-server-for-the-official-mcp', [])).toBeUndefined();
  const long = '@modelcontextprotocol/server-sequential-thinking';
  expect(shortPrefix(long, [])).toBe('sequential');
  expect(shortPrefix(long, ['sequential'])).toBe('sequential-t');
  expect(shortPrefix(long, ['sequential', 'sequential-t'])).toBe('sequential-2');
  expect(shortPrefix('awslabs-aws-documentation-mcp-server', ['awslabs'])).toBe('awslabs-aws');
});

it('keeps names apart that look alike once cleaned, and maps each the same way every time', () => {
  expect(bareWireName('a.b')).not.toBe(bareWireName('a b'));
  expect(bareWireName('y'.repeat(100))).not.toBe(bareWireName('y'.repeat(101)));
  expect(bareWireName('a.b')).toBe(bareWireName('a.b'));
});
