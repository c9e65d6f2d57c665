import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { findCssProblem } from './css-statements.ts';
import { findCssStatementProblem } from './css-statements.ts';
import type { FormatEngine } from './engine.ts';
import { ownPlugins, prettierVersion, runPrettier } from './prettier.ts';
import { placeOfOffset } from './text-place.ts';

/** CSS by Prettier, after a look at brackets and statements: its parser forgives what is none. */
export const formatCss: FormatEngine = async ({ file, lineLength }) => {
  assertCssStatements(file);
  const text = await runPrettier(file, {
    parser: 'css',
    plugins: await ownPlugins(['postcss']),
    printWidth: lineLength,
  });
  return { text, engine: `prettier ${prettierVersion()}`, guard: 'css' };
};

export function assertCssStatements(file: SourceFile): void {
  const problem = findCssProblem(file.text) ?? findCssStatementProblem(file.text);
  if (problem) throw syntaxError(file, placeOfOffset(file.text, problem.offset), problem.message);
}
