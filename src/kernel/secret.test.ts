import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.ts';

it('shows itself only to who asks', () => {
  const secret = new Secret('sk-planted');
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ deep: [secret] }, { showHidden: true, depth: null }),
    format('%s %o %O', secret, secret, secret),
    String(Object.values(secret)),
  ].join('\n');
  expect(shown).not.toContain('sk-planted');
  expect(shown).toContain('[hidden]');
  expect(secret.reveal()).toBe('sk-planted');
});
