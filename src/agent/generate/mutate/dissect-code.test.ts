import { describe, expect, it } from 'vitest';
import { SyntaxTrees } from '../../../toolbox/code/index.ts';
import type { ParsedLanguage } from '../syntax-parser.ts';
import { breakFunctions, chooseMutants, describeMutant } from './choose-mutants.ts';
import { dissectCode, maxFunctions } from './dissect-code.ts';

const parser = new SyntaxTrees();

const samples: Readonly<Record<ParsedLanguage, string>> = {
  python: [
    'class Stack:',
    '    def push(self, item):',
    '        """Puts it on top."""',
    '        self.items.append(item)',
    '        self.size = 1',
    '',
    'def grade(points):',
    '    if points:',
    '        raise ValueError("no points")',
    '    def inner(x):',
    '        return x',
    '    return "pass" if points >= 50 else inner(True)',
    '',
    'def main():',
    '    print(grade(1))',
    '',
  ].join('\n'),
  javascript: [
    'export class Stack {',
    '  push(item) { this.items.push(item); return this.items.length; }',
    '}',
    'export const twice = (x) => x * 2;',
    'export default function check(ok) {',
    '  if (ok) { return true; }',
    '  throw new Error("not " + ok);',
    '}',
    '[1].map((x) => x + 1);',
    '',
  ].join('\n'),
  typescript: [
    'export function add(a: number, b: number): number { return a + b; }',
    'const table = { half: (x: number): number => x / 2.5 };',
    'export { table };',
    '',
  ].join('\n'),
  go: [
    'package solution',
    '',
    'func (s *Stack) Push(item int) { s.items = append(s.items, item); s.count += 1 }',
    '',
    'func Greet(name string) string {',
    '\tif name == "" {',
    '\t\tpanic("no name")',
    '\t}',
    '\treturn "Hello, " + name',
    '}',
    '',
    'func main() {}',
    '',
  ].join('\n'),
  rust: [
    'impl Stack {',
    '    pub fn push(&mut self, item: i32) { self.items.push(item); }',
    '}',
    'pub fn add(a: i32, b: i32) -> i32 { if a > 0 { a + b } else { b } }',
    '#[cfg(test)]',
    'mod tests { fn helper() -> i32 { 1 } }',
    '',
  ].join('\n'),
  java: [
    'public class Solution {',
    '  public Solution() { this.count = 0; }',
    '  public int add(int a, int b) { return a + b; }',
    '  abstract int later();',
    '}',
    '',
  ].join('\n'),
};

describe('dissecting code', () => {
  it.each([
    ['python', ['Stack.push', 'grade']],
    ['javascript', ['Stack.push', 'twice', 'check']],
    ['typescript', ['add', 'table.half']],
    ['go', ['Stack.Push', 'Greet']],
    ['rust', ['Stack.push', 'add']],
    ['java', ['Solution.Solution', 'Solution.add']],
  ] as const)('finds the functions of %s that tests can call', async (language, names) => {
    const code = await dissectCode(parser, { language, text: samples[language] });
    expect(code.functions.map(({ name }) => name)).toEqual(names);
    expect(code.hasEntry).toBe(language === 'python' || language === 'go');
  });

  it.each(Object.keys(samples) as ParsedLanguage[])(
    'makes texts of %s that are still valid: rewritten, broken, and with each change',
    async (language) => {
      const text = samples[language];
      const code = await dissectCode(parser, { language, text });
      const choice = { maxPerFunction: 50, offset: 0, linesNotRun: new Set<number>() };
      const mutants = chooseMutants(code, code.functions, choice);
      const texts = [
        code.rewritten,
        code.broken,
        ...(code.silent === null ? [] : [code.silent]),
        ...[...mutants, ...breakFunctions(code, code.functions)].map((mutant) => mutant.text),
      ];
      expect(mutants.length).toBeGreaterThan(1);
      for (const one of texts) {
        const tree = await parser.parse(language, one);
        expect(tree.rootNode.hasError, one).toBe(false);
        expect(one).not.toBe(text);
        tree.delete();
      }
    },
  );

  it('changes operators, conditions, constants, statements and results, and says where', async () => {
    const code = await dissectCode(parser, { language: 'python', text: samples.python });
    const choice = { maxPerFunction: 50, offset: 0, linesNotRun: new Set<number>() };
    expect(chooseMutants(code, code.functions, choice).map(describeMutant)).toEqual([
      'Stack.push: "1" became "2", line 5',
      'Stack.push: "self.items.append(item)" was removed, line 4',
      'Stack.push: "self.size = 1" was removed, line 5',
      'grade: its result was changed, line 8',
      'grade: ">=" became "<", line 12',
      'grade: a condition became its opposite, line 8',
      'grade: "pass" became "~pass", line 12',
      'grade: "x" became "None", line 11',
      'grade: "50" became "51", line 12',
      'grade: "\\"pass\\" if points >= 50 else inner(True)" became "None", line 12',
      'grade: "True" became "False", line 12',
    ]);
  });

  it('prefers what tests run, and tells changes of the result from failures', async () => {
    const code = await dissectCode(parser, { language: 'python', text: samples.python });
    const choice = { maxPerFunction: 1, offset: 0, linesNotRun: new Set([4, 5, 8, 11]) };
    const mutants = chooseMutants(code, code.functions, choice);
    expect(mutants.map(({ mutation }) => mutation.kind)).toEqual(['constant', 'operator']);
    expect(breakFunctions(code, code.functions).map(({ isTelling }) => isTelling)).toEqual([
      false,
      false,
    ]);
  });

  it('leaves numbers and conditions alone that it cannot change', async () => {
    const text = 'pub fn f(x: Option<i32>) -> u32 { if let Some(y) = x { 1u32 } else { 0x10 } }\n';
    const code = await dissectCode(parser, { language: 'rust', text });
    expect(code.functions[0]?.changes).toEqual([]);
  });

  it('looks at so many functions and not more', async () => {
    const text = Array.from(
      { length: maxFunctions + 9 },
      (_, n) => `def f${n}():\n    return ${n}\n`,
    );
    const code = await dissectCode(parser, { language: 'python', text: text.join('\n') });
    expect(code.functions).toHaveLength(maxFunctions);
  });

  it('gets through deep nesting', async () => {
    const text = `def f(x):\n    return ${'('.repeat(5_000)}x${')'.repeat(5_000)}\n`;
    const code = await dissectCode(parser, { language: 'python', text });
    expect(code.functions[0]?.changes.length).toBeGreaterThan(0);
  });
});
