import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { RunView, Waiting } from '../../src/contract/run/index.ts';
import { createFakeSystem } from './fake-system.ts';
import { aRun, createFakeWorkflows, type WorkflowCall } from './fake-workflows.ts';
import { runMain, type Ran, type RunOptions } from './run-main.ts';

interface RanRuns extends Ran {
  readonly calls: readonly WorkflowCall[];
}

/** Runs a command line on runs that are as the views say, one after the other. */
export async function tutti(
  argv: readonly string[],
  { views, ...options }: RunOptions & { views?: readonly RunView[] } = {},
): Promise<RanRuns> {
  const { workflows, calls } = createFakeWorkflows(views);
  const compose = await createFakeSystem().compose();
  const openSystem: typeof compose.openSystem = async (wanted) => ({
    ...(await compose.openSystem(wanted)),
    workflows,
  });
  const io = { ...options.io, compose: async () => ({ ...compose, openSystem }) };
  return { ...(await runMain(argv, { ...options, io })), calls };
}

export function aFile(text: string, name = 'a.plan.yaml'): { cwd: string; name: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'tutti-run-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, name), text);
  return { cwd, name };
}

export const plan = 'steps: [{ id: one, tool: fake.echo_all }]';
export const running: RunView = { ...aRun, status: 'running', endedAt: null };
const { output: _output, ...withoutOutput } = aRun;
export const failed: RunView = {
  ...withoutOutput,
  status: 'failed',
  error: { code: 'workflow.step_failed', message: 'Step "one" failed: it rained', details: {} },
};
export const cancelled: RunView = { ...withoutOutput, status: 'cancelled' };

export function waitingFor(...waits: Waiting[]): RunView {
  return { ...withoutOutput, status: 'waiting', endedAt: null, waitingFor: waits };
}

/** A person at a terminal who types this. */
export function atTerminal(typed: string): RunOptions {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(typed);
  return { isTTY: true, io: { stdin, env: { NO_COLOR: '1' } } };
}
