import { Ruff } from '../code/engines/ruff.ts';
import type { CodeContext } from '../code/code-context.ts';
import { SourceFiles } from '../code/source-files.ts';
import { SyntaxTrees } from '../code/syntax-tree.ts';

/** Real engines over the given roots, default settings: what the code tools get in production. */
export function aCodeContext(
  roots: readonly string[] = [process.cwd()],
  settings: Partial<CodeContext['settings']> = {},
): CodeContext {
  return {
    sources: new SourceFiles(roots, { exclude: settings.exclude ?? [] }),
    trees: new SyntaxTrees(),
    ruff: new Ruff(),
    settings: {
      exclude: [],
      lineLength: 100,
      maxIssues: 50,
      severityLevels: ['critical', 'major', 'minor', 'info'],
      osvUrl: 'https://api.osv.dev',
      osvDirectory: undefined,
      ...settings,
    },
  };
}
