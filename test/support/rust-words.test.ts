import { expect, it } from 'vitest';
import { rustWords } from './rust-words.ts';

const program = `
// It's a "comment"
fn f<'a>(x: &'a str) -> Option<char> {
    match x { "it's" => Some('"'), r#"a "b" c"# => Some('\\''), b"d" => Some('\\u{1F600}'), _ => None }
}
const N: [f64; 2] = [1.50e3, 2.];
`;

it('does not see layout, separators, the order of items and how numbers are spelled', () => {
  const other = `
const N: [f64; 2] = [1.5e3, 2.0,];
//   It's a "comment"
fn f<'a>(x: &'a str) -> Option<char> {
    match x {
        | "it's" => Some('"'),
        r#"a "b" c"# => { Some('\\'') }
        b"d" => Some('\\u{1F600}'),
        _ => None,
    }
}`;
  expect(rustWords(other)).toBe(rustWords(program));
});

const droppable =
  `// It's|"comment"|fn|f<|'a|&|str|->|Option|char|match|"it's"|'"'|r#"a "b" c"#|'\\''|b"d"|'\\u{1F600}'|_ |None|const|1.50e3|2.`.split(
    '|',
  );

it.each(droppable)('notices that %s is gone', (word) => {
  expect(program).toContain(word);
  expect(rustWords(program.replace(word, ' '))).not.toBe(rustWords(program));
});

it.each([
  ['"a  b"', '"a b"'],
  [`['"', ' ', '"']`, `['"', '', '"']`],
  ['x.1', 'x.2'],
  ['1.0', '1'],
  ["'a'", "'a"],
])('tells %s from %s', (before, after) => {
  expect(rustWords(before)).not.toBe(rustWords(after));
});
