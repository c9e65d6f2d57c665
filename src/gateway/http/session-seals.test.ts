import { expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { SessionSeals } from './session-seals.ts';

const anna = { id: 'acme/anna' };
const session = {
  sessionId: 's',
  version: '2025-06-18',
  capabilities: { sampling: {}, elicitation: { form: {} } },
  expiresAtMs: 1_000,
} as const;
const seals = new SessionSeals(() => [new Secret('one')]);

it('gives back the session to its caller until it expires', () => {
  const id = seals.seal(anna, session) ?? '';
  expect(id).toMatch(/^[\x21-\x7e]{40,300}$/);
  expect(new SessionSeals(() => [new Secret('one')]).open(id, anna, 999)).toEqual(session);
  expect(seals.open(id, anna, 1_000)).toBeUndefined();
  expect(seals.open(id, { id: 'acme/bob' }, 0)).toBeUndefined();
});

it('opens no id that was made up, changed, sealed with another secret or for something else', () => {
  const id = seals.seal(anna, session) ?? '';
  for (const wrong of [
    '',
    'x',
    `${id}A`,
    id.slice(1),
    id.replaceAll('.', ''),
    'v2..',
    id.repeat(99),
  ]) {
    expect(seals.open(wrong, anna, 0)).toBeUndefined();
  }
  expect(new SessionSeals(() => [new Secret('two')]).open(id, anna, 0)).toBeUndefined();
  expect(new SessionSeals(() => [new Secret('two'), new Secret('one')]).open(id, anna, 0)).toEqual(
    session,
  );
  expect(seals.open(seals.sealMessage(anna.id, 'text'), anna, 0)).toBeUndefined();
  expect(seals.openMessage('s', seals.sealMessage('s', 'text'))).toBe('text');
  expect(seals.openMessage('other', seals.sealMessage('s', 'text'))).toBeUndefined();
});

it('makes no id that is too long for a header', () => {
  const capabilities = { experimental: { long: 'x'.repeat(6_000) } };
  expect(seals.seal(anna, { ...session, capabilities })).toBeUndefined();
});
