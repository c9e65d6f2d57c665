import type { McpServer } from '../../contract/server/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { checkCodeTool } from './check-code-tool.ts';
import { runCodeTool, runCommandTool } from './run-tools.ts';
import { runTestsTool } from './tests/run-tests-tool.ts';
import type { TestsContext } from './tests/run-tests.ts';

export interface ExecServerOptions extends TestsContext {
  readonly version: string;
  /** Ends what only this server uses. */
  readonly close?: () => Promise<void>;
}

/** The server `exec`: runs untrusted programs. */
export function createExecServer({ version, close, ...context }: ExecServerOptions): McpServer {
  return createToolboxServer({
    name: 'exec',
    title: 'Run code',
    version,
    instructions:
      'Runs untrusted code in a sandbox without network: run_code for a program, run_command for any command, run_tests for the tests of a project, check_code for ' +
      'what a program could do. How a program ends is a result; `reason` names the limit that ended it.',
    tools: [
      runCodeTool(context),
      runCommandTool(context),
      runTestsTool(context),
      checkCodeTool(context),
    ],
    ...(close && { close }),
  });
}
