import type { ParsedLanguage } from '../language.ts';
import { type SyntaxParser, withTree } from '../syntax-tree.ts';
import { findNotRun } from './find-tests.ts';
import { guardGo } from './guard-go.ts';
import { guardPython } from './guard-python.ts';
import { guardScript } from './guard-script.ts';
import { z } from 'zod';
import {
  pattern,
  readRules,
  describeSuspicions,
  type Guarded,
  type Suspicion,
} from './suspicion.ts';

interface GuardedSource extends Guarded {
  readonly language: ParsedLanguage;
  readonly text: string;
}

/**
 * Why a text could forge the record of its tests. Tests share a process with their runner, so code that could reach the
 * runner is refused beforehand; the rest is judged by running it.
 */
export function guardSource(parser: SyntaxParser, source: GuardedSource): Promise<string[]> {
  return withTree(parser, source, (root) => describeSuspicions(source.role, find(root)));

  function find(root: Parameters<typeof guardPython>[0]): Suspicion[] {
    switch (source.language) {
      case 'python':
        return guardPython(root, source);
      case 'javascript':
      case 'typescript':
        return guardScript(root, source);
      case 'go':
        return guardGo(root, source);
      case 'rust':
      case 'java':
        return guardText(source.language, source);
    }
  }
}

/** Tests in the source that did not run. */
export async function guardNotRun(
  parser: SyntaxParser,
  source: { readonly language: ParsedLanguage; readonly text: string },
  run: readonly string[],
): Promise<string[]> {
  const { language } = source;
  const names = await withTree(parser, source, (root) => findNotRun(root, { language, run }));
  if (names.length === 0) return [];
  return [`These tests were never run: ${names.slice(0, 5).join(', ')}.`];
}

const textRules = { signs: z.array(pattern), testSigns: pattern };

/** How Rust or Java code could influence its own test run. */
export function guardText(
  language: 'rust' | 'java',
  { text, role }: { readonly text: string; readonly role: 'code' | 'tests' },
): Suspicion[] {
  const { signs, testSigns } = readRules(language, textRules);
  const found: Suspicion[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const sign of role === 'code' ? [...signs, testSigns] : signs) {
      const match = sign.exec(line);
      if (match) found.push({ line: index + 1, what: match[0].trim() });
    }
  }
  return found;
}
