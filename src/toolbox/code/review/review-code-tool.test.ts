import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProgressUpdate } from '../../../contract/server/index.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { languages, type Language } from '../language.ts';
import { defaultCodeStandards } from './code-standard.ts';
import { reviewCodeTool, type ReviewOutput } from './review-code-tool.ts';

const context = aCodeContext();

async function review(args: object, tool = reviewCodeTool(context)): Promise<ReviewOutput> {
  return (await tool.call(args, aCallContext())).structuredContent as ReviewOutput;
}

const python = [
  'import os',
  'import subprocess',
  'password = "hunter2hunter2xx"',
  'def f(a=[]):',
  '    try:',
  '        subprocess.run(a, shell=True)',
  '    except:',
  '        pass',
  '',
].join('\n');

describe('review_code', () => {
  it('merges linter, security, secret and standards findings, worst first', async () => {
    const result = await review({ code: python, language: 'python' });
    const found = new Map(result.issues.map(({ rule, severity }) => [rule, severity]));
    expect([...found.keys()]).toEqual(
      expect.arrayContaining([
        'python/S602',
        'python/B006',
        'python/F401',
        'python/D103',
        'python/E722',
      ]),
    );
    expect(result.issues[0]?.severity).toBe('critical');
    expect(result.engines.map(({ name }) => name)).toEqual(['ruff', 'security', 'complexity']);
    expect(result.made_without_model).toBe(true);
    expect(result.style_guides).toEqual({ python: 'pep8' });
  });

  it('reports one cause on one line once, and prints no secret', async () => {
    const result = await review({ code: python, language: 'python' });
    const ofLine = (line: number) =>
      result.issues.filter((issue) => issue.line === line && issue.area === 'security');
    expect(ofLine(3)).toHaveLength(1);
    expect(JSON.stringify(result)).not.toContain('hunter2hunter2xx');
    const key = await review({
      code: 'let k = "AKIAIOSFODNN7EXAMPLF";\nexport { k };\n',
      language: 'javascript',
    });
    expect(JSON.stringify(key)).not.toContain('AKIAIOSFODNN7EXAMPLF');
  });

  it('leaves the text out when it holds a secret, whatever areas are asked for, and says so', async () => {
    for (const focus_areas of [[], ['documentation']]) {
      const result = await review({ code: python, language: 'python', focus_areas });
      expect(result).not.toHaveProperty('refactored_code');
      expect(result.suggestions.at(-1)).toMatch(/^refactored_code was left out because .* secret/);
    }
    const inSql = await review({
      code: "CREATE USER app WITH PASSWORD 'S3cure!pass9';\n",
      language: 'sql',
    });
    expect(JSON.stringify(inSql)).not.toContain('S3cure!pass9');
    expect(inSql.issues.filter(({ area }) => area === 'security')).toHaveLength(1);
  });

  it('hides a secret in what a linter quotes, though only its name gave it away', async () => {
    const result = await review({
      code: 'export const f = (a) => {\n  const password = "hunter2hunter2xx"; return "hunter2hunter2xx" + a + password;\n};\n',
      language: 'javascript',
      style_guide: 'airbnb',
    });
    expect(result.issues.map(({ rule }) => rule)).toContain('javascript/prefer-template');
    expect(JSON.stringify(result)).not.toContain('hunter2hunter2xx');
  });

  it('refuses SQL nested too deeply for its parsers', async () => {
    const code = `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)};\n`;
    await expect(review({ code, language: 'sql' })).rejects.toMatchObject({
      code: 'code.too_complex',
    });
  });

  it('lists at most the configured number and counts the rest, without touching the score', async () => {
    const all = await review({ code: python, language: 'python' });
    const few = await review(
      { code: python, language: 'python' },
      reviewCodeTool(aCodeContext(undefined, { maxIssues: 2 })),
    );
    expect(few.issues).toEqual(all.issues.slice(0, 2));
    expect(few.issues_total).toBe(all.issues_total);
    expect(few.issues_omitted).toBe(all.issues_total - 2);
    expect(few.overall_score).toBe(all.overall_score);
    const { critical, major, minor, info } = few.counts;
    expect(critical + major + minor + info).toBe(all.issues_total);
  });

  it('looks only at the areas asked for', async () => {
    const result = await review({
      code: python,
      language: 'python',
      focus_areas: ['documentation'],
    });
    expect(new Set(result.issues.map(({ area }) => area))).toEqual(new Set(['documentation']));
    expect(result.engines.map(({ name }) => name)).not.toContain('security');
  });

  it('offers the text after one round of safe fixes', async () => {
    const result = await review({ code: 'import os\nx = f"a"\n', language: 'python' });
    expect(result.refactored_code).toBe('x = "a"\n');
    expect(result.suggestions.at(-1)).toBe('refactor_code can cure 2 of the issues safely');
    const clean = await review({ code: 'x = 1\n', language: 'python' });
    expect(clean.refactored_code).toBe('x = 1\n');
  });

  it('follows the style guide named, or its own where the language has none of that name', async () => {
    const code = 'export const f = function (a) { return "x" + a; };\n';
    const airbnb = await review({ code, language: 'javascript', style_guide: 'airbnb' });
    expect(airbnb.issues.map(({ rule }) => rule)).toContain('javascript/prefer-template');
    const other = await review({ code, language: 'javascript', style_guide: 'pep8' });
    expect(other.style_guides).toEqual({ javascript: 'recommended' });
    await expect(
      review({ code, language: 'javascript', style_guide: 'nonsense' }),
    ).rejects.toMatchObject({
      code: 'toolbox.invalid_arguments',
    });
  });

  it('measures functions against the standard it was given', async () => {
    const code =
      'def f(a, b, c):\n    """Do."""\n    if a:\n        if b:\n            if c:\n                return 1\n    return 2\n';
    const strict = {
      ...defaultCodeStandards,
      python: {
        cyclomaticLimit: 1,
        cognitiveLimit: 1,
        nestingLimit: 1,
        parameterLimit: 2,
        functionLines: 3,
        fileLines: 5,
      },
    };
    const rules = (result: ReviewOutput) => result.issues.map(({ rule }) => rule);
    const found = rules(
      await review(
        { code, language: 'python' },
        reviewCodeTool(context, async () => strict),
      ),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'python/complexity',
        'python/nesting-depth',
        'python/parameter-count',
        'python/function-length',
        'python/file-length',
      ]),
    );
    const usual = rules(await review({ code, language: 'python' }));
    expect(usual).not.toContain('python/complexity');
  });

  it('praises only what it measured', async () => {
    const code =
      '"""A module."""\n\n\ndef f(a: int) -> int:\n    """Double it."""\n    return a * 2\n';
    const result = await review({ code, language: 'python' });
    expect(result.overall_score).toBe(100);
    expect(result.compliments).toEqual([
      'The security rules found nothing',
      'The rules about likely bugs found nothing',
      'No function has a cyclomatic complexity above 1',
      'No function is longer than 3 lines',
      'No unused import or variable was found',
      'No public definition without documentation was found',
    ]);
    expect(
      (await review({ code: 'x = 1\n', language: 'python', focus_areas: ['style'] })).compliments,
    ).toEqual([]);
    const branches = `def f(a):\n${'    if a:\n        a = 1\n'.repeat(7)}`;
    expect((await review({ code: branches, language: 'python' })).compliments).toContain(
      'No function exceeds the cyclomatic complexity limit of 10',
    );
  });

  it('summarises for a person', async () => {
    const result = await reviewCodeTool(context).call(
      { code: python, language: 'python' },
      aCallContext(),
    );
    expect(result.content[0]).toMatchObject({
      text: expect.stringMatching(/^Score \d+(\.\d)? of 100; 1 critical/),
    });
  });

  it('throws on a single text that does not parse', async () => {
    await expect(review({ code: 'def f(:\n', language: 'python' })).rejects.toMatchObject({
      code: 'code.syntax_error',
    });
  });
});

const real: Readonly<Record<Language, readonly [before: string, after: string]>> = {
  python: ['import os\n\nx = eval(y)\n', '\nx = int(y)\n'],
  javascript: ['var a = b == 1;\ndebugger;\n', 'var a = b == 1;\n'],
  typescript: ['export let a: any = b!;\n', 'export let a: unknown = b!;\n'],
  java: [
    'class A { void f() { try { g(); } catch (IOException e) {} } }\n',
    'class A { void f() { g(); } }\n',
  ],
  go: [
    'package a\n\nimport "os"\n\nfunc f() {\n\tfor {\n\t\tdefer g()\n\t}\n}\n',
    'package a\n\nfunc f() {\n\tg()\n}\n',
  ],
  rust: ['fn f() {\n    todo!();\n    g().unwrap();\n}\n', 'fn f() {\n    g().unwrap();\n}\n'],
  sql: ['DELETE FROM a;\nSELECT * FROM b;\n', 'SELECT * FROM b;\n'],
  html: ['<p>a<br/></p><img src="x">\n', '<p>a</p><img src="x">\n'],
  css: ['a { colr: red; }\nb {}\n', 'a { color: red; }\n'],
};

describe('the score of real edits', () => {
  it.each(languages)(
    'does not fall when an issue in %s is fixed, though the text gets shorter',
    async (language) => {
      const [before, after] = real[language];
      const first = await review({ code: before, language });
      const second = await review({ code: after, language });
      expect(second.overall_score).toBeGreaterThan(first.overall_score);
    },
  );
});

describe('review_code on a folder', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tutti-review-'));
    await writeFile(join(folder, 'a.py'), 'import os\n');
    await writeFile(join(folder, 'b.css'), 'a { colr: red; }\n');
    await writeFile(join(folder, 'c.py'), 'def f(:\n');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reports a file that does not parse and reviews the rest, telling how far it is', async () => {
    const updates: ProgressUpdate[] = [];
    const tool = reviewCodeTool(aCodeContext([folder]));
    const call = aCallContext({ progress: (update) => updates.push(update) });
    const result = (await tool.call({ path: folder }, call)).structuredContent as ReviewOutput;
    expect(result.issues[0]).toMatchObject({ rule: 'python/syntax-error', file: 'c.py', line: 1 });
    expect(result.issues.map(({ rule }) => rule)).toContain('css/property-no-unknown');
    expect(result.overall_score).toBe(0);
    expect(result.suggestions[0]).toMatch(/^Make 1 file parse: the score is 0 until then, and 9\d/);
    expect(result.files_reviewed).toBe(2);
    expect(result.refactored_code).toBeUndefined();
    expect(updates.map(({ progress }) => progress)).toEqual([0, 1, 2, 3]);
  });

  it('stops when the call is cancelled', async () => {
    const cancel = new AbortController();
    const tool = reviewCodeTool(aCodeContext([folder]));
    const call = aCallContext({
      signal: cancel.signal,
      progress: () => cancel.abort(new Error('enough')),
    });
    await expect(tool.call({ path: folder }, call)).rejects.toThrow('enough');
  });
});
