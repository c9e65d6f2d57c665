import { describe, expect, it } from 'vitest';
import { readLintData } from './lint-data.ts';
import { aLinter } from '../../../../testkit/toolbox/code/lint/lint-text.ts';

const inFunction = (body: string): string => `fn run(given: i32) {\n${body}\n}\n`;

const cases: readonly (readonly [rule: string, broken: string, kept: string])[] = [
  [
    'unwrap',
    inFunction('a().unwrap();'),
    '#[cfg(test)]\nmod tests {\n#[test]\nfn run() { a().unwrap(); }\n}\n',
  ],
  ['expect', inFunction('a().expect("x");'), inFunction('a()?;')],
  ['unfinished-code', inFunction('todo!();'), inFunction('a();')],
  ['panic', inFunction('panic!("x");'), '#[test]\nfn run() { panic!("x"); }\n'],
  ['dbg-macro', inFunction('dbg!(given);'), inFunction('log(given);')],
  [
    'unsafe-without-comment',
    inFunction('unsafe { a(); }'),
    inFunction('// SAFETY: a has no state\nunsafe { a(); }'),
  ],
  ['mutable-static', 'static mut COUNT: i32 = 0;\n', 'static COUNT: i32 = 0;\n'],
  ['transmute', inFunction('std::mem::transmute::<u8, i8>(1);'), inFunction('i8::from(1);')],
  ['mem-forget', inFunction('std::mem::forget(given);'), inFunction('drop(given);')],
  ['option-comparison', inFunction('if a == None { b(); }'), inFunction('if a.is_none() { b(); }')],
  ['unused-variable', inFunction('let lonely = 1;'), inFunction('let _lonely = 1;')],
  ['wildcard-import', 'use a::*;\n', 'use a::prelude::*;\n'],
  ['needless-return', inFunction('a(); return;'), inFunction('if given > 1 { return; }\na();')],
  ['bool-comparison', inFunction('if ready == true { a(); }'), inFunction('if ready { a(); }')],
  [
    'len-zero',
    inFunction('if list.len() == 0 { a(); }'),
    inFunction('if list.len() == 2 { a(); }'),
  ],
  ['redundant-static-lifetime', 'const NAME: &\'static str = "x";\n', 'const NAME: &str = "x";\n'],
  ['redundant-field-name', inFunction('a(Point { x: x });'), inFunction('a(Point { x });')],
  ['while-true', inFunction('while true { a(); }'), inFunction('loop { a(); }')],
  [
    'single-match',
    inFunction('match a { Some(b) => c(b), _ => () }'),
    inFunction('match a { Some(b) => c(b), None => d() }'),
  ],
  ['redundant-semicolon', inFunction('a();;'), inFunction('a();')],
  ['clone-in-loop', inFunction('for x in list { a(x.clone()); }'), inFunction('a(given.clone());')],
  [
    'borrowed-container',
    'fn run(list: &Vec<i32>) { a(list); }\n',
    'fn run(list: &[i32]) { a(list); }\n',
  ],
  [
    'boxed-vector',
    'fn run(list: Box<Vec<i32>>) { a(list); }\n',
    'fn run(list: Box<Tree>) { a(list); }\n',
  ],
  ['as-conversion', inFunction('a(given as u8);'), inFunction('a(u8::try_from(given));')],
  ['magic-number', inFunction('a(42);'), 'const ANSWER: i32 = 42;\n'],
  ['print-in-library', inFunction('println!("x");'), 'fn main() { println!("x"); }\n'],
  ['type-name', 'struct some_type;\n', 'struct SomeType;\n'],
  ['function-name', 'fn runIt() {}\n', 'fn run_it() {}\n'],
  ['constant-name', 'const limit: i32 = 1;\n', 'const LIMIT: i32 = 1;\n'],
  ['missing-doc', 'pub fn run() {}\n', '/// Runs.\n#[inline]\npub fn run() {}\n'],
];

describe('the Rust rules', () => {
  const rust = aLinter('rust', 'sample.rs');

  it("lets associated constants keep 'static, which an impl with lifetimes needs", async () => {
    const ofModule = 'mod names {\n    pub static NAME: &\'static str = "x";\n}\n';
    expect(await rust.rules(ofModule)).toContain('rust/redundant-static-lifetime');
    for (const associated of [
      "struct S<'a>(&'a str);\nimpl<'a> S<'a> {\n    pub const C: &'static str = \"a\";\n}\n",
      "trait T<'a> {\n    const C: &'static str;\n}\n",
    ]) {
      expect(await rust.rules(associated)).not.toContain('rust/redundant-static-lifetime');
    }
  });

  it('has a case for every rule', () => {
    expect(cases.map(([rule]) => rule).sort()).toEqual(
      [...new Set(readLintData('rust').rules.map(({ name }) => name))].sort(),
    );
  });

  it.each(cases)('%s reports what breaks it and nothing near it', async (rule, broken, kept) => {
    expect(await rust.rules(broken)).toContain(`rust/${rule}`);
    expect(await rust.rules(kept)).not.toContain(`rust/${rule}`);
  });

  it('does not offer to drop a semicolon that keeps a value from being returned', async () => {
    const found = await rust.lint('fn run() { if a() { 1 } else { 2 }; }\n');
    expect(found.filter(({ safeFix }) => safeFix)).toEqual([]);
  });
});
