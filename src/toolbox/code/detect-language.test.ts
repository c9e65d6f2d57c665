import { describe, expect, it } from 'vitest';
import { detectLanguage, likelyLanguages } from './detect-language.ts';
import snippets from './testdata/snippets.json' with { type: 'json' };

describe.each(Object.entries(snippets))('%s', (language, texts) => {
  it.each(texts)('is what this is: %j', (text) => {
    expect(detectLanguage(text)).toBe(language);
  });
});

it('has at least 20 snippets of each language to go by', () => {
  for (const texts of Object.values(snippets)) expect(texts.length).toBeGreaterThanOrEqual(20);
});

it.each([
  '',
  '   \n',
  'hello world',
  '42',
  'The quick brown fox jumps.',
  '{"a": 1}',
  '<?xml version="1.0"?><a/>',
])('is not claimed for text that is in none of the languages: %j', (text) => {
  expect(detectLanguage(text)).toBeUndefined();
});

it.each([
  ['#!/usr/bin/env python3\nx', 'python'],
  ['#!/usr/bin/env node\nx', 'javascript'],
  ['#!/usr/bin/env -S npx tsx\nx', 'typescript'],
  ['\uFEFF<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><p>x', 'html'],
])('is told by the first line: %j', (text, language) => {
  expect(detectLanguage(text)).toBe(language);
});

it('does not take prose in comments for code', () => {
  const text =
    '/* from here on we select the class of the function */\nconst a = require("a");\n// def f(): import x\n';
  expect(detectLanguage(text)).toBe('javascript');
});

it('takes bounded time on hostile input', () => {
  const inputs = [
    '/*',
    'for ',
    ' ',
    '<',
    '<a ',
    'select ',
    '{',
    'a.',
    'let x',
    '((',
    'if a:\n ',
    '\n',
  ];
  const startedAt = performance.now();
  for (const piece of inputs) detectLanguage(piece.repeat(200_000));
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it.each([
  ['def f[T: int](x: T) -> list[T]: ...', 'python'],
  ['if (n := len(a)) > 10:\n    x = 1\n', 'python'],
  ['enum E implements I {}', 'java'],
  ['module a.b { requires c; }', 'java'],
  ['explain analyze select 1;', 'sql'],
  ['PRAGMA foreign_keys = ON;', 'sql'],
])('is not taken for a neighbour: %j', (text, language) => {
  expect(detectLanguage(text)).toBe(language);
});

it('names TypeScript after JavaScript where only a type could tell', () => {
  expect(likelyLanguages('const a = b as Foo;').slice(0, 2)).toEqual(['javascript', 'typescript']);
});
