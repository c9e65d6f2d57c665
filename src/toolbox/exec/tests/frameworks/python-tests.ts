import { readSignedRecords } from '../read-signed-records.ts';
import { readRunner, type TestFramework, type TestPlan, type TestRequest } from '../framework.ts';
import { projectRoot, workFolder } from '../project.ts';

const report = 'report.jsonl';
const sitePackagesTarget = '/opt/site-packages';

/** Tests of pytest or of unittest, run and recorded by a Python program of ours. */
export function pythonTests(framework: 'pytest' | 'unittest'): TestFramework {
  return { plan: (request) => planPython(framework, request) };
}

async function planPython(
  framework: 'pytest' | 'unittest',
  request: TestRequest,
): Promise<TestPlan> {
  const { runFolder, key, filter, coverage, separateMs } = request;
  const { sitePackages } = request.project.dependencies;
  const main = `${runFolder}/run_python_tests.py`;
  return {
    toolchains: toolchainsFor(framework, { coverage, hasOwnPackages: sitePackages !== undefined }),
    program: { kind: 'python', main, args: [] },
    files: { [main]: await readRunner('run_python_tests.py') },
    env: {},
    stdin: JSON.stringify({
      key,
      root: projectRoot,
      report: `${workFolder}/${runFolder}/${report}`,
      framework,
      coverage,
      filter,
      separateMs,
      modulePaths: sitePackages === undefined ? [] : [sitePackagesTarget],
    }),
    mounts:
      sitePackages === undefined ? [] : [{ source: sitePackages, target: sitePackagesTarget }],
    needs: {},
    reports: [report],
    readReport: (_result, reports) => readSignedRecords(reports.get(report), key),
  };
}

/** `python:a,b` is a Python that has these modules; one with more of them comes first. */
function toolchainsFor(
  framework: 'pytest' | 'unittest',
  wanted: { readonly coverage: boolean; readonly hasOwnPackages: boolean },
): readonly string[] {
  const needed = framework === 'pytest' ? ['pytest'] : [];
  return [
    ...(wanted.coverage ? [`python:${[...needed, 'coverage'].join(',')}`] : []),
    ...(needed.length > 0 && wanted.hasOwnPackages ? ['python'] : []),
    needed.length > 0 ? `python:${needed.join(',')}` : 'python',
  ];
}
