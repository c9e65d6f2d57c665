import type { Catalogue } from '../../src/contract/catalogue/index.ts';
import { CallExecutor, createFleet } from '../../src/fleet/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createThreadedCodeServer } from '../../src/toolbox/code/index.ts';

/** The code server as it is served: in worker threads, behind the call executor, without a tracer. */
export function aCodeCatalogue(roots: readonly string[], timeoutMs: number): Catalogue {
  const settings = {
    exclude: [],
    lineLength: 100,
    maxIssues: 50,
    severityLevels: ['critical', 'major', 'minor', 'info'] as const,
    osvUrl: 'http://127.0.0.1:9',
    osvDirectory: undefined,
  };
  const executor = new CallExecutor(
    { maxConcurrent: 2, maxWaiting: 1_000, timeoutMs },
    undefined,
    silentLog,
  );
  return createFleet({
    title: 'Tutti',
    version: '0.0.0',
    servers: [
      {
        name: 'code',
        open: async () =>
          createThreadedCodeServer({
            version: '0.0.0',
            roots,
            settings,
            standardsDirectory: undefined,
          }),
      },
    ],
    executor,
    enabledTools: [],
    log: silentLog,
  }).catalogue;
}
