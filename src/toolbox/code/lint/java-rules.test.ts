import { describe, expect, it } from 'vitest';
import { readLintData } from './lint-data.ts';
import { aLinter } from '../../../../testkit/toolbox/code/lint/lint-text.ts';

const inClass = (members: string): string => `class Sample {\n${members}\n}\n`;
const inMethod = (body: string): string => inClass(`  void run(int given) {\n${body}\n  }`);

/** For each rule a text that breaks it and its nearest text that does not. */
const cases: readonly (readonly [rule: string, broken: string, kept: string])[] = [
  [
    'empty-catch',
    inMethod('try { a(); } catch (IOException e) {}'),
    inMethod('try { a(); } catch (IOException ignored) {}'),
  ],
  [
    'string-equality',
    inMethod('if (name == "x") { a(); }'),
    inMethod('if (name.equals("x")) { a(); }'),
  ],
  ['self-assignment', inMethod('given = given;'), inMethod('given = other;')],
  [
    'switch-fallthrough',
    inMethod('switch (given) { case 1: a(); case 2: b(); break; default: }'),
    inMethod('switch (given) { case 1: a(); // falls through\n case 2: b(); break; default: }'),
  ],
  [
    'missing-default',
    inMethod('switch (given) { case 1: break; }'),
    inMethod('switch (given) { case 1: break; default: }'),
  ],
  [
    'return-in-finally',
    inMethod('try { a(); } finally { return; }'),
    inMethod('try { a(); } finally { b(); }'),
  ],
  [
    'equals-without-hashcode',
    inClass('public boolean equals(Object o) { return true; }'),
    inClass('public boolean equals(Object o) { return true; } public int hashCode() { return 1; }'),
  ],
  [
    'catch-generic-exception',
    inMethod('try { a(); } catch (Exception e) { b(e); }'),
    inMethod('try { a(); } catch (IOException e) { b(e); }'),
  ],
  [
    'throw-generic-exception',
    inMethod('throw new RuntimeException("x");'),
    inMethod('throw new StateException("x");'),
  ],
  [
    'unused-import',
    'import a.Missing;\nclass A {}\n',
    'import a.Found;\nclass A { Found found; }\n',
  ],
  ['star-import', 'import a.*;\nclass A {}\n', 'import a.B;\nclass A extends B {}\n'],
  ['unused-local', inMethod('int lonely = 1;'), inMethod('int used = 1; a(used);')],
  [
    'unused-private-field',
    inClass('private int lonely;'),
    inClass('private int used; int get() { return used; }'),
  ],
  ['print-stack-trace', inMethod('e.printStackTrace();'), inMethod('log.error("x", e);')],
  ['system-out', inMethod('System.out.println(1);'), inMethod('log.info("x");')],
  [
    'system-exit',
    inMethod('System.exit(1);'),
    inClass('static void main(String[] a) { System.exit(1); }'),
  ],
  ['public-field', inClass('public int open;'), inClass('public final int shut = 1;')],
  [
    'finalize-method',
    inClass('protected void finalize() {}'),
    inClass('protected void close() {}'),
  ],
  ['parameter-reassignment', inMethod('given = 2;'), inMethod('int other = 0; other = given;')],
  ['missing-braces', inMethod('if (given > 1) a();'), inMethod('if (given > 1) { a(); }')],
  ['needless-return', inMethod('a(); return;'), inMethod('if (given > 1) { return; } a();')],
  [
    'lowercase-long-suffix',
    inMethod('long big = 10l; a(big);'),
    inMethod('long big = 10L; a(big);'),
  ],
  ['boolean-comparison', inMethod('if (ready == true) { a(); }'), inMethod('if (ready) { a(); }')],
  [
    'array-notation',
    inMethod('int list[] = a(); b(list);'),
    inMethod('int[] list = a(); b(list);'),
  ],
  ['magic-number', inMethod('a(42);'), inClass('static final int ANSWER = 42;')],
  ['boxed-constructor', inMethod('a(new Integer(1));'), inMethod('a(Integer.valueOf(1));')],
  [
    'string-concatenation-in-loop',
    inMethod('while (a()) { text += "x"; }'),
    inMethod('text += "x";'),
  ],
  ['type-name', 'class sample_type {}\n', 'class SampleType {}\n'],
  ['method-name', inClass('void Run_it() {}'), inClass('void runIt() {}')],
  ['constant-name', inClass('static final int limit = 1;'), inClass('static final int LIMIT = 1;')],
  [
    'variable-name',
    inMethod('int Some_thing = 1; a(Some_thing);'),
    inMethod('int something = 1; a(something);'),
  ],
  ['missing-javadoc', 'public class Sample {}\n', '/** What it is. */\npublic class Sample {}\n'],
];

describe('the Java rules', () => {
  const java = aLinter('java', 'Sample.java');

  it('has a case for every rule', () => {
    expect(cases.map(([rule]) => rule).sort()).toEqual(
      [...new Set(readLintData('java').rules.map(({ name }) => name))].sort(),
    );
  });

  it.each(cases)('%s reports what breaks it and nothing near it', async (rule, broken, kept) => {
    expect(await java.rules(broken)).toContain(`java/${rule}`);
    expect(await java.rules(kept)).not.toContain(`java/${rule}`);
  });

  it('reads the words of a comment as a use of an import, because Javadoc links to types', async () => {
    expect(await java.rules('import a.B;\n/** See {@link B}. */\nclass C {}\n')).not.toContain(
      'java/unused-import',
    );
  });

  it('refuses text that is not Java, with line and column', async () => {
    await expect(java.lint('class A {\n  int x = ;\n}\n')).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: { line: 2 },
    });
  });
});
