import { expect, it } from 'vitest';
import { hasSameMeaning } from './same-meaning.ts';
import { rustNumberMeaning } from './same-meaning.ts';

it.each([
  ['1.57079632679489655800e+00', '1.570796326794896558'],
  ['6.0e-07', '6e-7'],
  ['1.', '1.0'],
  ['1.50_f32', '1.5f32'],
  ['1E+05', '1e5'],
  ['0xFF_FF', '0xffff'],
  ['1_000u64', '1000u64'],
])('%s and %s say the same', (one, other) => {
  expect(rustNumberMeaning(one)).toBe(rustNumberMeaning(other));
});

it.each([
  ['a whole number and a float', '1.0', '1'],
  ['whole numbers beyond the precision of a float', '9007199254740993', '9007199254740992'],
  ['hexadecimal ones beyond it', '0xFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFE'],
  ['floats beyond it', '0.10000000000000000001', '0.1'],
  ['a hexadecimal number that ends like a type', '0x1f32', '0x01f32'],
  ['types', '1f32', '1f64'],
  ['signs of an exponent', '1e5', '1e-5'],
  ['exponents', '1e10', '1e1'],
])('not the same are %s: %s and %s', (_what, one, other) => {
  expect(rustNumberMeaning(one)).not.toBe(rustNumberMeaning(other));
});

it('takes time in proportion to a hostile number', () => {
  const zeros = '0'.repeat(1_000_000);
  expect(rustNumberMeaning(`1.${zeros}1`)).toBe(`1.${zeros}1`);
});

it('the guard takes what follows a dot for a field, not for a number', () => {
  expect(hasSameMeaning('rust', 'f(a.1.10);', 'f(a.1.1);')).toBe(false);
  expect(hasSameMeaning('rust', 'f(1.10);', 'f(1.1);')).toBe(true);
});
