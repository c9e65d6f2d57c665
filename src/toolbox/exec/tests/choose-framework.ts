import { NoTestFrameworkError } from './errors.ts';
import { frameworkNames, type FrameworkName } from './framework.ts';
import type { Project } from './project.ts';
import { countTestFiles } from './test-files.ts';

export interface ChosenFramework {
  readonly framework: FrameworkName;
  readonly notes: readonly string[];
}

/** The framework most test files are of. Throws `exec.no_test_framework` when there are none. */
export function chooseFramework(project: Project, given: FrameworkName | 'auto'): ChosenFramework {
  if (given !== 'auto') return { framework: given, notes: [] };
  const counts = countTestFiles(project);
  const found = frameworkNames
    .filter((name) => counts[name] > 0)
    .sort((a, b) => counts[b] - counts[a]);
  const [framework, ...others] = found;
  if (framework === undefined) {
    throw new NoTestFrameworkError(
      'no test files were recognised (test_*.py, *_test.go, *.test.js with node:test or vitest, #[test] in Rust, JUnit in Java). Name them so, or give "framework"',
    );
  }
  if (others.length === 0) return { framework, notes: [] };
  const note = `ran the tests of ${framework}; there are also tests of ${others.join(', ')}: give "framework" to run those`;
  return { framework, notes: [note] };
}
