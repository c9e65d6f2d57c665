import { textOf, type Project } from './project.ts';
import type { FrameworkName } from './framework.ts';

const scriptFile = /\.(?:js|cjs|mjs|ts|cts|mts|jsx|tsx)$/;
const scriptTestName =
  /(?:^|\/)(?:[^/]*[.\-_](?:test|spec)|test-[^/]*|test)\.\w+$|(?:^|\/)(?:test|tests|__tests__)\//;
const importsNodeTest = /(?:from|import|require\()\s{0,10}\(?\s{0,10}['"]node:test['"]/;
const importsVitest = /(?:from|import|require\()\s{0,10}\(?\s{0,10}['"]vitest['"]/;

/** Names of test files, for programs that take globs. */
export const testGlobs = [
  '**/*.{test,spec}.{js,cjs,mjs,ts,cts,mts,jsx,tsx}',
  '**/*[-_]test.{js,cjs,mjs,ts,cts,mts,jsx,tsx}',
  '**/test-*.{js,cjs,mjs,ts,cts,mts,jsx,tsx}',
  '**/{test,tests,__tests__}/**',
];

/** The files that hold tests of `node:test`. */
export function nodeTestFiles(project: Project): readonly string[] {
  return scripts(project).filter(
    (path) => !/\.[jt]sx$/.test(path) && importsNodeTest.test(textOf(project, path)),
  );
}

/** The scripts that tests are for; coverage counts them whether or not a test imports them. */
export function sourceScripts(project: Project): readonly string[] {
  return Object.keys(project.files).filter(
    (path) => scriptFile.test(path) && !scriptTestName.test(path) && !isNoSource(path),
  );
}

/** Declarations have no code; settings of tools and what hidden folders hold are not the program's. */
function isNoSource(path: string): boolean {
  return /\.d\.[cm]?ts$|\.config\.\w+$|(?:^|\/)\./.test(path);
}

/** How many test files of each framework a project has. */
export function countTestFiles(project: Project): Readonly<Record<FrameworkName, number>> {
  const paths = Object.keys(project.files);
  const python = paths.filter((path) => /(?:^|\/)(?:test[^/]*|[^/]*_test)\.py$/.test(path));
  const usesPytest = isPytestProject(project, python);
  return {
    pytest: usesPytest ? python.length : 0,
    unittest: usesPytest ? 0 : python.length,
    node: nodeTestFiles(project).length,
    vitest: vitestFiles(project).length,
    go: paths.filter((path) => path.endsWith('_test.go')).length,
    cargo: matching(project, /\.rs$/, /#\[(?:\w{1,50}::)?test\b/).length,
    junit: matching(project, /\.java$/, /\borg\.junit\.|\bjunit\.framework\./).length,
  };
}

const pytestSettings = /^\[(?:tool[.:])?pytest\b/m;

/** Files that only unittest can be meant by are left to it: it needs nothing installed. */
function isPytestProject(project: Project, files: readonly string[]): boolean {
  const hasSettings =
    files.length > 0 &&
    (Object.hasOwn(project.files, 'pytest.ini') ||
      ['pyproject.toml', 'setup.cfg', 'tox.ini'].some((path) =>
        pytestSettings.test(textOf(project, path)),
      ) ||
      Object.keys(project.files).some((path) => /(?:^|\/)conftest\.py$/.test(path)));
  return (
    hasSettings ||
    files.some((path) => {
      const text = textOf(project, path);
      return /^\s{0,40}(?:import|from)\s{1,10}pytest\b/m.test(text) || !/\bunittest\b/.test(text);
    })
  );
}

/** With globals, test files of vitest import nothing: then the project's manifest decides. */
function vitestFiles(project: Project): readonly string[] {
  const isVitestProject =
    /"vitest"\s{0,10}:/.test(textOf(project, 'package.json')) ||
    Object.keys(project.files).some((path) => /^vitest\.(?:config|workspace)\.\w+$/.test(path));
  return scripts(project).filter((path) => {
    const text = textOf(project, path);
    return importsVitest.test(text) || (isVitestProject && !importsNodeTest.test(text));
  });
}

function scripts(project: Project): readonly string[] {
  return Object.keys(project.files).filter(
    (path) => scriptFile.test(path) && !path.endsWith('.d.ts') && scriptTestName.test(path),
  );
}

function matching(project: Project, name: RegExp, content: RegExp): readonly string[] {
  return Object.keys(project.files).filter(
    (path) => name.test(path) && content.test(textOf(project, path)),
  );
}
