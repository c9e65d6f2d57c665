import { describe, expect, it } from 'vitest';
import { SyntaxTrees } from '../../../toolbox/code/index.ts';
import { type ParsedLanguage } from '../language.ts';
import { guardNotRun, guardSource } from './guard-source.ts';
import type { Role } from './suspicion.ts';

const parser = new SyntaxTrees();
const fileNames = ['solution.py', 'test_solution.py', 'solution.mjs', 'solution.test.mjs'];

function guard(language: ParsedLanguage, text: string, role: Role = 'code'): Promise<string[]> {
  return guardSource(parser, { language, text, role, fileNames });
}

describe('what could change its own test run', () => {
  it.each<[ParsedLanguage, string, string, Role?]>([
    ['python', 'from os import _exit as leave\n', 'os._exit'],
    ['python', 'import os as o\no._exit(0)\n', 'os._exit'],
    ['python', 'from sys import modules\n', 'sys.modules'],
    ['python', 'from os import *\n', 'os.*'],
    ['python', 'import sys\nthings = [sys]\n', 'the module sys as a value'],
    ['python', 'import os\ngetattr(os, "_ex" + "it")(0)\n', 'getattr of os'],
    ['python', 'from operator import attrgetter\nattrgetter("x")(1)\n', 'attrgetter of "x"'],
    ['python', 'x = ().__class__.__base__.__subclasses__()\n', '__subclasses__'],
    ['python', 'eval("1")\n', 'eval'],
    ['python', 'import math\nmath.floor = None\n', 'a change of math.floor'],
    ['python', 'x = __file__\n', '__file__'],
    ['python', 'if __name__ == "solution":\n    pass\n', '__name__'],
    ['python', 'if __name__ == "__main__":\n    pass\nelse:\n    pass\n', '__name__'],
    ['python', 'import sys\nx = sys.argv\n', 'sys.argv'],
    ['python', 'from sys import argv\n', 'sys.argv'],
    ['python', 'import unittest\n', 'unittest'],
    ['python', 'x = open("test_solution.py")\n', 'the file solution.py'],
    ['python', 'import importlib\n', 'importlib', 'tests'],
    ['python', 'import _imp\n', '_imp'],
    ['python', 'from random import _os\n', 'random._os'],
    ['python', 'import pathlib\npathlib.sys.modules\n', 'pathlib.sys'],
    [
      'python',
      'class A:\n    def __eq__(self, other):\n        return True\n',
      'a __eq__ that does not look',
    ],
    ['python', 'import solution\nsolution.f = None\n', 'a change of solution.f', 'tests'],
    ['python', 'import os\nenv = os.environ\nx = env.get(k)\n', 'all of os.environ'],
    ['python', 'import os\n\ndef f(env=os.environ):\n    return g(env)\n', 'all of os.environ'],
    ['python', 'import os\nenv = os.environ\nx = env["PYTEST_VERSION"]\n', 'the text "PYTEST'],
    ['javascript', 'const f = (env = process.env) => env[k];\n', 'all of process.env'],
    ['javascript', 'const f = (env = process.env) => env.NODE_ENV;\n', 'all of process.env'],
    ['javascript', 'x["__proto__"].y = 1;\n', 'the text "__proto__"'],
    ['javascript', 'const k = "__proto__";\n', 'the text "__proto__"'],
    ['javascript', 'const { test } = require("node:test");\n', 'node:test'],
    ['javascript', 'require(name);\n', 'require of an unknown module'],
    ['javascript', 'import("x" + y);\n', 'import of an unknown module'],
    ['javascript', 'const p = process;\n', 'process as a value'],
    ['javascript', 'Object.keys(process.env);\n', 'all of process.env'],
    ['javascript', 'x = process.argv[1];\n', 'process.argv'],
    ['javascript', 'process.stdout.end();\n', 'process.stdout.end'],
    ['javascript', 'x.constructor("return 1")();\n', 'x.constructor'],
    ['javascript', 'import * as fs from "fs";\nfs.readFile = 1;\n', 'a change of fs.readFile'],
    ['javascript', 'delete Array.prototype.map;\n', 'a change of Array.prototype.map'],
    ['javascript', 'Object.assign(JSON, {});\n', 'a change of JSON'],
    ['javascript', 'globalThis.x = 1;\n', 'globalThis'],
    ['javascript', 'x = import.meta.url;\n', 'import.meta'],
    ['javascript', 'const fs = require("fs");\nfs.x = 1;\n', 'a change of fs.x', 'tests'],
    ['typescript', 'const x = `${"NODE_TEST"}_CONTEXT`;\n', 'the text "NODE_TEST"'],
    ['python', 'import os\nos.path.sys.modules\n', 'sys'],
    ['python', 'import pydoc\n', 'pydoc'],
    ['javascript', 'const { stack } = new Error();\n', 'stack'],
    ['javascript', 'x = new Error()["stack"];\n', 'stack'],
    ['javascript', 'import { getCallSites } from "node:util";\n', 'getCallSites'],
    ['javascript', 'x = process.env["NODE_" + "TEST"];\n', 'all of process.env'],
    ['javascript', 'if (import.meta.main) a();\nelse b();\n', 'import.meta'],
    ['typescript', '// @ts-nocheck\nexport const x: number = "";\n', '@ts-nocheck'],
    ['typescript', 'export const f = (x: string) => x as any;\n', 'the type any'],
    ['typescript', 'export const f = (x: any): number => x;\n', 'the type any'],
    [
      'typescript',
      'export const f = (x: string) => x as unknown as number;\n',
      'a cast by way of unknown',
    ],
    ['typescript', 'equal(f(1) as any, 2);\n', 'a cast of what a call returns', 'tests'],
    ['go', 'package a\nimport "os"\nfunc f() { os.ReadDir(".") }\n', 'os.ReadDir'],
    ['go', 'package a\nimport "log"\nfunc f() { log.Output(3, "") }\n', 'log.Output'],
    ['go', 'package a\nimport o "os"\n', 'os by the name o'],
    ['go', 'package a\nimport "testing"\n', 'testing'],
    ['go', 'package a\nimport "os"\nfunc f() { os.Stdout = nil }\n', 'os.Stdout'],
    ['go', 'package a\nimport "time"\nfunc f() { time.Local = nil }\n', 'a change of time.Local'],
    ['go', '//go:build !test\n\npackage a\n', '//go:build'],
    ['go', 'package a\nfunc f() { println("x") }\n', 'println'],
    ['go', 'package a\nfunc f() string { return "--- PASS: X" }\n', 'the text "--- PASS"'],
    ['go', 'package a\nfunc TestMain() {}\n', 'func TestMain', 'tests'],
    ['rust', 'use std::process;\n', 'std::process'],
    ['rust', '#[test]\nfn x() {}\n', '#[test'],
    ['java', 'class A { void f() { System.exit(0); } }\n', 'System.exit'],
    ['java', 'import org.junit.Test;\n', 'org.junit'],
  ])('is found in %s: %s', async (language, text, what, role) => {
    expect((await guard(language, text, role)).join('\n')).toContain(` ${what}`);
  });

  it.each<[ParsedLanguage, string, Role?]>([
    ['python', 'import os\nimport sys\n\nhome = os.environ.get("HOME")\nlimit = sys.maxsize\n'],
    [
      'python',
      'import sys\n\ndef main():\n    return sys.argv\n\nif __name__ == "__main__":\n    sys.exit(main())\n',
    ],
    [
      'python',
      '"""Run the tests with pytest."""\nimport logging\n\nlog = logging.getLogger(__name__)\n',
    ],
    [
      'python',
      'import re\n\nname = re.compile("a")\n\ndef f(**kw):\n    return f(compile=1, **kw)\n',
    ],
    ['python', 'class A:\n    def __eq__(self, other):\n        return self.x == other.x\n'],
    [
      'python',
      'import sys\n\ndef test_a(monkeypatch):\n    monkeypatch.setattr(sys, "argv", [])\n',
      'tests',
    ],
    [
      'python',
      'from solution import Account\n\ndef test_a():\n    Account().balance = 5\n',
      'tests',
    ],
    [
      'python',
      'import os\n\ndef load(env=None):\n    if env is None:\n        env = os.environ\n    return env.get("PORT", "1"), env["HOST"]\n',
    ],
    [
      'python',
      'import os\n\ndef load(env=None):\n    env = env or os.environ\n    return "A" in env\n',
    ],
    ['javascript', 'export const load = (env = process.env) => env.PORT ?? env["HOST"];\n'],
    [
      'typescript',
      'export function load(env: Env = process.env): string { return env.PORT ?? ""; }\n',
    ],
    ['javascript', 'export const load = (fetch = globalThis.fetch) => fetch("x");\n'],
    ['javascript', 'globalThis.fetch = async () => ({ ok: true });\n', 'tests'],
    ['javascript', 'for (const key of keys) if (key === "__proto__") skip();\n'],
    ['javascript', 'merge({}, JSON.parse(\'{"__proto__": {"a": 1}}\'));\n', 'tests'],
    [
      'javascript',
      'import fs from "node:fs";\nexport const a = fs.readFileSync("x.txt");\nprocess.exitCode = 1;\n',
    ],
    [
      'javascript',
      'export const port = process.env.PORT ?? process.env["HOST"];\nprocess.stdout.write("x");\n',
    ],
    ['javascript', 'function main() { return process.argv; }\nexport const o = {};\no.x = 1;\n'],
    ['javascript', 'import { a } from "./solution.mjs";\nimport test from "node:test";\n', 'tests'],
    [
      'go',
      'package a\nimport "os"\nfunc main() { os.Exit(1) }\nfunc f() { x := 1; x = 2; _ = x }\n',
    ],
    [
      'javascript',
      'class A { constructor() { this.stack = []; } }\nif (import.meta.main) main();\n',
    ],
    [
      'javascript',
      'if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(1);\n',
    ],
    ['typescript', 'export function f<T extends (...args: any[]) => any>(g: T): T { return g; }\n'],
    [
      'typescript',
      'type Listener = (...args: any[]) => void;\nexport const g = (...args: any[]) => args.length;\n',
    ],
    ['typescript', 'export abstract class A { abstract area(): number; }\n'],
    ['typescript', 'throws(() => f(1 as any));\nf(2 as unknown as string);\n', 'tests'],
    ['go', 'package a\nimport "os"\nfunc f(at string) { os.ReadDir(at) }\n'],
    ['rust', 'pub fn process(env: i32) -> i32 { env }\n'],
    ['java', 'class A { int run() { return 1; } }\n'],
  ])('is not seen in honest %s', async (language, text, role) => {
    expect(await guard(language, text, role)).toEqual([]);
  });
});

describe('tests that were never run', () => {
  it.each<[ParsedLanguage, string, string]>([
    [
      'python',
      'class TestA:\n    __test__ = False\n    def test_b(self):\n        assert f()\n',
      'test_b',
    ],
    ['python', 'def test_a():\n    assert f()\n\ndef test_a():\n    assert g()\n', 'test_a'],
    ['python', 'class TestA:\n    def test_a(self):\n        assert f()\n', ''],
    ['python', 'class Server:\n    def test_b(self):\n        return 1\n', ''],
    ['python', '@pytest.fixture\ndef test_b():\n    return 1\n', ''],
    ['javascript', 'describe.skip("x", () => { test("b", () => { assert(f()); }); });\n', 'b'],
    ['javascript', 'test("test_a", () => {});\ntest(`b ${c}`, () => {});\n', ''],
    ['go', 'package a\nfunc TestB(t *testing.T) {}\n', 'TestB'],
  ])('are found in %s: %s', async (language, text, name) => {
    const found = await guardNotRun(parser, { language, text }, ['TestA::test_a[1]']);
    expect(found.join()).toBe(name === '' ? '' : `These tests were never run: ${name}.`);
  });
});
