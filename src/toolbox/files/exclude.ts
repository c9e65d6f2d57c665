import ignorePackage from 'ignore';
import { z } from 'zod';

const maxPatterns = 100;
const maxPatternChars = 500;

/** The input field of tools that look at many files. */
export const excludeField = z
  .array(z.string().min(1).max(maxPatternChars))
  .max(maxPatterns)
  .optional()
  .describe(
    'Files and folders to leave out, as patterns of .gitignore relative to the root: docs, *.test.ts, /src/old.py.',
  );

/** Tells the paths that patterns of `.gitignore` name. Paths are relative to the root, with `/` on every system. */
export function excluder(patterns: readonly string[] = []): (path: string) => boolean {
  const rules = ignorePackage.default({ allowRelativePaths: true }).add([...patterns]);
  return (path) => path !== '' && path !== '.' && rules.ignores(path);
}
