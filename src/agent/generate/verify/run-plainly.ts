import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { ToolFailedError } from '../errors.ts';
import type { ParsedLanguage } from '../syntax-parser.ts';
import { callForValue, type ToolCaller } from '../tool-caller.ts';

const schema = z.object({
  exitCode: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});

export interface PlainProgram {
  readonly language: ParsedLanguage;
  readonly codeFile: string;
  readonly code: string;
  readonly tests: string;
  readonly wallMs: number;
}

/**
 * Why tests that pass under their runner do not pass in an ordinary program, where nothing of a test run is to be
 * seen: no runner around them, no file that is named like tests. Empty when they do, or cannot be run like that.
 */
export async function runPlainly(
  tools: ToolCaller,
  program: PlainProgram,
  context: CallContext,
): Promise<string[]> {
  const sign = randomBytes(12).toString('hex');
  const main = mainOf(program, sign);
  if (main === undefined) return [];
  const args = {
    language: program.language,
    files: { [program.codeFile]: program.code, ...extra(program), [main.file]: main.text },
    entry: main.file,
    limits: { wallMs: program.wallMs },
  };
  try {
    const run = await callForValue(tools, { name: 'exec.run_code', args, schema }, context);
    return judge(run, sign);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ToolFailedError)) throw error;
    return [];
  }
}

const maxShown = 200;

function judge({ exitCode, stdout, stderr }: z.output<typeof schema>, sign: string): string[] {
  if (exitCode === 0 && stdout.includes(`${sign} passed`)) return [];
  // The Python of programs need not be the one that has pytest.
  if (/No module named '(?:_?pytest|hypothesis)/.test(stderr)) return [];
  const names = stdout.split(`${sign} failed: `)[1]?.split('\n', 1)[0]?.slice(0, maxShown);
  return [
    `In an ordinary program, without a test runner, the tests do not pass${names === undefined ? '' : `: ${names}`}. The code notices that it is tested, or the tests need more than the code.`,
  ];
}

function mainOf(
  { language, tests }: PlainProgram,
  sign: string,
): { readonly file: string; readonly text: string } | undefined {
  switch (language) {
    case 'python':
      // What a runner prepares for tests nobody prepares here.
      if (/\bautouse\b|\busefixtures\b|\bdef (?:setup|teardown)_\w/.test(tests)) return undefined;
      return { file: 'app.py', text: `${withoutMain(tests)}\n${pythonCaller(sign)}` };
    case 'javascript':
    case 'typescript': {
      if (/\brequire\(/.test(tests) || !isSimple.test(tests)) return undefined;
      const own = tests.replace(/(['"])node:test\1/, "'./order.mjs'");
      const last = `import { failures as failures_ } from './order.mjs';\n${scriptEnd(sign)}`;
      return { file: language === 'typescript' ? 'app.ts' : 'app.mjs', text: `${own}\n${last}` };
    }
    case 'go':
    case 'rust':
    case 'java':
      return undefined;
  }
}

/** Tests that need no more of their runner than to be called in order, and are given nothing. */
const isSimple =
  /^(?=[^]*import \{(?: ?(?:test|it|describe|beforeEach) ?,?){1,4}\} from ['"]node:test['"])(?![^]*\b(?:t|mock|context|ctx)\.)[^]*$/;

function extra({ language }: PlainProgram): Readonly<Record<string, string>> {
  return language === 'python' ? {} : { 'order.mjs': scriptOrder };
}

/** What calls tests in their order, by names that do not give away what it is. */
const scriptOrder = `const all = [];
let prepare = [];
export const test = (name, ...rest) => {
  const [before, work] = [prepare, rest.at(-1)];
  all.push({ name, work: async () => {
    for (const one of before) await one();
    await work();
  } });
};
export const it = test;
export const beforeEach = (work) => {
  prepare = [...prepare, work];
};
export const describe = (_name, ...rest) => {
  const outer = prepare;
  rest.at(-1)();
  prepare = outer;
};
export const failures = async () => {
  const names = [];
  for (const { name, work } of all) await work().catch(() => names.push(name));
  return names;
};
`;

function scriptEnd(sign: string): string {
  return [
    'const names_ = await failures_();',
    `console.log(names_.length > 0 ? '\\n${sign} failed: ' + names_.join(', ') : '\\n${sign} passed');`,
    '',
  ].join('\n');
}

/** `unittest.main()` at the end of tests would run them, and leave. */
function withoutMain(tests: string): string {
  return tests.replace(/^if __name__ == ["']__main__["']:\n(?:[ \t]+[^\n]*\n?|\n)*/m, '');
}

/** Calls every test that needs nothing but its parameters. */
function pythonCaller(sign: string): string {
  return `
import inspect as inspect_
import unittest as unittest_


def cases_(test):
    cases = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name != "parametrize" or len(mark.args) < 2:
            continue
        names, rows = mark.args[:2]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        rows = [row.values if type(row).__name__ == "ParameterSet" else [row] if len(names) == 1 else row for row in rows]
        cases = [{**case, **dict(zip(names, row))} for case in cases for row in rows]
    wanted = set(inspect_.signature(test).parameters)
    return [case for case in cases if set(case) == wanted]


def tests_():
    for name, thing in list(globals().items()):
        if inspect_.isfunction(thing) and name.startswith("test") and name != "tests_":
            yield from ((name, thing, case) for case in cases_(thing))
        if not inspect_.isclass(thing):
            continue
        if issubclass(thing, unittest_.TestCase):
            yield name, lambda thing=thing: check_(thing), {}
        elif name.startswith("Test"):
            one = thing()
            found = [(key, getattr(one, key)) for key in dir(one) if key.startswith("test")]
            yield from ((key, method, case) for key, method in found for case in cases_(method))


def check_(thing):
    result = unittest_.TestResult()
    unittest_.defaultTestLoader.loadTestsFromTestCase(thing).run(result)
    assert result.wasSuccessful()


failed_ = []
for name_, test_, case_ in tests_():
    try:
        test_(**case_)
    except BaseException:
        failed_.append(name_)
print("\\n${sign} failed: " + ", ".join(failed_) if failed_ else "\\n${sign} passed")
`;
}
