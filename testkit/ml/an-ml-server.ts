import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createModelStore, openArtifacts } from '../../src/artifacts/index.ts';
import type { Explanation, FailedAttempt } from '../../src/contract/experience/index.ts';
import { silentLog, systemClock } from '../../src/kernel/index.ts';
import { createMlServer, type MlParts } from '../../src/toolbox/ml/index.ts';
import { aDirectory } from '../observe/a-directory.ts';
import { aStore } from '../store/a-store.ts';
import { aCallContext } from '../toolbox/call-context.ts';
import { anEngine } from './an-engine.ts';

const unknown: Explanation = {
  failure: null,
  isKnown: false,
  cause: null,
  source: null,
  evidence: [],
  suggestions: [],
  seen: { before: 0, lastAt: null },
};

const nothingAround: Pick<MlParts, 'sandbox' | 'surroundings' | 'packagePolicy'> = {
  sandbox: () => Promise.reject(new Error('no sandbox here')),
  surroundings: { searchPath: '', homeDirectory: '/nowhere' },
  packagePolicy: { network: false, indexUrl: 'http://127.0.0.1:9/simple', sourceBuilds: false },
};

/** The server `ml` over a real store and real artifacts, with a small engine, in an empty project. */
export function anMlServer(parts: Partial<MlParts> = {}) {
  const home = parts.home ?? aDirectory();
  const project = parts.roots?.[0] ?? aDirectory();
  const { artifactIndex, modelIndex } = aStore({ home });
  const log = silentLog;
  const opened = openArtifacts({
    directory: join(home, 'artifacts'),
    index: artifactIndex,
    clock: systemClock,
    log,
  });
  const artifacts = async () => opened;
  const failures: FailedAttempt[] = [];
  const { engine } = anEngine();
  const server = createMlServer({
    version: '0.0.0',
    roots: [project],
    home,
    artifacts,
    models: createModelStore({ index: modelIndex, artifacts, clock: systemClock }),
    engines: async () => [engine],
    experience: {
      failed: (_caller, attempt) => failures.push(attempt),
      succeeded: () => {},
      explain: async () => unknown,
    },
    runProgram: async () => ({ exitCode: 1, stdout: '', stderr: 'no programs here' }),
    ...nothingAround,
    limits: { wallMs: 60_000, memoryBytes: 1e9, diskBytes: 1e9, threads: 1 },
    clock: systemClock,
    log,
    ...parts,
  });
  return {
    home,
    project,
    server,
    failures,
    artifacts: opened,
    write: (path: string, content: string | Uint8Array): string => {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), content);
      return path;
    },
    /** The structured content of a result, or its error as `{ code, message }`. */
    call: async (
      tool: string,
      args: object,
      context = aCallContext(),
    ): Promise<Readonly<Record<string, unknown>>> => {
      const result = await server.callTool(tool, args, context);
      if (result.isError === true) {
        const error = result._meta?.['tutti/error'];
        return { error, text: JSON.stringify(result.content) };
      }
      return { ...result.structuredContent };
    },
  };
}
