import { Ruff } from '../../src/toolbox/code/engines/ruff.ts';
import type { CodeContext } from '../../src/toolbox/code/code-context.ts';
import { SourceFiles } from '../../src/toolbox/code/source-files.ts';
import { SyntaxTrees } from '../../src/toolbox/code/syntax-tree.ts';

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
