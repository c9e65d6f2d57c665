import type { RunView } from '../../../src/contract/run/index.ts';
import type { ClientPort, ClientRequest, McpServer } from '../../../src/contract/server/index.ts';
import { AppError } from '../../../src/kernel/index.ts';
import { createWorkflowServer } from '../../../src/toolbox/workflow/workflow-server.ts';
import { aStep, FakeWorkflows } from './fake-workflows.ts';
import { MemoryArtifacts } from './memory-artifacts.ts';

export const plan = { steps: [{ id: 'a', tool: 'code.format_code', args: {} }] };

/** What a run that succeeded has of its own. */
export const ended: Partial<RunView> = {
  status: 'succeeded',
  endedAt: '2026-01-01T00:00:05.000Z',
  steps: { a: aStep('succeeded', { output: 1 }), b: aStep('skipped') },
  output: { total: 3 },
};

export interface WorkflowSetup {
  readonly server: McpServer;
  readonly workflows: FakeWorkflows;
  readonly artifacts: MemoryArtifacts;
}

/** The server on runs that do what the test says. */
export function aWorkflowServer(): WorkflowSetup {
  const workflows = new FakeWorkflows();
  const artifacts = new MemoryArtifacts();
  const server = createWorkflowServer({ version: '1', workflows, artifacts });
  return { workflows, artifacts, server };
}

/** An error of another room, by its code. */
export class ForeignError extends AppError {
  readonly code: string;

  constructor(code: string, message = 'no') {
    super(message);
    this.code = code;
  }
}

/** A client that answers questions with what the test says. */
export function anAskedClient(
  answer: (request: ClientRequest) => Readonly<Record<string, unknown>>,
  parts: Partial<ClientPort> = {},
): ClientPort {
  return {
    id: 'c',
    era: 'handshake',
    capabilities: { elicitation: {} },
    ask: async (request) => answer(request),
    notify: () => {},
    ...parts,
  };
}

export async function structuredOf(
  call: ReturnType<McpServer['callTool']>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await call).structuredContent;
}
