import { expect, it } from 'vitest';
import { Sealer } from './sealer.ts';
import { Secret } from './secret.ts';

const [first, second] = [new Secret('a first key'), new Secret('a second key')];
const sealer = new Sealer([first], 'tests');

it('opens what it sealed, and never seals to the same text twice', () => {
  expect(sealer.open(sealer.seal('text', ['a']), ['a'])).toBe('text');
  expect(sealer.seal('text', [])).not.toBe(sealer.seal('text', []));
});

it('does not open what was changed, cut off, extended, moved or sealed for another purpose', () => {
  const sealed = sealer.seal('text', ['a']);
  for (let at = 0; at < sealed.length; at += 1) {
    for (const other of ['A', 'B', '.', ' ', '=']) {
      if (other === sealed[at]) continue;
      const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`;
      expect(sealer.open(changed, ['a']), changed).toBeUndefined();
    }
    expect(sealer.open(sealed.slice(0, at), ['a'])).toBeUndefined();
  }
  for (const more of ['A', '.', '=', '.A']) {
    expect(sealer.open(`${sealed}${more}`, ['a'])).toBeUndefined();
  }
  expect(sealer.open(sealed, ['b'])).toBeUndefined();
  expect(new Sealer([first], 'others').open(sealed, ['a'])).toBeUndefined();
});

it('opens what earlier keys sealed while they are still named, and seals with the current one', () => {
  const sealed = sealer.seal('text', []);
  const changed = new Sealer([second, first], 'tests');
  expect(changed.open(sealed, [])).toBe('text');
  expect(changed.seal('text', []).split('.')[1]).not.toBe(sealed.split('.')[1]);
  expect(sealer.open(changed.seal('text', []), [])).toBeUndefined();
  expect(new Sealer([second], 'tests').open(sealed, [])).toBeUndefined();
});

it('opens what was sealed before keys had ids, and nothing newer in that form', () => {
  const earlier = 'v1.GdAUKDkGX16nwF52bp-WTwhWMLa4CzKGlSIULgg9_bE';
  const later = new Sealer([second, first], 'tests');
  expect(later.open(earlier, ['a'])).toBe('text');
  expect(later.open(earlier, ['b'])).toBeUndefined();
  const [, , payload] = sealer.seal('text', ['a']).split('.');
  expect(later.open(`v1.${payload}`, ['a'])).toBeUndefined();
});
