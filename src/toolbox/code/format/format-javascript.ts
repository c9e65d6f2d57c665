import { dialectOf, parseJavascript, type JavascriptDialect } from '../engines/javascript-tree.ts';
import type { CodeSyntaxError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import type { SyntaxTrees } from '../syntax-tree.ts';
import { syntaxError, type FormatEngine } from './engine.ts';
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
    const { errors } = await parseJavascript({ ...file, dialect }, trees);
    const [first] = errors;
    if (!first) return undefined;
    firstErrors.push(first);
  }
  const [likeliest] = firstErrors;
  const offset = likeliest?.labels[0]?.start ?? 0;
  return syntaxError(file, placeOfOffset(file.text, offset), likeliest?.message ?? 'Invalid');
}

/** Only TypeScript without a file name may be with or without JSX; the likelier comes first. */
function dialectsOf(file: SourceFile): readonly JavascriptDialect[] {
  if (file.language === 'javascript') return ['jsx'];
  return file.path === inlinePath ? ['ts', 'tsx'] : [dialectOf(file.path, 'typescript')];
}
