import { readRunner, type TestFramework } from '../framework.ts';
import { NoTestFrameworkError } from '../../errors.ts';
import {
  inProject,
  nodeModulesMount,
  nodeTestFiles,
  sourceScripts,
  testGlobs,
  workFolder,
} from '../project.ts';
import { readSignedRecords } from '../read-signed-records.ts';

const report = 'report.jsonl';

/** Tests of Node's own `node:test`, in JavaScript and in TypeScript that Node runs as it is. */
export const nodeTests: TestFramework = {
  plan: async ({ project, runFolder, key, coverage, filter, separateMs }) => {
    const files = nodeTestFiles(project);
    if (files.length === 0) throw new NoTestFrameworkError('no file imports node:test');
    const main = `${runFolder}/run-node-tests.mjs`;
    return {
      toolchains: ['node'],
      // Not in a Node that was started in advance: its tests would be started with its arguments.
      program: inProject(['node', `${workFolder}/${main}`]),
      files: { [main]: await readRunner('run-node-tests.mjs') },
      env: {},
      stdin: JSON.stringify({
        key,
        report: `${workFolder}/${runFolder}/${report}`,
        files,
        filter,
        separateMs,
        coverage,
        sources: sourceScripts(project),
        coverageExcludes: [`${workFolder}/${runFolder}/**`, '**/node_modules/**', ...testGlobs],
      }),
      mounts: nodeModulesMount(project),
      needs: {},
      reports: [report],
      readReport: (_result, reports) => readSignedRecords(reports.get(report), key),
    };
  },
};
