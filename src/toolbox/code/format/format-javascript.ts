import type { ParseResult } from 'oxc-parser';
import { dialectOf, parseJavascript, type JavascriptDialect } from '../engines/javascript-tree.ts';
import type { CodeSyntaxError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import type { SyntaxTrees } from '../syntax-tree.ts';
import { syntaxError, type FormatEngine } from './engine.ts';
import { findPatternProblem } from './javascript-patterns.ts';
import { prettierVersion, ownPlugins, runPrettier } from './prettier.ts';
import { placeOfOffset } from './text-place.ts';

/**
 * JavaScript and TypeScript by Prettier. oxc is asked first: Prettier's parsers also accept what is
 * not in the language, such as type annotations in JavaScript.
 */
export const formatJavascript: FormatEngine = async ({ file, lineLength }, context) => {
  const problem = await checkJavascript(file, context.trees);
  if (problem) throw problem;
  const isTypescript = file.language === 'typescript';
  const text = await runPrettier(file, {
    parser: isTypescript ? 'typescript' : 'babel',
    plugins: await ownPlugins([isTypescript ? 'typescript' : 'babel', 'estree']),
    printWidth: lineLength,
    // A template literal's text is data: formatting CSS or HTML inside it would change the program.
    embeddedLanguageFormatting: 'off',
  });
  return { text, engine: `prettier ${prettierVersion()}` };
};

/** The first syntax error of a JavaScript or TypeScript text. */
export async function checkJavascript(
  file: SourceFile,
  trees: SyntaxTrees,
): Promise<CodeSyntaxError | undefined> {
  const firstErrors = [];
  for (const dialect of dialectsOf(file)) {
    const parsed = await parseJavascript({ ...file, dialect, semanticErrors: true }, trees);
    const [first] = parsed.errors;
    if (!first) return checkPatterns(file, parsed);
    firstErrors.push(first);
  }
  const [likeliest] = firstErrors;
  // Of a name declared twice both places are named; the second is the mistake.
  const isSecond = likeliest?.message.endsWith('already been declared') === true;
  const offset = likeliest?.labels.at(isSecond ? -1 : 0)?.start ?? 0;
  return syntaxError(file, placeOfOffset(file.text, offset), likeliest?.message ?? 'Invalid');
}

/** oxc takes a regular expression as it is; the engine that runs this code knows what one may be. */
function checkPatterns(file: SourceFile, parsed: ParseResult): CodeSyntaxError | undefined {
  const problem = findPatternProblem(file.text, () => parsed.program);
  return problem && syntaxError(file, placeOfOffset(file.text, problem.offset), problem.message);
}

/** Only TypeScript without a file name may be with or without JSX; the likelier comes first. */
function dialectsOf(file: SourceFile): readonly JavascriptDialect[] {
  if (file.language === 'javascript') return ['jsx'];
  return file.path === inlinePath ? ['ts', 'tsx'] : [dialectOf(file.path, 'typescript')];
}
