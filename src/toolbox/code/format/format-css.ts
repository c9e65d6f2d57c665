import type { SourceFile } from '../source-files.ts';
import { findCssProblem } from './css-brackets.ts';
import { syntaxError, type FormatEngine } from './engine.ts';
import { ownPlugins, prettierVersion, runPrettier } from './prettier.ts';
import { placeOfOffset } from './text-place.ts';

/** CSS by Prettier, after a look at the brackets: its parser forgives some that have no partner. */
export const formatCss: FormatEngine = async ({ file, lineLength }) => {
  assertBrackets(file);
  const text = await runPrettier(file, {
    parser: 'css',
    plugins: await ownPlugins(['postcss']),
    printWidth: lineLength,
  });
  return { text, engine: `prettier ${prettierVersion()}`, guard: 'css' };
};

export function assertBrackets(file: SourceFile): void {
  const problem = findCssProblem(file.text);
  if (problem) throw syntaxError(file, placeOfOffset(file.text, problem.offset), problem.message);
}
