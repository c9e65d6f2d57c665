import { withTree, type ParsedLanguage, type SyntaxParser } from '../syntax-parser.ts';
import { findNotRun } from './find-tests.ts';
import { guardGo } from './guard-go.ts';
import { guardPython } from './guard-python.ts';
import { guardScript } from './guard-script.ts';
import { guardText } from './guard-text.ts';
import { describeSuspicions, type Guarded, type Suspicion } from './suspicion.ts';

interface GuardedSource extends Guarded {
  readonly language: ParsedLanguage;
  readonly text: string;
}

/**
 * Why a text, run beside what records its tests, could make that record say anything. Tests share a process with
 * their runner, so what could reach it is kept out beforehand; what is left is judged by running it.
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

/** Which of the tests that are written down were not among those that ran. */
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
