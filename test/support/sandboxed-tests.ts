import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { z } from 'zod';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { Sandbox } from '../../src/contract/sandbox/index.ts';
import type { McpServer, ProgressUpdate } from '../../src/contract/server/index.ts';
import { silentLog, systemTimers } from '../../src/kernel/index.ts';
import { defaultLimits, openSandbox } from '../../src/sandbox/index.ts';
import { hardCeilings } from '../../src/sandbox/limits.ts';
import { createExecServer } from '../../src/toolbox/exec/index.ts';
import { isCi } from '../../testkit/sample.ts';
import { openBubblewrap } from './sandbox/drivers.ts';

const resultSchema = z.object({
  ok: z.boolean(),
  problem: z.string().optional(),
  framework: z.string(),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  tests: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      status: z.string(),
      durationMs: z.number().nullable(),
      message: z.string().optional(),
    }),
  ),
  coverage: z
    .object({
      percent: z.number(),
      files: z.array(
        z.object({ path: z.string(), percent: z.number(), missing: z.array(z.number()) }),
      ),
    })
    .nullable(),
  coverageNote: z.string().optional(),
  status: z.string(),
  reason: z.string().nullable(),
  exitCode: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});

export type TestsResult = z.output<typeof resultSchema>;

export interface TestsWatch {
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
}

/** The tool `run_tests` over a real sandbox. */
export interface SandboxedTests {
  /** Projects written here can be named by their path below it. */
  readonly root: string;
  run(input: object, watch?: TestsWatch): Promise<TestsResult>;
  /** Skips where a toolchain is not installed; in CI those of the packages listed must be. */
  needs(toolchain: string, context: TestContext, isListed: boolean): Promise<void>;
  write(folder: string, files: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

/** The server `exec` over a real sandbox; projects in `roots` can be named. */
export function openSandboxedExec(roots: readonly string[]): {
  readonly sandbox: Sandbox;
  readonly server: McpServer;
  readonly close: () => Promise<void>;
} {
  const opened = openBubblewrap();
  const sandbox = openSandbox({
    drivers: [opened.driver],
    wanted: 'auto',
    policy: 'standard',
    pool: coldPool,
    log: silentLog,
    timers: systemTimers,
    cacheDirectory: null,
    homeDirectory: homedir(),
  });
  const server = createExecServer({
    version: '1',
    sandbox: async () => sandbox,
    scanCode: async () => [],
    policy: { critical: 'warn', major: 'warn', minor: 'allow', info: 'allow', malicious: 'refuse' },
    limits: defaultLimits,
    ceilings: hardCeilings(),
    roots,
    javaLibraries: [join(homedir(), '.m2', 'repository'), '/usr/share/java'],
  });
  const close = async (): Promise<void> => {
    await sandbox.close();
    await opened.close();
  };
  return { sandbox, server, close };
}

export function openSandboxedTests(): SandboxedTests {
  const root = mkdtempSync(join(tmpdir(), 'tutti-run-tests-'));
  const exec = openSandboxedExec([root, join(import.meta.dirname, '../..')]);
  const { sandbox, server } = exec;
  return {
    root,
    run: async (input, { signal = new AbortController().signal, onOutput = () => {} } = {}) => {
      const progress = ({ message = '' }: ProgressUpdate): void => onOutput(message);
      const context = { caller: localCaller, signal, progress, meta: {} };
      const result = await server.callTool('run_tests', input, context);
      expect(result).not.toHaveProperty('isError', true);
      return resultSchema.parse(result.structuredContent);
    },
    needs: async (toolchain, context, isListed) => {
      const problem = await sandbox.toolchain(toolchain).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (problem === undefined) return;
      if (isCi && isListed) throw new Error(problem);
      context.skip(problem);
    },
    write: (folder, files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, folder, path)), { recursive: true });
        writeFileSync(join(root, folder, path), text);
      }
    },
    close: async () => {
      await exec.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const coldPool = {
  warm: false,
  maxRunning: 2,
  maxWaiting: 100,
  maxIdleMemoryBytes: 0,
  maxIdlePerShape: 0,
  maxIdleMs: 1_000,
  maxStarting: 1,
};
