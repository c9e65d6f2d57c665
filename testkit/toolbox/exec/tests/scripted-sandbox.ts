import type { CollectedFile, Sandbox, SandboxRun } from '../../../../src/contract/sandbox/index.ts';
import { AppError } from '../../../../src/kernel/index.ts';
import { aPolicy, someCeilings, someLimits } from '../an-exec-server.ts';
import { FakeSandbox, type FakeProgram } from '../fake-sandbox.ts';
import type { TestsContext } from '../../../../src/toolbox/exec/tests/run-tests.ts';

/** How a run ends, and the reports it leaves by their names. */
export interface ScriptedEnd extends FakeProgram {
  readonly reports?: Readonly<Record<string, Uint8Array>>;
}

export interface ScriptedSandbox extends Sandbox {
  readonly runs: SandboxRun[];
}

class ToolchainMissing extends AppError {
  readonly code = 'sandbox.toolchain_missing';
}

/** A sandbox in which nothing runs: each run ends as the script says, which may look at it. */
export function scriptedSandbox(
  script: (run: SandboxRun) => ScriptedEnd,
  missing: readonly string[] = [],
): ScriptedSandbox {
  const fake = new FakeSandbox();
  return {
    runs: fake.runs,
    examine: fake.examine,
    pool: fake.pool,
    close: fake.close,
    run: async (run, watch) => {
      fake.runs.push(run);
      const { reports = {}, ...end } = script(run);
      return new FakeSandbox({ ...end, files: collected(run, reports) }).run(run, watch);
    },
    toolchain: async (name) => {
      if (missing.includes(name)) throw new ToolchainMissing(`there is no ${name}`);
      return fake.toolchain(name);
    },
  };
}

function collected(
  { collect }: SandboxRun,
  reports: Readonly<Record<string, Uint8Array>>,
): CollectedFile[] {
  return Object.entries(reports).flatMap(([name, bytes]) => {
    const path = collect?.paths.find((wanted) => wanted.endsWith(`/${name}`));
    return path === undefined ? [] : [{ path, bytes, isExecutable: false }];
  });
}

export function aTestsContext(sandbox: Sandbox, change: Partial<TestsContext> = {}): TestsContext {
  return {
    sandbox: async () => sandbox,
    scanCode: async () => [],
    policy: aPolicy,
    limits: someLimits,
    ceilings: someCeilings,
    roots: [],
    javaLibraries: [],
    ...change,
  };
}
