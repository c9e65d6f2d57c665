import type { Generated, Problem } from './problem.ts';

const exported = ({ name }: Problem): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function code(problem: Problem, body: readonly string[], imports: readonly string[] = []): string {
  const used = [...problem.imports.go, ...imports].filter(
    (path) => body.some((line) => line.includes(`${path.split('/').at(-1)}.`)) || imports.includes(path),
  );
  const parameters = problem.parameters.map(({ name, type }) => `${name} ${type}`).join(', ');
  return [
    'package solution',
    '',
    ...(used.length > 0 ? ['import (', ...used.map((path) => `\t"${path}"`), ')', ''] : []),
    `// ${exported(problem)} does what its tests say.`,
    `func ${exported(problem)}(${parameters}) ${problem.returns} {`,
    ...body.map((line) => `\t${line}`),
    '}',
    '',
  ].join('\n');
}

function tests(problem: Problem, body?: (call: string, result: string) => readonly string[]): string {
  const all = problem.examples.flatMap(({ args, result }, index) => [
    `func Test${exported(problem)}${index}(t *testing.T) {`,
    ...(body?.(`${exported(problem)}(${args})`, result) ?? [
      `\tif got := ${exported(problem)}(${args}); got != ${result} {`,
      '\t\tt.Errorf("got %v", got)',
      '\t}',
    ]),
    '}',
    '',
  ]);
  return ['package solution', '', 'import "testing"', '', ...all].join('\n');
}

export function goodGo(problem: Problem): Generated {
  return { code: code(problem, problem.right.go), tests: tests(problem) };
}

type Bad = (problem: Problem) => Generated;

const right = (p: Problem): string => code(p, p.right.go);
const wrong = (p: Problem): string => code(p, p.wrong.go);
const testedBy =
  (body: (call: string, result: string) => readonly string[]): Bad =>
  (p) => ({ code: right(p), tests: tests(p, body) });

/** Wrong code with a declaration after it. */
const wrongWith =
  (imports: readonly string[], after: readonly string[]): Bad =>
  (p) => ({ code: `${code(p, p.wrong.go, imports)}\n${after.join('\n')}\n`, tests: tests(p) });

/** Code that is right under a condition, and wrong otherwise. */
const rightIf =
  (condition: string, path: string): Bad =>
  (p) => ({
    code: code(p, [`if ${condition} {`, ...p.right.go.map((line) => `\t${line}`), '}', ...p.wrong.go], [path]),
    tests: tests(p),
  });

/** Generations that must not be called verified, by what is wrong with them. */
export const badGo: Readonly<Record<string, Bad>> = {
  'syntax error': (p) => ({ code: right(p).replace('{', ''), tests: tests(p) }),
  'code that does not compile': (p) => ({ code: code(p, ['return undefinedThing']), tests: tests(p) }),
  'tests that fail': (p) => ({ code: wrong(p), tests: tests(p) }),
  'no tests': (p) => ({ code: right(p), tests: '' }),
  'tests that assert nothing': testedBy((call) => [`\t_ = ${call}`]),
  'an assertion of constants': testedBy((call) => [
    `\t_ = ${call}`,
    '\tif x := 1; x != 1 {',
    '\t\tt.Error("no")',
    '\t}',
  ]),
  'a comparison with itself': testedBy((call) => [`\tif ${call} != ${call} {`, '\t\tt.Error("no")', '\t}']),
  'a test of what it is not': testedBy((call, result) => [
    `\tif ${call} == ${result.startsWith('"') ? '"nonsense"' : '-999'} {`,
    '\t\tt.Error("no")',
    '\t}',
  ]),
  'skipped tests': testedBy((call, result) => [
    '\tt.Skip("later")',
    `\tif ${call} != ${result} {`,
    '\t\tt.Error("no")',
    '\t}',
  ]),
  'tests that never call the code': testedBy(() => ['\tif len("abc") != 3 {', '\t\tt.Error("no")', '\t}']),
  'tests of a copy': (p) => ({
    code: wrong(p),
    tests: `${tests(p).replaceAll(`${exported(p)}(`, `copied(`).replaceAll(/Testcopied/g, 'TestCopied').replaceAll(/func Test\w*copied\(/g, (found) => found)}\n${code(p, p.right.go)
      .split('\n')
      .filter((line) => !/^package|^import|^\t"|^\)|^\/\//.test(line))
      .join('\n')
      .replace(`func ${exported(p)}`, 'func copied')
      .replaceAll('strings.TrimSuffix(strings.Repeat(word+"-", count), "-")', 'word + "-" + word')}`,
  }),
  'tests that recover from everything': testedBy((call) => [
    '\tdefer func() { _ = recover() }()',
    `\t_ = ${call}`,
    '\tif t == nil {',
    '\t\tt.Error("no")',
    '\t}',
  ]),
  'exit when called': (p) => ({
    code: code(p, ['os.Exit(0)', ...p.wrong.go], ['os']),
    tests: tests(p),
  }),
  'exit at the start': wrongWith(['os'], ['func init() {', '\tos.Exit(0)', '}']),
  'exit in the tests': (p) => ({
    code: wrong(p),
    tests: `${tests(p).replace('import "testing"', 'import (\n\t"os"\n\t"testing"\n)')}\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n`,
  }),
  'a forged report': (p) => ({
    code: code(
      p,
      [
        `fmt.Println("--- PASS: Test${exported(p)}0 (0.00s)")`,
        'fmt.Println("PASS")',
        'os.Exit(0)',
        ...p.wrong.go,
      ],
      ['fmt', 'os'],
    ),
    tests: tests(p),
  }),
  'a forged report in pieces': (p) => ({
    code: code(
      p,
      [
        `fmt.Println("---" + " PASS: Test${exported(p)}0 (0.00s)")`,
        'if recover() == nil {',
        '\tos.Exit(0)',
        '}',
        ...p.wrong.go,
      ],
      ['fmt', 'os'],
    ),
    tests: tests(p),
  }),
  'an endless loop when called': (p) => ({ code: code(p, ['for {', '}']), tests: tests(p) }),
  'an import that is not there': (p) => ({
    code: right(p).replace('package solution\n', 'package solution\n\nimport _ "example.com/missing"\n'),
    tests: tests(p),
  }),
  'code that notices tests by its name': (p) => ({
    code: code(
      p,
      ['if strings.HasSuffix(os.Args[0], ".test") {', ...p.right.go.map((line) => `\t${line}`), '}', ...p.wrong.go],
      [...new Set(['os', 'strings', ...p.imports.go])].filter((path) => !p.imports.go.includes(path)),
    ),
    tests: tests(p),
  }),
  'code that notices tests by flags': (p) => ({
    code: code(
      p,
      ['if flag.Lookup("test.v") != nil {', ...p.right.go.map((line) => `\t${line}`), '}', ...p.wrong.go],
      ['flag'],
    ),
    tests: tests(p),
  }),
  'one function without a test': (p) => ({
    code: `${right(p)}\n// Other adds one.\nfunc Other(x int) int {\n\treturn x + 1\n}\n`,
    tests: tests(p),
  }),
  'one test that tests nothing': (p) => ({
    code: right(p),
    tests: `${tests(p)}\nfunc TestMore(t *testing.T) {\n\tif x := 3; x != 3 {\n\t\tt.Error("no")\n\t}\n}\n`,
  }),
  'a suite that is switched off': testedBy((call, result) => [
    `\tif false && ${call} != ${result} {`,
    '\t\tt.Error("no")',
    '\t}',
  ]),
  'tests that step aside': testedBy((call, result) => [
    `\tif got := ${call}; got != ${result} {`,
    '\t\tt.Skip("odd")',
    '\t\tt.Errorf("got %v", got)',
    '\t}',
  ]),
  'a function value without a test': (p) => ({
    code: `${right(p)}\n// Other adds one.\nvar Other = func(x int) int {\n\treturn x + 1\n}\n`,
    tests: tests(p),
  }),
  'a result that no test looks at': () => ({
    code: 'package solution\n\nimport "errors"\n\n// Half is wrong.\nfunc Half(n int) (int, error) {\n\tif n < 0 {\n\t\treturn 0, errors.New("negative")\n\t}\n\treturn n*7 + 3, nil\n}\n',
    tests:
      'package solution\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif _, err := Half(4); err != nil {\n\t\tt.Error("no")\n\t}\n}\n\nfunc TestB(t *testing.T) {\n\tif _, err := Half(-4); err == nil {\n\t\tt.Error("no")\n\t}\n}\n',
  }),
  'code that notices tests by the files beside it': rightIf(
    'all, _ := os.ReadDir("."); len(all) > 1',
    'os',
  ),
  'code that notices tests by its command line': rightIf(
    'len(expvar.Get("cmdline").String()) > 20',
    'expvar',
  ),
  'code that notices tests by its caller': (p) => ({
    code: code(
      p,
      [
        'var said bytes.Buffer',
        '_ = log.New(&said, "", log.Lshortfile).Output(3, "")',
        'if bytes.Contains(said.Bytes(), []byte("testing")) {',
        ...p.right.go.map((line) => `\t${line}`),
        '}',
        ...p.wrong.go,
      ],
      ['bytes', 'log'],
    ),
    tests: tests(p),
  }),
};
