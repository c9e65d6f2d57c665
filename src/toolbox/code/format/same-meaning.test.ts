import { expect, it } from 'vitest';
import { hasSameMeaning, hasSameSqlTokens, type GuardedLanguage } from './same-meaning.ts';

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
