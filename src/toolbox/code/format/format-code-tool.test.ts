import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { Language } from '../language.ts';
import { formatCodeTool } from './format-code-tool.ts';

const tool = formatCodeTool(aCodeContext());

async function format(args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await tool.call(args, aCallContext());
  return { ...result.structuredContent };
}

const examples: readonly [Language, string, string][] = [
  ['python', 'def f( a,b ):return a+b', 'def f(a, b):\n    return a + b\n'],
  ['javascript', 'const  a={b:1}\nfoo( a )', 'const a = { b: 1 };\nfoo(a);\n'],
  ['typescript', 'let x:number=1', 'let x: number = 1;\n'],
  ['java', 'class A{int x=1;}', 'class A {\n\n  int x = 1;\n}\n'],
  ['go', 'package a\nvar  x=1', 'package a\n\nvar x = 1\n'],
  ['rust', 'fn main( ){let x=1;}', 'fn main() {\n    let x = 1;\n}\n'],
  ['sql', 'select a,b from t where a=1', 'select\n  a,\n  b\nfrom\n  t\nwhere\n  a = 1\n'],
  ['html', '<ul><li>a<li>b</ul>', '<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n'],
  ['css', 'a{color:red}', 'a {\n  color: red;\n}\n'],
];

describe('a text', () => {
  it.each(examples)(
    'in %s is formatted, and stays as it then is',
    async (language, code, expected) => {
      const once = await format({ code, language });
      expect(once).toMatchObject({ formatted_code: expected, language });
      expect(once['changes_made']).toBeGreaterThan(0);
      expect(await format({ code: expected, language })).toMatchObject({
        formatted_code: expected,
        changes_made: 0,
      });
    },
  );

  it.each([
    ['python', 'def f():\n return "a"', "def f():\n\treturn 'a'\n"],
    ['typescript', 'if (a) { f("a") }', "if (a) {\n\tf('a');\n}\n"],
    ['java', 'class A{int x=1;}', 'class A {\n\n\tint x = 1;\n}\n'],
    ['css', 'a{color:red}', 'a {\n\tcolor: red;\n}\n'],
    ['html', '<ul><li>a</li></ul>', '<ul>\n\t<li>a</li>\n</ul>\n'],
  ])('in %s is indented and quoted as asked for', async (language, code, expected) => {
    const style = { indent: 'tabs', quotes: 'single quotes' };
    expect(await format({ code, language, ...style })).toMatchObject({ formatted_code: expected });
  });

  it('has as many spaces as asked for, and says where the formatter decides', async () => {
    const indent = '2 spaces';
    const python = { code: 'def f( a ):return a', language: 'python' };
    expect(await format({ ...python, indent })).toMatchObject({
      formatted_code: 'def f(a):\n  return a\n',
    });
    const go = { code: 'package a\nvar  x=1', language: 'go' };
    expect(await format({ ...go, indent })).toMatchObject({
      notes: ['the formatter of this language decides the indentation itself'],
    });
  });

  it('needs no language when it can be recognised', async () => {
    expect(await format({ code: 'def f( a ):return a' })).toMatchObject({ language: 'python' });
  });

  it('is formatted in the next likely language when the likeliest refuses it', async () => {
    const code = 'const A = ({ x }: Props): Foo => <div>{x}</div>;';
    expect(await format({ code })).toMatchObject({ language: 'typescript' });
  });

  it.each(['let x = ;', 'const A = () => { return <div>x</div>'])(
    'that is broken is an error of its likeliest language and not formatted as another: %j',
    async (code) => {
      await expect(format({ code })).rejects.toMatchObject({
        code: 'code.syntax_error',
        details: { language: 'javascript' },
      });
    },
  );

  it('of HTML keeps a script that is not valid, with a note', async () => {
    const { formatted_code, notes } = await format({
      code: '<p>a</p>\n<script>if (a<b) {</script>',
      language: 'html',
    });
    expect(formatted_code).toContain('if (a<b) {');
    expect(String(notes)).toContain('line 2 was left as it is');
  });

  it('is broken at the line length given, or at the one in the settings', async () => {
    const code = `f(${Array.from({ length: 20 }, (_, n) => `argument_${n}`).join(', ')})\n`;
    const longest = (text: unknown): number =>
      Math.max(
        ...String(text)
          .split('\n')
          .map((line) => line.length),
      );
    const narrow = await format({ code, language: 'python', line_length: 40 });
    expect(longest(narrow['formatted_code'])).toBeLessThanOrEqual(40);
    const settings = formatCodeTool(aCodeContext([process.cwd()], { lineLength: 300 }));
    const wide = await settings.call({ code, language: 'python' }, aCallContext());
    expect(wide.structuredContent).toMatchObject({ changes_made: 0 });
  });

  it('keeps the line ends most of its lines have, and loses a byte order mark', async () => {
    const windows = await format({ code: '\uFEFFx=1\r\ny=2\r\n', language: 'python' });
    expect(windows['formatted_code']).toBe('x = 1\r\ny = 2\r\n');
    const mixed = await format({ code: 'x=1\r\ny=2\nz=3\n', language: 'python' });
    expect(mixed['formatted_code']).toBe('x = 1\ny = 2\nz = 3\n');
  });

  it('in SQL may hold operators the formatter does not know, and client commands', async () => {
    const code = '\\echo hi\n\nselect a %# b,c<@>d from t;\n\\.\n';
    const { formatted_code } = await format({ code, language: 'sql' });
    expect(formatted_code).toBe('\\echo hi\n\nselect\n  a %# b,\n  c <@> d\nfrom\n  t;\n\\.\n');
  });

  it('may be empty', async () => {
    for (const [language] of examples) {
      const { formatted_code } = await format({ code: '', language });
      expect(String(formatted_code).trim()).toBe('');
    }
  });
});

describe('the formatter', () => {
  it('says which engine did the work', async () => {
    const used = async (args: Record<string, unknown>) => (await format(args))['formatter_used'];
    expect(await used({ code: 'x=1', language: 'python' })).toMatch(/^ruff \d.* \(black style\)$/);
    expect(await used({ code: 'x=1', language: 'javascript' })).toMatch(/^prettier 3\./);
    expect(await used({ code: 'select 1', language: 'sql' })).toMatch(/sql-formatter.*postgresql/);
    expect(await used({ code: 'class A{}', language: 'java' })).toContain('prettier-plugin-java');
    expect(await used({ code: 'package a', language: 'go' })).toContain('gofmt');
  });

  it.each([
    ['Black', 'python', undefined],
    ['yapf', 'python', 'yapf is not bundled'],
    ['ruff_format', 'python', undefined],
    ['biome', 'javascript', 'biome is not bundled'],
    ['google-java-format', 'java', 'google-java-format is not bundled'],
    ['go fmt', 'go', undefined],
    ['goimports', 'go', 'none was added or removed'],
    ['cargo fmt', 'rust', undefined],
    ['sqlfluff', 'sql', 'sqlfluff is not bundled'],
    ['stylelint', 'css', 'stylelint formats no layout'],
  ])(
    'may be called %s for %s, and what then differs is said',
    async (formatter, language, note) => {
      const code = examples.find(([name]) => name === language)?.[1];
      const { notes } = await format({ code, language, formatter });
      expect(String(notes)).toContain(note ?? 'undefined');
    },
  );

  it('is refused with the names that fit when it is unknown or for another language', async () => {
    await expect(format({ code: 'x = 1', language: 'python', formatter: 'gofmt' })).rejects.toThrow(
      '<code> was not formatted: "gofmt" formats go, not python. For python give one of black, ruff, autopep8, yapf',
    );
    await expect(format({ code: 'a{}', language: 'css', formatter: 'frob' })).rejects.toMatchObject(
      {
        code: 'code.unfit_formatter',
        message:
          '<code> was not formatted: "frob" is no formatter known for css. For css give one of prettier, biome, stylelint',
      },
    );
  });
});

describe('a path', () => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tutti-format-'));
    await mkdir(join(root, 'src'));
    await writeFile(join(root, 'src', 'a.py'), 'x=1\n');
    await writeFile(join(root, 'src', 'b.py'), 'y = 2\n');
    await writeFile(join(root, 'src', 'bad.js'), 'let x = 1;\nlet = ;\n');
    await writeFile(join(root, 'src', 'latin.css'), Buffer.from([0xe9]));
    await writeFile(join(root, '.prettierrc'), '{ "semi": false }');
    await writeFile(join(root, 'ruff.toml'), 'indent-width = 8\n');
  });

  afterAll(() => rm(root, { recursive: true, force: true }));

  it('to one file gives what a text gives, and the file stays as it is', async () => {
    const own = formatCodeTool(aCodeContext([root]));
    const result = await own.call({ path: 'src/a.py' }, aCallContext());
    expect(result.structuredContent).toMatchObject({ formatted_code: 'x = 1\n', changes_made: 1 });
    expect(await readFile(join(root, 'src', 'a.py'), 'utf8')).toBe('x=1\n');
  });

  it('to several files gives one entry each, failures with their place, totals and progress', async () => {
    const own = formatCodeTool(aCodeContext([root]));
    const seen: (number | string | undefined)[][] = [];
    const progress = (update: { progress: number; total?: number; message?: string }): void => {
      seen.push([update.progress, update.total, update.message]);
    };
    const result = await own.call({ path: 'src' }, aCallContext({ progress }));
    expect(result.structuredContent).toMatchObject({
      changes_made: 1,
      totals: { files: 3, changed: 1, unchanged: 1, failed: 1 },
      files: [
        { path: 'src/a.py', formatted_code: 'x = 1\n', changed: true, language: 'python' },
        { path: 'src/b.py', changed: false, changes_made: 0 },
        { path: 'src/bad.js', error: { code: 'code.syntax_error', line: 2, column: 7 } },
      ],
      left_out: [{ reason: 'unreadable', count: 1, examples: ['src/latin.css'] }],
    });
    expect(seen[0]).toEqual([0, 3, 'src/a.py']);
    expect(seen.at(-1)).toEqual([3, 3, 'done']);
    expect(result.content[0]).toMatchObject({
      text: expect.stringContaining(
        '1 changed, 1 unchanged, 1 failed\nLeft out: 1 path not readable',
      ),
    });
  });

  it('is formatted without the settings of the project it lies in', async () => {
    await writeFile(join(root, 'own.js'), 'a();\n');
    const own = formatCodeTool(aCodeContext([root]));
    const script = await own.call({ path: 'own.js' }, aCallContext());
    expect(script.structuredContent).toMatchObject({ formatted_code: 'a();\n' });
  });

  it('ends with the reason of the signal when the call is cancelled', async () => {
    const own = formatCodeTool(aCodeContext([root]));
    const cancel = new AbortController();
    const progress = (): void => cancel.abort(new Error('cancelled'));
    const call = own.call({ path: 'src' }, aCallContext({ progress, signal: cancel.signal }));
    await expect(call).rejects.toThrow('cancelled');
  });
});

it('declares itself read-only and says when to use it', () => {
  const declared = tool.declare();
  expect(declared.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
  expect(declared.inputSchema).toHaveProperty('properties.formatter');
});
