import { expect, it } from 'vitest';
import {
  hasSameMeaning,
  hasSameSqlTokens,
  rustNumberMeaning,
  type GuardedLanguage,
} from './same-meaning.ts';

const same: readonly [GuardedLanguage, string, string][] = [
  ['java', 'final static int a[]={1,2};', 'static final int[] a = { 1, 2, };'],
  ['java', 'import b.B;\nimport a.A;\nclass X{}', 'import a.A;\nimport b.B;\n\nclass X {}\n'],
  ['java', 'if ((a)) b();', 'if (a) b();'],
  ['java', '/** a\n  * b */ class A {}', '/** a\n * b */\nclass A {}'],
  [
    'rust',
    'fn f(){match a{1=>b,_=>c}}',
    'fn f() {\n    match a {\n        1 => b,\n        _ => c,\n    }\n}',
  ],
  ['rust', 'const A: f32 = 1.50e-01; // x', '// x\nconst A: f32 = 1.5e-1;'],
  ['html', '<P CLASS=a>x<BR>y', '<p class="a">\n  x<br />y\n</p>'],
  ['html', '<div style="a:b">x</div>', '<div style="a: b;">x</div>'],
  ['css', "A{Color:RED;width:+.50px;b:'x'}", 'a {\n  color: red;\n  width: +0.5px;\n  b: "x";\n}'],
];

const different: readonly [GuardedLanguage, string, string][] = [
  ['java', 'int a = 1;', 'int a = 2;'],
  ['java', 'a(); // x', 'a();'],
  ['java', 'f(a, b);', 'f(b, a);'],
  ['java', 'String a = "b  c";', 'String a = "b c";'],
  ['rust', 'use a::b;', 'use ::a::b;'],
  ['rust', 'let a = 1;', 'let a = 1u8;'],
  ['html', '<p>a</p>', '<p>b</p>'],
  ['html', '<div><b>a</b></div>', '<div>a</div>'],
  ['html', '<a href=b>c</a>', '<a href=d>c</a>'],
  ['css', 'a,b{c:d}', 'a{c:d}'],
  ['css', 'a b{c:d}', 'a b{c:e}'],
];

it.each(same)('%s: layout and spelling change nothing: %j', (language, before, after) => {
  expect(hasSameMeaning(language, before, after)).toBe(true);
});

it.each(different)('%s: what is lost, added or moved is noticed: %j', (language, before, after) => {
  expect(hasSameMeaning(language, before, after)).toBe(false);
});

it.each([
  ["select a,'b  c' from t", "select\n  a,\n  'b  c'\nfrom\n  t", true],
  ["select 'a  b'", "select 'a b'", false],
  ['select a -- b', 'select a', false],
])('SQL: %j and %j hold the same tokens: %s', (before, after, expected) => {
  expect(hasSameSqlTokens(before, after)).toBe(expected);
});

it('SQL: an operator that falls apart is noticed', () => {
  expect(hasSameSqlTokens('select a %# b', 'select\n  a %# b')).toBe(true);
  expect(hasSameSqlTokens('select a %# b', 'select\n  a % # b')).toBe(false);
});

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
