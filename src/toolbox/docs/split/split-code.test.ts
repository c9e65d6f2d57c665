import { describe, expect, it } from 'vitest';
import { SyntaxTrees } from '../../code/syntax-tree.ts';
import { splitJsdoc } from '../read/npm-documents.ts';
import { splitDeclarations, splitGo, splitPython, splitStub } from './split-code.ts';

const trees = new SyntaxTrees();

const headings = (passages: readonly { heading: string }[]): string[] =>
  passages.map(({ heading }) => heading);

describe('splitting TypeScript declarations', async () => {
  it('keeps each declaration together with the comment above it', async () => {
    const passages = await splitDeclarations(
      [
        "import { a } from './a';",
        '/** Adds. */',
        'export declare function add(a: number, b: { c: string; d: "}" }): number;',
        '/** @internal */',
        'export declare const hidden: number;',
        'export type Either = { left: 1 } | { right: 2 };',
        'interface Small {',
        '  one: string;',
        '}',
        'export { a };',
      ].join('\n'),
      trees,
    );
    expect(headings(passages)).toEqual(['add', 'Either', 'Small']);
    expect(passages[0]).toMatchObject({ line: 2 });
    expect(passages[0]?.text).toContain('/** Adds. */\nexport declare function add');
  });

  it('keeps generics with commas, overloads and long declarations whole', async () => {
    const union = Array.from({ length: 200 }, (_, index) => `  | "member number ${index}"`).join(
      '\n',
    );
    const passages = await splitDeclarations(
      [
        'export type Some = Record<PropertyKey, Map<string, { a: 1 }>>;',
        'export declare function is(data: any): data is Record<string, unknown>;',
        'export declare function get(a: string): Promise<[string, number]>;',
        'export declare function get<K extends keyof T, T>(a: K, b: (c: T) => void): T;',
        `export type Long =\n${union};`,
      ].join('\n'),
      trees,
    );
    expect(headings(passages)).toEqual(['Some', 'is', 'get', 'Long']);
    expect(passages[0]?.text).toContain('{ a: 1 }>>;');
    expect(passages[2]?.text.match(/function get/g)).toHaveLength(2);
    expect(passages[3]?.text).toContain('member number 199');
  });

  it('splits a large class into its members, overloads together, private ones left out', async () => {
    const members = Array.from(
      { length: 20 },
      (_, index) => `  /** Number ${index}. ${'x'.repeat(60)} */\n  member${index}(): void;`,
    );
    const text = `/** A tool. */\nexport declare class Tool {\n  private secret: string;\n${members.join('\n')}\n  /** First. */\n  run(a: 1): void;\n  run(a: 2): void;\n}\n`;
    const passages = await splitDeclarations(text, trees);
    expect(headings(passages)).toEqual([
      'Tool',
      ...Array.from({ length: 20 }, (_, index) => `Tool.member${index}`),
      'Tool.run',
    ]);
    expect(passages.at(-1)?.text).toContain('run(a: 2)');
    expect(passages.map(({ text: own }) => own).join('')).not.toContain('secret');
  });

  it('follows namespaces and modules, and needs no semicolons', async () => {
    const text = `declare module "thing" {\n  namespace inner {\n    export function go(): void\n    export const two: 2\n  }\n}\nexport declare function last(): void\n`;
    expect(headings(await splitDeclarations(text, trees))).toEqual([
      'inner.go',
      'inner.two',
      'last',
    ]);
  });

  it(
    'ends on texts that are deep, long, unbalanced or unfinished',
    { timeout: 60_000 },
    async () => {
      for (const text of [
        '{'.repeat(200_000),
        '}'.repeat(200_000),
        'namespace a {'.repeat(10_000) + '}'.repeat(10_000),
        `export type A = ${'{ a: '.repeat(10_000)}1${' }'.repeat(10_000)};`,
        '/**'.repeat(100_000),
        '`'.repeat(99_999),
        `export declare const ${'a'.repeat(1_000_000)}`,
        'export declare const a: 1;\n'.repeat(100_000),
      ]) {
        expect((await splitDeclarations(text, trees)).length).toBeLessThanOrEqual(100_000);
      }
    },
  );
});

describe('splitting scripts', async () => {
  it('gives the comments of a JavaScript file with what they stand above', async () => {
    const text =
      '/** @license MIT */\nx = 1;\n\n/**\n * Joins.\n */\nexports.join = function (a) {};\n/** lost';
    expect(splitJsdoc(text)).toEqual([
      {
        heading: 'exports.join',
        line: 4,
        text: '/**\n * Joins.\n */\nexports.join = function (a) {};',
      },
    ]);
  });

  it('gives the docstrings of a Python module, its classes and functions', async () => {
    const text = [
      '# comment',
      '"""The module."""',
      'class Session(Base):',
      '    """Keeps cookies."""',
      '    def get(self, url: str,',
      '            **options) -> Response:',
      '        r"""Sends a GET.',
      '',
      '        :param url: where to.',
      '        """',
      '        return 1',
      '    def _hidden(self):',
      '        """No."""',
      'def bare(): pass',
      'def last():',
      "    '''Ends.'''",
    ].join('\n');
    const passages = await splitPython(text, trees, 'requests.sessions');
    expect(passages.map(({ heading, line }) => [heading, line])).toEqual([
      ['requests.sessions', 2],
      ['requests.sessions.Session', 3],
      ['requests.sessions.Session.get', 5],
      ['requests.sessions.bare', 14],
      ['requests.sessions.last', 15],
    ]);
    expect(passages[2]?.text).toContain(':param url');
  });

  it('gives decorators with what they decorate, and signatures without docstring in groups', async () => {
    const text = [
      'class Client:',
      '    @property',
      '    def url(self) -> str:',
      '        """Where it connects to."""',
      '        def helper(): pass',
      '    def get(self, path: str,',
      '            timeout: float = 1) -> bytes:',
      '        return b""',
      '    @staticmethod',
      '    def make() -> "Client":',
      '        return Client()',
    ].join('\n');
    const passages = await splitPython(text, trees, 'web');
    expect(headings(passages)).toEqual(['web.Client.url', 'web.Client.get, web.Client.make']);
    expect(passages[0]?.text).toContain('@property');
    expect(passages[1]?.text).toContain('timeout: float = 1) -> bytes:');
    expect(passages[1]?.text).toContain('@staticmethod');
  });

  it('gives the signatures of a stub', async () => {
    const passages = await splitStub(
      'import x\ndef one(a: int) -> str: ...\nclass Two:\n    def three(self) -> None: ...\n',
      trees,
      'pkg',
    );
    expect(headings(passages)).toEqual(['pkg.one', 'pkg.Two']);
  });

  it('gives the exported declarations of a Go file with their comments', async () => {
    const text = [
      '// Package mux routes.',
      'package mux',
      '',
      '// NewRouter makes one.',
      'func NewRouter() *Router {',
      '\treturn nil',
      '}',
      'func hidden() {}',
      '/*',
      'Router keeps routes.',
      '*/',
      'type Router struct {',
      '\tA int',
      '}',
      '// Get finds.',
      'func (r *Router) Get(name string) *Route { return nil }',
      'const (',
      '\tOne = 1',
      ')',
    ].join('\n');
    const passages = await splitGo(text, trees);
    expect(passages.map(({ heading, line }) => [heading, line])).toEqual([
      ['package mux', 1],
      ['mux.NewRouter', 4],
      ['mux.Router', 9],
      ['mux.Router.Get', 15],
      ['mux.const', 17],
    ]);
    expect(passages[2]?.text).toContain('\tA int\n}');
    expect(passages[1]?.text).not.toContain('return nil');
  });

  it('ends on hostile scripts', { timeout: 60_000 }, async () => {
    const deep = Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}class A:`).join(
      '\n',
    );
    expect(await splitPython(deep, trees, 'm')).toEqual([]);
    expect(await splitPython('def f(\n'.repeat(50_000), trees, 'm')).toEqual([]);
    const endless = `"""${'x\n'.repeat(100_000)}`;
    expect(await splitPython(endless, trees, 'm')).toEqual([]);
    expect(await splitStub('@overload\n'.repeat(50_000), trees, 'm')).toEqual([]);
    expect(await splitGo('/*\n'.repeat(100_000), trees)).toEqual([]);
    const unfinished = await splitGo('type A struct {\n'.repeat(20_000), trees);
    expect(unfinished.length).toBeLessThan(20_000);
    expect(splitJsdoc('/** a */\n'.repeat(50_000))).toEqual([]);
  });
});
