import type { ParseResult } from 'oxc-parser';
import { parseJavascriptFile } from '../engines/javascript-tree.ts';
import { syntaxError, type CodeSyntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { SyntaxTrees } from '../syntax-tree.ts';
import { prettierStyle, prettierVersion, ownPlugins, runPrettier } from './prettier.ts';
import { placeOfOffset } from '../text-positions.ts';
import type { FormatEngine } from './engine.ts';

/**
 * JavaScript and TypeScript by Prettier. oxc is asked first: Prettier's parsers also accept what is
 * not in the language, such as type annotations in JavaScript.
 */
export const formatJavascript: FormatEngine = async (job, context) => {
  const { file } = job;
  const problem = await checkJavascript(file, context.trees);
  if (problem) throw problem;
  const isTypescript = file.language === 'typescript';
  const text = await runPrettier(file, {
    parser: isTypescript ? 'typescript' : 'babel',
    plugins: await ownPlugins([isTypescript ? 'typescript' : 'babel', 'estree']),
    ...prettierStyle(job),
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
  const parsed = await parseJavascriptFile(file, trees, { semanticErrors: true });
  const [first] = parsed.errors;
  if (!first) return checkPatterns(file, parsed);
  // Of a name declared twice both places are named; the second is the mistake.
  const isSecond = first.message.endsWith('already been declared');
  const offset = first.labels.at(isSecond ? -1 : 0)?.start ?? 0;
  return syntaxError(file, placeOfOffset(file.text, offset), first.message);
}

/** oxc takes a regular expression as it is; the engine that runs this code knows what one may be. */
function checkPatterns(file: SourceFile, parsed: ParseResult): CodeSyntaxError | undefined {
  const problem = findPatternProblem(file.text, () => parsed.program);
  return problem && syntaxError(file, placeOfOffset(file.text, problem.offset), problem.message);
}

/** What looks like a regular expression behind a token after which no division can come. */
const candidates =
  /[=(,:;!&|?{}[\n]\s{0,100}\/((?:[^/\\[\n*]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,300}\])(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,300}\]){0,1000})\/([a-z]{0,10})/g;

interface PatternProblem {
  readonly offset: number;
  readonly message: string;
}

/**
 * The first regular expression of a valid JavaScript text that is none. The tree is asked for only
 * when something in the text looks like a broken one: nearly all texts are done without.
 */
function findPatternProblem(text: string, programOf: () => object): PatternProblem | undefined {
  const isSuspect = [...`\n${text}`.matchAll(candidates)].some(
    ([, pattern = '', flags = '']) => reasonAgainst(pattern, flags) !== undefined,
  );
  if (!isSuspect) return undefined;
  let first: PatternProblem | undefined;
  const open: object[] = [programOf()];
  for (let node = open.pop(); node; node = open.pop()) {
    const problem = problemOf(node);
    if (problem && (!first || problem.offset < first.offset)) first = problem;
    for (const child of Object.values(node)) {
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return first;
}

function problemOf(node: object): PatternProblem | undefined {
  // Any object may be asked for fields it does not have; what comes is looked at.
  const { regex, start } = node as { regex?: unknown; start?: unknown };
  if (typeof regex !== 'object' || regex === null || typeof start !== 'number') return undefined;
  // As above.
  const { pattern, flags } = regex as { pattern?: unknown; flags?: unknown };
  const message = reasonAgainst(String(pattern), String(flags));
  return message === undefined ? undefined : { offset: start, message };
}

function reasonAgainst(pattern: string, flags: string): string | undefined {
  try {
    void new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
