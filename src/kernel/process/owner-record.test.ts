import { expect, it } from 'vitest';
import { chainMark, ownerMark, programMark } from './owner-record.ts';

it('prolongs the chain of the owner that started us, so that it finds our programs too', () => {
  const chain = chainMark(programMark('outer', 3), programMark('inner', 1));
  expect(chain).toBe('outer.3;inner.1;');
  expect(chain).toContain(ownerMark('outer'));
  expect(chain).toContain(programMark('inner', 1));
  expect(chain).not.toContain(programMark('inner', 11));
});

it.each([undefined, '', 'nonsense', 'a.1', '=x;', 'outer.1;'.repeat(1_000)])(
  'begins a chain of its own when there is none to prolong: %s',
  (outer) => expect(chainMark(outer, 'me.1;')).toBe('me.1;'),
);
