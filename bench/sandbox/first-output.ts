import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { SandboxResult } from '../../src/contract/sandbox/index.ts';
import type { PreparedSandbox, SandboxDriver } from '../../src/sandbox/index.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';

export type Language = 'python' | 'node';

/** The same trivial program for everybody. */
export const trivial: Readonly<Record<Language, { file: string; text: string }>> = {
  python: { file: 'main.py', text: 'print("x", flush=True)\n' },
  node: { file: 'main.js', text: 'console.log("x")\n' },
};

/** Milliseconds from the start of a program to its first output; returns once it has ended. */
export async function firstOutputOf([command = '', ...args]: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  child.stdin.end();
  await Promise.race([once(child.stdout, 'data'), exited]);
  const firstMs = performance.now() - startedAt;
  const [exitCode] = await exited;
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}`);
  return firstMs;
}

export async function prepare(driver: SandboxDriver, language: Language): Promise<PreparedSandbox> {
  const toolchain = await driver.findToolchain(language);
  return driver.prepare({ toolchain, boot: language, mounts: [], limits: defaultLimits });
}

/** The same in a sandbox that waits, from the moment the program is known. */
export async function firstOutputIn(sandbox: PreparedSandbox, language: Language): Promise<number> {
  const { file, text } = trivial[language];
  const startedAt = performance.now();
  let firstMs = Number.NaN;
  const result = await sandbox.run(
    {
      program: { kind: language, main: file, args: [] },
      files: { [file]: text },
      env: {},
      stdin: '',
      limits: defaultLimits,
      collect: null,
    },
    {
      onOutput: () => void (firstMs = Math.min(performance.now() - startedAt, firstMs || Infinity)),
    },
  );
  assertTrivial(result);
  return firstMs;
}

/** The same with the start of the sandbox. */
export async function firstOutputCold(driver: SandboxDriver, language: Language): Promise<number> {
  const startedAt = performance.now();
  const sandbox = await prepare(driver, language);
  const preparedMs = performance.now() - startedAt;
  return preparedMs + (await firstOutputIn(sandbox, language));
}

export function assertTrivial(result: Omit<SandboxResult, 'wasWarm'>): void {
  if (result.exitCode === 0 && Buffer.from(result.stdout).toString() === 'x\n') return;
  throw new Error(
    `the trivial program ended as ${result.status} ${result.exitCode}: ${Buffer.from(result.stderr).toString()}`,
  );
}
