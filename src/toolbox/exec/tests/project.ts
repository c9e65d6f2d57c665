import type { SandboxMount, SandboxProgram } from '../../../contract/sandbox/index.ts';
import { type FrameworkName, frameworkNames } from './framework.ts';
import { NoTestFrameworkError } from '../errors.ts';

/** A project whose tests are to run, as it will lie in the work folder. */
export interface Project {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Installed dependencies that stay where they are and are shown read-only. */
  readonly dependencies: ProjectDependencies;
  /** What was left out, in sentences. */
  readonly notes: readonly string[];
}

export interface ProjectDependencies {
  /** The folder `node_modules` that Node finds for the project. */
  readonly nodeModules: string | undefined;
  /** `site-packages` of the project's virtual environment. */
  readonly sitePackages: string | undefined;
}

export const noDependencies: ProjectDependencies = {
  nodeModules: undefined,
  sitePackages: undefined,
};

export const workFolder = '/work';

/** Where the project lies in the work folder: beside our own files and the caches of tools, not around them. */
export const projectFolder = 'project';

export const projectRoot = `${workFolder}/${projectFolder}`;

/** Above the project, where Node looks as well: so the project can have one of its own that is writable. */
export const nodeModulesFolder = `${workFolder}/node_modules`;

export function nodeModulesMount(project: Project): readonly SandboxMount[] {
  const { nodeModules } = project.dependencies;
  return nodeModules === undefined ? [] : [{ source: nodeModules, target: nodeModulesFolder }];
}

/** A command that runs in the project's folder. */
export function inProject(argv: readonly string[]): SandboxProgram {
  return {
    kind: 'command',
    argv: ['sh', '-c', `cd ${projectFolder} && exec "$@"`, 'sh', ...argv],
  };
}

/** The text of a file; empty for one that is not there or no text. */
export function textOf(project: Pick<Project, 'files'>, path: string): string {
  const content = Object.hasOwn(project.files, path) ? project.files[path] : undefined;
  if (content === undefined) return '';
  return typeof content === 'string' ? content : decoder.decode(content.subarray(0, maxTextBytes));
}

const decoder = new TextDecoder();
const maxTextBytes = 256 * 1024;

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
