import type { CodeContext } from '../code-context.ts';
import { parseJavascriptFile } from '../engines/parse-inline.ts';
import { CodeSyntaxError } from '../errors.ts';
import type { Language } from '../language.ts';
import { TextPositions } from '../text-positions.ts';
import type { SourceFile } from '../source-files.ts';
import type { GrammarName } from '../syntax-tree.ts';
import type { FlatTree } from './flat-tree.ts';
import { flattenJavascript } from './flatten-javascript.ts';
import { flattenSyntaxTree } from './flatten-syntax-tree.ts';

/** The languages whose texts have paths of execution. */
export type ProgramLanguage = Exclude<Language, 'sql' | 'html' | 'css'>;

export type ProgramFile = SourceFile & { readonly language: ProgramLanguage };

/** The tree of a program. Throws `CodeSyntaxError` when JavaScript or TypeScript cannot be parsed. */
export async function flattenSource(
  file: ProgramFile,
  context: Pick<CodeContext, 'trees'>,
): Promise<FlatTree> {
  const { language } = file;
  return language === 'javascript' || language === 'typescript'
    ? flattenEstree({ ...file, language }, context)
    : flattenByGrammar(file.text, language, context);
}

async function flattenByGrammar(
  text: string,
  grammar: GrammarName,
  context: Pick<CodeContext, 'trees'>,
): Promise<FlatTree> {
  const tree = await context.trees.parse(grammar, text);
  try {
    return flattenSyntaxTree(tree, text);
  } finally {
    tree.delete();
  }
}

async function flattenEstree(
  file: SourceFile & { readonly language: 'javascript' | 'typescript' },
  context: Pick<CodeContext, 'trees'>,
): Promise<FlatTree> {
  const { path, language, text } = file;
  const [{ visitorKeys }, parsed] = await Promise.all([
    import('oxc-parser'),
    parseJavascriptFile(file, context.trees),
  ]);
  const [problem] = parsed.errors;
  if (problem) {
    const place = new TextPositions(text).position(problem.labels[0]?.start ?? 0);
    throw new CodeSyntaxError({ path, language, ...place, message: problem.message });
  }
  return flattenJavascript(parsed, text, visitorKeys);
}
