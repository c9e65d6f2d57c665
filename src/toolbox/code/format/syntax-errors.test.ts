import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { inlinePath } from '../source-files.ts';
import type { Language } from '../language.ts';
import { formatCodeTool } from './format-code-tool.ts';
import { Rustfmt } from './format-rust.ts';
import { checkSyntax } from './format-source.ts';

const context = aCodeContext();
const tool = formatCodeTool(context);
/** Without it another parser finds the same errors, but may point to a neighbouring column. */
const hasRustfmt = (await new Rustfmt().version(new AbortController().signal)) !== undefined;

/** Invalid text, then the place where its parser gives up: line, column. */
const invalid: Readonly<Record<Language, readonly [string, number, number][]>> = {
  python: [
    ['def f(:\n    pass\n', 1, 7],
    ['x = 1\nif x:\npass\n', 3, 1],
    ['é = 1; print "x"', 1, 14],
    ['x = (1,\n', 2, 1],
    ['for in x:\n    pass\n', 1, 5],
    ['a = 1\n  b = 2\n', 2, 1],
    ["s = 'abc\n", 1, 5],
  ],
  javascript: [
    ['let x = ;', 1, 9],
    ['let x: number = 1;', 1, 6],
    ['function f() {\n', 2, 1],
    ['const a = 1;\nconst b = {;\n', 2, 12],
    ['if (a {\n}\n', 1, 7],
    ['return return', 1, 8],
    ['var s = "abc;\n', 1, 9],
    ['for (let x = 1 of y);', 1, 6],
    ['a;\n/(/', 2, 1],
    ['const a = 1;\nconst a = 2;', 2, 7],
    ['let [a, a] = [1, 2];', 1, 9],
    ["'use strict';\nwith (a) {}", 2, 1],
    ["function f(a, a) { 'use strict'; }", 1, 15],
    ['super();', 1, 1],
    ["import x from 'y';\nfor (let = 0;;);", 2, 6],
  ],
  typescript: [
    ['let x: = 1;', 1, 8],
    ['interface A {\n  a: string\n', 3, 1],
    ['type A = ;', 1, 10],
    ['const f = (a: number => a;', 1, 22],
    ['enum A { a b }', 1, 12],
    ['let a: string;\nlet a: number;', 2, 5],
    ["import x from 'y';\nfor (let = 0;;);", 2, 6],
  ],
  java: [
    ['class A {\n  void f( int a {return;}}', 2, 16],
    ['class A { int x = ; }', 1, 19],
    ['class A { void f() { int x = 1 } }', 1, 31],
    ['class A {', 1, 10],
    ['class A { void f() { foo(; } }', 1, 26],
    ['class A { int int = 3; }', 1, 15],
    ['class A { int class = 3; }', 1, 15],
    ['class A { int true = 1; }', 1, 15],
    ['class A { void f() { goto x; } }', 1, 22],
    ['class A { public public int x; }', 1, 11],
    ['class A { public private int x; }', 1, 11],
    ['final final class A {}', 1, 1],
    ['class A { void f() { x + 1; } }', 1, 22],
    ["class A { char c = 'ab'; }", 1, 20],
    ['class A { String s = "\\q"; }', 1, 23],
    ['class A { void x; }', 1, 11],
    ['class A { foo() {} }', 1, 11],
    ['enum E { B; foo() {} }', 1, 13],
    ['class A {\n  String s = "abc;\n}\n', 2, 14],
    ["class A {\n  char c = 'a;\n}\n", 2, 12],
    ['class A {\n  /* x\n}\n', 2, 3],
  ],
  go: [
    ['package main\nfunc main({x:=1}', 2, 11],
    ['package main\nvar x =', 2, 8],
    ['package main\n\nfunc f() {\n\tx := "é" +\n}\n', 5, 1],
    ['package main\nfunc f() { "é" é é }', 2, 16],
    ['package main\nimport fmt\n', 2, 11],
  ],
  rust: [
    ['fn f() { let x = ; }', 1, 18],
    ['fn f() { let x = 1 }', 1, 20],
    ['struct A { a: u8, b }', 1, 21],
    ['fn f() {\n    let é = ;\n}\n', 2, 13],
    ['fn f() { if }', 1, 13],
  ],
  sql: [
    ['selec * from x', 1, 1],
    ['select * from t where', 1, 22],
    ['select 1;\nselect é, from t;\n', 2, 11],
    ["select 'a", 1, 8],
    ['create table t (a int,)', 1, 23],
    ['select (1', 1, 10],
    ['insert into t values (1', 1, 24],
    ['drop tabl x', 1, 6],
    ['SELECT * FROM t WHERE NOT', 1, 26],
    ['INSERT t INTO (a) VALUES (1)', 1, 8],
    ['select * from t where a = :a and', 1, 27],
  ],
  html: [
    ['<div><span></div>', 1, 12],
    ['<p>a</p>\n<div>', 2, 1],
    ['<div', 1, 1],
    ['</p>', 1, 1],
    ['<br></br>', 1, 5],
    ['<section>\n<b>x</section>\n', 2, 5],
    ['<p>x</p>\n<a href="x>b</a>\n<p>z</p>', 2, 9],
    ['<p>a</p>\n<!-- x\n<p>', 2, 1],
    ['<p>a</p>\n<script>\nlet a;\n', 2, 1],
    ['<table><tr><td>1<td>2</div></table>', 1, 22],
  ],
  css: [
    ['a{color:red', 1, 1],
    ['a{color red}', 1, 3],
    ['a{color:red}}', 1, 13],
    ['{}', 1, 1],
    ['a{b:"x}\nc{}', 1, 5],
    ['a{}\n@media (x { a{b:c} }', 2, 1],
    ['a,{b:c}', 1, 2],
    ['a{b:c}\n/* x', 2, 1],
    [') { }', 1, 1],
    ['a { color: red\n  background: blue; }', 1, 15],
    ['.{a:b}', 1, 2],
    ['#{a:b}', 1, 2],
    ['a..b{c:d}', 1, 3],
    ['a > { b: c }', 1, 3],
    ['a:{b:c}', 1, 3],
    ['[a=]{b:c}', 1, 4],
    [',a{b:c}', 1, 1],
    ['1a{b:c}', 1, 1],
    ['a{b:c!}', 1, 3],
    ['a { color: }', 1, 11],
    ['a { : red }', 1, 11],
    ['a,, b { c: d }', 1, 3],
    ['@import ;', 1, 1],
    ['a{b:c(d}', 1, 6],
    ['@media screen', 1, 1],
  ],
};

describe.each(Object.entries(invalid))('invalid %s', (language, cases) => {
  it.each(cases)('%j is an error at %i:%i', async (code, line, column) => {
    await expect(tool.call({ code, language }, aCallContext())).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: { line, language, path: inlinePath, ...(isExact(language) ? { column } : {}) },
    });
  });

  it.each(cases)('%j is found by the check alone at line %i', async (text, line) => {
    // The keys of the table above are languages.
    const file = { path: inlinePath, text, language: language as Language };
    expect(await checkSyntax(file, context)).toMatchObject({ line, language });
  });
});

function isExact(language: string): boolean {
  return language !== 'rust' || hasRustfmt;
}

/** Valid text that a careless check would refuse. */
const valid: readonly [Language, string][] = [
  ['python', 'match x:\n    case {"a": 1}:\n        pass\n'],
  ['python', 'print(f"{x!r:>{width}}")\n'],
  ['javascript', 'with (a) {\n  b;\n}\n'],
  ['javascript', 'const a = <div>{x}</div>;\n'],
  ['javascript', 'var await = 010;\n'],
  ['javascript', '#!/usr/bin/env node\nreturn;\n'],
  ['typescript', 'const a = <div>{x}</div>;\n'],
  ['typescript', 'const a = <T,>(x: T) => x;\n'],
  ['typescript', 'abstract class A { declare x: number; accessor y = 1; }\n'],
  ['java', 'record P<T>(int x, T y) { P { } }\n'],
  [
    'java',
    'class A { int f(Object o) { return switch (o) { case String s when s.isEmpty() -> 1; default -> 2; }; } }\n',
  ],
  ['java', 'sealed interface S permits A, B {}\n'],
  ['go', 'package a\n\nfunc Map[T any](xs []T) {}\n'],
  ['go', 'x := 1\n'],
  ['rust', "const C: char = '𐳫';\n"],
  ['rust', 'async fn f() -> impl Fn() { async move || {} }\n'],
  ['sql', 'create table `t` (`a` int unsigned auto_increment, primary key (`a`)) engine=InnoDB;'],
  ['sql', 'SELECT TOP 10 [a] FROM [dbo].[t];'],
  ['sql', '\\echo Use "CREATE EXTENSION x" to load this file. \\quit\nselect 1;\n'],
  ['sql', 'SELECT 1;\nGO\nSELECT 2;\nGO\n'],
  ['sql', 'COPY t (a) FROM stdin;\n1\n2\n\\.\nselect 1;\n'],
  ['sql', '-- only a comment\n'],
  ['html', '<!doctype html><title>x</title><p>a<p>b<ul><li>c<li>d</ul>'],
  ['html', '<svg><path d="M0 0"/></svg><img src=a>'],
  ['css', 'a{background:url(data:image/png;base64,iVBO{R)}'],
  [
    'css',
    'a{filter:progid:DXImageTransform.Microsoft.gradient(startColorstr="#1",endColorstr="#2")}',
  ],
  ['css', ':root{--x:{a:b};--y:}'],
  ['css', 'a{&:hover{b:c}}'],
  ['css', 'a{b{c:d}> e{f:g}+ h,~ i{j:k}@media (x){l:m}}'],
  ['css', '@keyframes x{0%{a:b}50.5%,to{a:b}}'],
  ['css', 'ul > li:nth-child(2n+1):not(.a, [b="]"])::before,*|*{*zoom:1;c:d !important}'],
  ['css', '.\\31 a, .é{b:"!"}@layer a;@import "x";@page :first{margin:1in}'],
  ['javascript', 'x = a / b / (c); y = /[(/]/g.test(z);\n'],
  ['javascript', 'delete x;\nyield = 1;\n'],
  [
    'typescript',
    'function f(a: string): void;\nfunction f(a: unknown) {}\ninterface A {}\ninterface A {}\n',
  ],
  ['java', "class A { A() { x++; } char c = '\\u0041', d = '\\'', e = '\\0'; }\n"],
  ['java', 'enum E { A { void f() {} }; E() {} }\n'],
  ['sql', 'PRAGMA foreign_keys = ON;\nselect 1;\n'],
  ['sql', "create user 'bob'@'localhost' identified by 'x';\n"],
  ['html', '<table><caption>a<colgroup><col><tr><td>1<td>2<tr><td>3</table>'],
];

describe('valid text', () => {
  it.each(valid)('in %s is no error: %j', async (language, text) => {
    expect(await checkSyntax({ path: inlinePath, text, language }, context)).toBeUndefined();
    const result = await tool.call({ code: text, language }, aCallContext());
    expect(result.structuredContent).toHaveProperty('formatted_code');
  });
});
