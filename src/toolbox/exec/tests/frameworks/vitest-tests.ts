import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestFramework, TestRequest } from '../framework.ts';
import { TestLibraryMissingError } from '../errors.ts';
import {
  inProject,
  nodeModulesFolder,
  nodeModulesMount,
  projectFolder,
  projectRoot,
  textOf,
  workFolder,
  type Project,
} from '../project.ts';
import { readVitestReport } from '../read/read-vitest-report.ts';
import { testGlobs } from '../test-files.ts';

const report = 'report.json';
const coverageReport = 'coverage/coverage-final.json';

/** Tests of vitest, as it is installed in the project's `node_modules`. */
export const vitestTests: TestFramework = {
  plan: async (request) => {
    const { project, runFolder, coverage } = request;
    const hasVitest = await hasPackage(request, 'vitest');
    if (!hasVitest) {
      throw new TestLibraryMissingError(
        'vitest is not installed in the project',
        'Run "npm install --save-dev vitest" in it and give its folder as "path"',
      );
    }
    const isMeasured = coverage && (await hasPackage(request, '@vitest/coverage-v8'));
    return {
      toolchains: ['node'],
      program: inProject([...vitestArgv(request), ...coverageArgv(request, isMeasured)]),
      // A folder of the project's own, in which vitest keeps what it caches.
      files: { [`${projectFolder}/node_modules/.keep`]: '', [`${runFolder}/.keep`]: '' },
      env: { NO_COLOR: '1', CI: 'true' },
      stdin: '',
      mounts: nodeModulesMount(project),
      needs: { memoryBytes: 1024 * 1024 * 1024, diskBytes: 256 * 1024 * 1024 },
      reports: [report, coverageReport],
      readReport: (_result, reports) => ({
        ...(coverage && !isMeasured ? { coverageNote: notInstalled } : {}),
        ...withoutUndefined(
          readVitestReport(
            { report: reports.get(report), coverage: reports.get(coverageReport) },
            projectRoot,
          ),
        ),
      }),
    };
  },
};

const notInstalled =
  'not measured: the project has no @vitest/coverage-v8. Run "npm install --save-dev @vitest/coverage-v8" in it';

function vitestArgv({ runFolder, filter }: TestRequest): string[] {
  return [
    'node',
    `${nodeModulesFolder}/vitest/vitest.mjs`,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${workFolder}/${runFolder}/${report}`,
    ...(filter === null ? [] : [`--testNamePattern=${filter}`]),
  ];
}

function coverageArgv({ project, runFolder }: TestRequest, isMeasured: boolean): string[] {
  if (!isMeasured) return ['--coverage.enabled=false'];
  return [
    '--coverage.enabled',
    '--coverage.provider=v8',
    '--coverage.reporter=json',
    `--coverage.reportsDirectory=${workFolder}/${runFolder}/coverage`,
    '--coverage.reportOnFailure',
    ...(hasOwnCoverage(project) ? [] : wholeProject),
  ];
}

/** What counts is then the project's to say. */
function hasOwnCoverage(project: Project): boolean {
  return Object.keys(project.files).some(
    (path) =>
      /^(?:vite|vitest)\.(?:config|workspace)\.\w+$/.test(path) &&
      /\bcoverage['"]?\s{0,10}:/.test(textOf(project, path)),
  );
}

/** From version 4 on, vitest reports files that no test imports only where it is told which there are. */
const wholeProject = [
  '--coverage.include=**/*.{js,cjs,mjs,ts,cts,mts,jsx,tsx,vue,svelte}',
  ...[...testGlobs, '**/*.d.{ts,cts,mts}', '**/*.config.*', '**/[.]**'].map(
    (glob) => `--coverage.exclude=${glob}`,
  ),
];

async function hasPackage({ project }: TestRequest, name: string): Promise<boolean> {
  const { nodeModules } = project.dependencies;
  if (nodeModules === undefined) return false;
  return access(join(nodeModules, name, 'package.json')).then(
    () => true,
    () => false,
  );
}

function withoutUndefined<Shape extends object>(given: Shape): Shape {
  // Leaving out members that are undefined leaves the same type: they are optional.
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Shape;
}
