import type { CodeContext } from '../code-context.ts';
import { parseJavascriptFile } from '../engines/parse-inline.ts';
import { CodeSyntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';

/** Whether a text can be read as its language, at less cost than linting it. */
export async function stillParses(file: SourceFile, context: CodeContext): Promise<boolean> {
  const { language, text } = file;
  if (language === 'python') {
    const found = await context.ruff.check(text, { lint: { select: ['E9'] } });
    return !found.some(({ code }) => code === null || code === 'invalid-syntax');
  }
  if (language === 'javascript' || language === 'typescript') {
    try {
      return (await parseJavascriptFile(file, context.trees)).errors.length === 0;
    } catch (error) {
      if (error instanceof CodeSyntaxError) return false;
      throw error;
    }
  }
  // The fixes of SQL and HTML change the case of words, quotes and slashes in tags: no structure.
  if (language === 'sql' || language === 'html') return true;
  const tree = await context.trees.parse(language, text);
  const { hasError } = tree.rootNode;
  tree.delete();
  return !hasError;
}
