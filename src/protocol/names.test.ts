import { expect, it } from 'vitest';
import { bareWireName, dottedName, wireName } from './names.ts';

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

it('keeps names apart that look alike once cleaned, and maps each the same way every time', () => {
  expect(bareWireName('a.b')).not.toBe(bareWireName('a b'));
  expect(bareWireName('y'.repeat(100))).not.toBe(bareWireName('y'.repeat(101)));
  expect(bareWireName('a.b')).toBe(bareWireName('a.b'));
});
