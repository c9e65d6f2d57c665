import type { CodeContext } from '../../code-context.ts';
import type { RuffDiagnostic } from '../../engines/ruff.ts';
import type { SourceFile } from '../../source-files.ts';
import { findingOf, type SecurityFinding } from '../security-rule.ts';
import { pythonRules } from './python-rules.ts';

/**
 * Ruff's flake8-bandit rules. Without preview its codes are the stable S numbers. Left out: S113,
 * missing timeouts, which are a matter of reliability.
 */
const options = { lint: { select: ['S'], ignore: ['S113'] } } as const;

/**
 * What Ruff finds, in our words; little where the text does not parse. `undefined` where the text
 * is nested deeper than Ruff's stack.
 */
export async function findByRuff(
  file: SourceFile,
  context: CodeContext,
): Promise<readonly SecurityFinding[] | undefined> {
  const diagnostics = await context.ruff.check(file.text, options).catch((error: unknown) => {
    if (isStackOverflow(error)) return undefined;
    throw error;
  });
  if (!diagnostics) return undefined;
  const lines = file.text.split('\n');
  const found: SecurityFinding[] = [];
  for (const diagnostic of diagnostics) {
    const rule = pythonRules.get(diagnostic.code ?? '');
    if (!rule || isLexerToken(diagnostic, lines)) continue;
    const { row, column } = diagnostic.start_location;
    const place = { file: file.path, line: row, column };
    found.push(findingOf(rule, place, { engine: 'ruff' }));
  }
  return found;
}

/** `token_type = "quoted-string"`: parsers speak of tokens too, and theirs are words. */
function isLexerToken(diagnostic: RuffDiagnostic, lines: readonly string[]): boolean {
  if (diagnostic.code !== 'S105' || !/token/i.test(diagnostic.message)) return false;
  const { row, column } = diagnostic.start_location;
  return /^["'][^\w"']?[A-Za-z_ -]{0,40}\W?["']/.test(
    (lines[row - 1] ?? '').slice(column - 1, column + 60),
  );
}

/** WebAssembly reports it either way, depending on whose stack ran out first. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}
