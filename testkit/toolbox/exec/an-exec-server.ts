import type { CallContext, McpServer } from '../../../src/contract/server/index.ts';
import type { ToolResult } from '../../../src/contract/tool/index.ts';
import { aCallContext } from '../call-context.ts';
import type { CheckPolicy, ScanCode } from '../../../src/toolbox/exec/check/check-policy.ts';
import { createExecServer } from '../../../src/toolbox/exec/exec-server.ts';
import { FakeSandbox, type FakeProgram } from './fake-sandbox.ts';

export const aPolicy: CheckPolicy = {
  malicious: 'refuse',
  critical: 'warn',
  major: 'warn',
  minor: 'allow',
  info: 'allow',
};

export const someLimits = {
  wallMs: 30_000,
  cpuMs: 30_000,
  cpus: 1,
  memoryBytes: 536_870_912,
  pids: 256,
  diskBytes: 134_217_728,
  openFiles: 1_024,
  outputBytes: 1_048_576,
};

export interface AnExecServer {
  readonly server: McpServer;
  readonly sandbox: FakeSandbox;
  readonly call: (
    tool: string,
    args: object,
    context?: Partial<CallContext>,
  ) => Promise<ToolResult>;
}

/** What the server needs beside a sandbox and a scanner. */
/** High enough for what tests ask for. */
export const someCeilings = Object.fromEntries(
  Object.entries(someLimits).map(([limit, value]) => [limit, value * 100]),
) as unknown as typeof someLimits;

export const anExecContext = {
  version: '1',
  policy: aPolicy,
  limits: someLimits,
  ceilings: someCeilings,
  roots: [],
  javaLibraries: [],
};

/** The real server over a sandbox that runs nothing. */
export function anExecServer(
  program: FakeProgram = {},
  parts: { readonly scanCode?: ScanCode; readonly policy?: Partial<CheckPolicy> } = {},
): AnExecServer {
  const sandbox = new FakeSandbox(program);
  const server = createExecServer({
    ...anExecContext,
    sandbox: async () => sandbox,
    scanCode: parts.scanCode ?? (async () => []),
    policy: { ...aPolicy, ...parts.policy },
  });
  return {
    server,
    sandbox,
    call: (tool, args, context) => server.callTool(tool, args, aCallContext(context)),
  };
}
