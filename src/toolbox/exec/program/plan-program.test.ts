import { describe, expect, it } from 'vitest';
import { findEntry, type Language, type Source } from './program-files.ts';
import { planProgram } from './plan-program.ts';

async function plan(
  language: Language,
  files: Readonly<Record<string, string>>,
  parts: { entry?: string; env?: Record<string, string>; args?: string[] } = {},
) {
  const { env = {}, args = ['x y'], ...source } = parts;
  const found = findEntry({ language, files, ...source });
  return planProgram({ ...found, language, env, args }, async (name) => `/bin/${name}`);
}

describe('where a program begins', () => {
  const entryOf = (source: Source): string => findEntry(source).entry;

  it('is the text itself, the file named, the usual name, or the only one', () => {
    expect(entryOf({ language: 'python', code: 'x' })).toBe('main.py');
    expect(findEntry({ language: 'python', code: 'x', files: { 'a.py': '' } }).files).toEqual({
      'a.py': '',
      'main.py': 'x',
    });
    expect(entryOf({ language: 'go', files: { 'a.go': '', 'b.go': '' }, entry: 'b.go' })).toBe(
      'b.go',
    );
    expect(entryOf({ language: 'python', files: { '__main__.py': '', 'a.py': '' } })).toBe(
      '__main__.py',
    );
    expect(entryOf({ language: 'javascript', files: { 'x.mjs': '', 'data.json': '' } })).toBe(
      'x.mjs',
    );
  });

  it.each<[string, Source]>([
    ['give "code"', { language: 'python' }],
    ['give "code"', { language: 'python', files: {} }],
    ['no file "b.py"', { language: 'python', files: { 'a.py': '' }, entry: 'b.py' }],
    ['not clear which file', { language: 'python', files: { 'a.py': '', 'b.py': '' } }],
    ['a file of that name', { language: 'python', code: '', files: { 'main.py': '' } }],
  ])('is refused: %s', (problem, source) => {
    expect(() => findEntry(source)).toThrow(problem);
  });
});

describe('how a program is started', () => {
  it('in an interpreter that may be running already', async () => {
    expect(await plan('python', { 'main.py': '' })).toEqual({
      toolchain: 'python',
      env: {},
      program: { kind: 'python', main: 'main.py', args: ['x y'] },
    });
    expect((await plan('typescript', { 'a.ts': 'let a: number = 1' })).program).toEqual({
      kind: 'node',
      main: 'a.ts',
      args: ['x y'],
    });
  });

  it.each([
    'enum A { B }',
    'export const enum A { B }',
    'namespace A { export const b = 1 }',
    'class A { constructor(private b: number) {} }',
    'import fs = require("fs")',
  ])('in a Node that translates: %s', async (code) => {
    const { program } = await plan('typescript', { 'main.ts': code });
    expect(program).toMatchObject({
      argv: ['/bin/node', '--experimental-transform-types', expect.any(String), 'main.ts', 'x y'],
    });
  });

  it('by building it first', async () => {
    const script = async (...given: Parameters<typeof plan>): Promise<unknown> => {
      const { program } = await plan(...given);
      return program.kind === 'command' ? program.argv : program;
    };
    const args = { 'main.go': '', 'b.go': '', 'b_test.go': '', "it's/c.go": '' };
    expect(await script('go', args)).toEqual([
      'sh',
      '-c',
      `go build -o /tmp/program 'main.go' 'b.go' || exit; exec /tmp/program "$@"`,
      'sh',
      'x y',
    ]);
    expect(await script('go', { 'go.mod': '', 'cmd/main.go': '' })).toContain(
      `go build -o /tmp/program './cmd' || exit; exec /tmp/program "$@"`,
    );
    expect(await script('rust', { "it's.rs": '' })).toContain(
      `rustc --edition 2021 -o /tmp/program 'it'\\''s.rs' || exit; exec /tmp/program "$@"`,
    );
    expect(await script('rust', { '-x.rs': '' })).toContain(
      `rustc --edition 2021 -o /tmp/program './-x.rs' || exit; exec /tmp/program "$@"`,
    );
    expect(await script('rust', { 'Cargo.toml': '', 'src/main.rs': '' })).toEqual([
      'cargo',
      'run',
      '--offline',
      '--quiet',
      '--',
      'x y',
    ]);
    expect(await script('java', { 'Main.java': '' })).toEqual(['java', 'Main.java', 'x y']);
    expect(await script('java', { 'Main.java': 'package a.b;', 'C.java': '' })).toContain(
      `javac -d /tmp/classes 'Main.java' 'C.java' || exit; exec java -cp /tmp/classes:. 'a.b.Main' "$@"`,
    );
    expect(await script('java', { 'Main.java': '', 'C.java': '' })).toContain(
      `javac -d /tmp/classes 'Main.java' 'C.java' || exit; exec java -cp /tmp/classes:. 'Main' "$@"`,
    );
    expect(await script('shell', { 'run.sh': '' })).toEqual(['/bin/shell', 'run.sh', 'x y']);
  });

  it('with an environment for building, which the caller may change', async () => {
    const { env } = await plan('go', { 'main.go': '' }, { env: { CGO_ENABLED: '1' } });
    expect(env).toMatchObject({ GOFLAGS: '-buildvcs=false', CGO_ENABLED: '1' });
  });
});
