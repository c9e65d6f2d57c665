import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** A small part of Ruby, whose grammar is installed with the others. */
const rubyFolder: Readonly<Record<string, string>> = {
  'language.json': JSON.stringify({
    endings: ['rb'],
    interpreter: '\\bruby\\b',
    linter: 'tutti',
    styleGuides: [{ name: 'ruby', description: 'Ruby' }],
  }),
  'markers.yaml': "6:\n  - '^[ \\t]*def \\w+$'\n  - '^end$'\n  - '\\bputs\\b'\n",
  'lint.yaml': `rules:
  minor style:
    no-puts:
      query: |
        (call method: (identifier) @name (#eq? @name "puts")) @at
      message: Use a logger instead of {name}
`,
  'security.yaml': `kinds:
  text: ^string$
  constant: ^string$
  dynamic: [identifier]
  joined: ^binary$
  wrapped: ^parenthesized_statements$
shapes:
  call: '(call method: (identifier) @name) @at'
rules:
  eval:
    severity: critical
    cwe: 95
    message: Runs text as code.
    fix: Parse the text instead.
    match: { on: call, when: { name: ^eval$ } }
`,
  'complexity.yaml': `nodes:
  if: [{ havingField: condition, decision: true, cognitive: nested }]
regions:
  if.consequence: { nests: true }
scopes:
  method: [{ type: function, ownsDecisions: true, cognitive: nested }]
logical: { kinds: [binary], operators: ['&&', '||'], counted: ['&&', '||'], transparent: [] }
halstead: { operations: [binary], atoms: [identifier], members: [] }
statements: ^(if|call|method)$
`,
};

const script = `
const [context, detect, lint, security, complexity, language] = await Promise.all(
  ['testkit/toolbox/code-context', 'src/toolbox/code/detect-language', 'src/toolbox/code/lint/lint-file',
   'src/toolbox/code/security/scan-file-security', 'src/toolbox/code/complexity/measure-complexity',
   'src/toolbox/code/language'].map((path) => import('./' + path + '.ts')),
);
const text = 'def greet name\\n  if name\\n    puts eval(name)\\n  end\\nend\\n';
const file = { path: 'a.rb', text, language: language.languageOfPath('a.rb') };
const engines = context.aCodeContext();
const guide = language.chooseStyleGuide(file.language, undefined);
const linted = await lint.lintFile(file, { context: engines, guide, lineLength: 100 });
const scan = await security.inspectFile(file, engines);
const { functions } = await complexity.measureComplexity(file, engines);
console.log(JSON.stringify([
  detect.detectLanguage('def greet\\n  puts 1\\nend\\n'),
  linted.map(({ rule, line }) => rule + ':' + line),
  scan.findings.map(({ rule, line }) => rule + ':' + line),
  functions.map(({ name, cyclomatic }) => name + ' ' + cyclomatic),
]));
`;

it(
  'adds a language to the code tools by one folder and one line',
  { timeout: 60_000 },
  async () => {
    const copy = await mkdtemp(join(tmpdir(), 'tutti-language-'));
    for (const name of ['src', 'testkit'])
      await cp(join(root, name), join(copy, name), {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts'),
      });
    await cp(join(root, 'package.json'), join(copy, 'package.json'));
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const list = join(copy, 'src/contract/language/index.ts');
    const names = await readFile(list, 'utf8');
    await writeFile(list, names.replace("  'css',\n", "  'css',\n  'ruby',\n"));
    const folder = join(copy, 'src/toolbox/code/languages/ruby');
    await mkdir(folder);
    for (const [name, text] of Object.entries(rubyFolder))
      await writeFile(join(folder, name), text);
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: copy });
    expect(JSON.parse(stdout)).toEqual(['ruby', ['ruby/no-puts:3'], ['ruby/eval:3'], ['greet 2']]);
  },
);
